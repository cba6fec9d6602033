#include "stagebench/model/row_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "dequantize_blocks.h"
#include "row_conversion_floats.h"
#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

/// Writes `elements` values of `source_type`, which is not f32, as f32.
void to_f32(DType source_type, const std::byte* source, std::int64_t elements, std::byte* destination) {
  switch (source_type) {
    case DType::f16: f16_to_f32_row(source, elements, destination); break;
    case DType::bf16: bf16_to_f32_row(source, elements, destination); break;
    default: dequantize_row(source_type, source, elements, destination);
  }
}

void from_f32(const std::byte* source, std::int64_t elements, DType target, std::byte* destination) {
  if (target == DType::f16) {
    f32_to_f16_row(source, elements, destination);
  } else {
    f32_to_bf16_row(source, elements, destination);
  }
}

}  // namespace

void convert_row(DType source_type, const std::byte* source, std::int64_t elements, DType target, void* destination) {
  if (target != DType::f32 && target != DType::f16 && target != DType::bf16) {
    throw UsageError(fmt::format("weights can be converted to f32, f16 and bf16, not to {}", name(target)));
  }
  auto* to = static_cast<std::byte*>(destination);
  if (source_type == target) {
    if (elements > 0) std::memcpy(to, source, static_cast<std::size_t>(row_bytes(target, elements)));
  } else if (target == DType::f32) {
    to_f32(source_type, source, elements, to);
  } else if (source_type == DType::f32) {
    from_f32(source, elements, target, to);
  } else {
    constexpr std::int64_t chunk_elements = 2048;  // fits the first-level cache; a multiple of every block
    std::array<std::byte, chunk_elements * sizeof(float)> chunk;
    for (std::int64_t done = 0; done < elements; done += chunk_elements) {
      const std::int64_t n = std::min(chunk_elements, elements - done);
      to_f32(source_type, source + row_bytes(source_type, done), n, chunk.data());
      from_f32(chunk.data(), n, target, to + row_bytes(target, done));
    }
  }
}

}  // namespace stagebench
