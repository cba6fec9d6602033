#pragma once

#include <cstddef>
#include <cstdint>

#include "stagebench/contracts/dtype.h"

namespace stagebench {

/// Writes `elements` values (a multiple of the block) of a block type as f32. The block formats and formulas are ggml's
/// (ggml-common.h; ggml-quants.c, dequantize_row_*). Products and sums round one by one, never fused, so that every
/// machine gets the same bits. Compiled for several instruction sets and chosen at run time.
/// Pointers need no alignment; the ranges do not overlap.
void dequantize_row(DType type, const std::byte* source, std::int64_t elements, std::byte* destination);

}  // namespace stagebench
