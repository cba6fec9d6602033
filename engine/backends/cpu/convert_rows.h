#pragma once

/// Between f32 and the 16-bit types, at memory speed. One value at a time: stagebench/support/half.h.

#include <cstdint>

#include "stagebench/contracts/dtype.h"

namespace stagebench::cpu {

/// Exact, but for infinity and NaN in f16 on x86 before AVX2, which come out as large numbers. `from` holds `count`
/// values of `dtype`, f16 or bf16.
void convert_to_f32(DType dtype, const void* from, std::int64_t count, float* to);

/// Rounds to nearest even; NaN stays NaN.
void convert_to_bf16(const float* from, std::int64_t count, std::uint16_t* to);

}  // namespace stagebench::cpu
