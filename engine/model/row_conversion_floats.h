#pragma once

/// Rows of 16-bit floats to and from f32, vectorised for the machine at run time; bit for bit what support/half.h does.
/// Rounding is to nearest even. Integer operations only where a CPU that flushes subnormals would make a difference.
/// Pointers need no alignment; the ranges do not overlap.

#include <cstddef>
#include <cstdint>

namespace stagebench {

void f16_to_f32_row(const std::byte* source, std::int64_t elements, std::byte* destination);
void bf16_to_f32_row(const std::byte* source, std::int64_t elements, std::byte* destination);
void f32_to_f16_row(const std::byte* source, std::int64_t elements, std::byte* destination);
void f32_to_bf16_row(const std::byte* source, std::int64_t elements, std::byte* destination);

}  // namespace stagebench
