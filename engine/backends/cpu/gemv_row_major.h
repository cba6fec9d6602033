#pragma once

/// Products of a few rows of activations with row-major weights, in f32, streaming the weights once from memory. Where
/// m is small this is bound by memory bandwidth: 2 m operations a weight.
///
/// Vectorised for each instruction set that the machine may have, chosen at run time (google/highway).

#include <cstdint>

#include "stagebench/contracts/dtype.h"

namespace stagebench::cpu {

/// Weights as they lie in memory: [rows][k] of `dtype` (f32, f16 or bf16), aligned to an element.
struct RowMajorWeights {
  DType dtype{};
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t k = 0;
};

/// y[t][r] = bias[r] + sum over i of weights[r][i] x[t][i], for t < m. Strides are in elements; `bias` is [rows] or
/// nullptr. Sums are in f32, in an order that depends on the vector width only.
void gemv_row_major(const RowMajorWeights& weights, const float* bias, const float* x, std::int64_t x_stride,
                    std::int64_t m, float* y, std::int64_t y_stride);

}  // namespace stagebench::cpu
