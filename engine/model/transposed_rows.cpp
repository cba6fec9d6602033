#include "transposed_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "stagebench/model/row_conversion.h"

namespace stagebench {
namespace {

constexpr std::int64_t tile_rows = 64;
constexpr std::int64_t tile_columns = 32;

/// `Word` is an unsigned type as wide as a value of `target`.
template <typename Word>
void transpose_in_tiles(const TransposedSource& source, std::int64_t first_place, std::int64_t n_rows, DType target,
                        std::byte* destination) {
  const std::int64_t source_bytes = row_bytes(source.dtype, 1);
  std::array<Word, static_cast<std::size_t>(tile_rows * tile_columns)> tile;  // [column][row]
  std::array<Word, static_cast<std::size_t>(tile_columns)> line;
  for (std::int64_t row = 0; row < n_rows; row += tile_rows) {
    const std::int64_t rows_here = std::min(tile_rows, n_rows - row);
    for (std::int64_t column = 0; column < source.columns; column += tile_columns) {
      const std::int64_t columns_here = std::min(tile_columns, source.columns - column);
      for (std::int64_t c = 0; c < columns_here; ++c) {
        const std::int64_t place = (column + c) * source.stride + first_place + row;
        convert_row(source.dtype, source.data + place * source_bytes, rows_here, target,
                    &tile[static_cast<std::size_t>(c * tile_rows)]);
      }
      for (std::int64_t r = 0; r < rows_here; ++r) {
        for (std::int64_t c = 0; c < columns_here; ++c) {
          line[static_cast<std::size_t>(c)] = tile[static_cast<std::size_t>(c * tile_rows + r)];
        }
        // The destination needs no alignment.
        std::memcpy(destination + static_cast<std::size_t>((row + r) * source.columns + column) * sizeof(Word),
                    line.data(), static_cast<std::size_t>(columns_here) * sizeof(Word));
      }
    }
  }
}

}  // namespace

void read_transposed_rows(const TransposedSource& source, std::int64_t first_place, std::int64_t n_rows, DType target,
                          void* destination) {
  auto* bytes = static_cast<std::byte*>(destination);
  if (target == DType::f32) {
    transpose_in_tiles<std::uint32_t>(source, first_place, n_rows, target, bytes);
  } else {
    transpose_in_tiles<std::uint16_t>(source, first_place, n_rows, target, bytes);
  }
}

}  // namespace stagebench
