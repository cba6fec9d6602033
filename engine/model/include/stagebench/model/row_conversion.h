#pragma once

#include <cstddef>
#include <cstdint>

#include "stagebench/contracts/dtype.h"

namespace stagebench {

/// Converts `elements` values (a multiple of the source's block) from any DType to f32, f16 or bf16. Block types are
/// dequantised as ggml does (ggml-quants.c, dequantize_row_*); f16 and bf16 round to nearest even from f32.
/// Neither pointer needs an alignment; the ranges do not overlap.
void convert_row(DType source_type, const std::byte* source, std::int64_t elements, DType target, void* destination);

}  // namespace stagebench
