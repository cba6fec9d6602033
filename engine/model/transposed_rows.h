#pragma once

#include <cstddef>
#include <cstdint>

#include "stagebench/contracts/dtype.h"

namespace stagebench {

/// A matrix [columns][stride] of f32, f16 or bf16 in memory, of which `rows` places of each line are wanted the other
/// way round.
struct TransposedSource {
  const std::byte* data = nullptr;  ///< of place 0 of line 0
  DType dtype{};
  std::int64_t columns = 0;  ///< lines
  std::int64_t stride = 0;   ///< places a line
};

/// Writes [n_rows][columns] as `target` (f32, f16 or bf16): row r is place first_place + r of every line. Goes in
/// tiles, so that both sides stay in the cache; nearly as fast as a copy from about 32 rows on.
void read_transposed_rows(const TransposedSource& source, std::int64_t first_place, std::int64_t n_rows, DType target,
                          void* destination);

}  // namespace stagebench
