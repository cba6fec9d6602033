#pragma once

/// RMSNorm (Zhang and Sennrich, 2019) and LayerNorm (Ba et al., 2016), with the residual addition before them in the
/// same pass over the row. Accumulates in f32 over many partial sums (lanes x 4), so the error grows with size / 64.

#include <cstdint>

namespace stagebench::cpu {

/// One row. First hidden += addend where there is one; then normed = norm(hidden).
struct NormRow {
  float* hidden = nullptr;        ///< [size], the residual stream
  const float* addend = nullptr;  ///< [size] or nullptr
  const float* weight = nullptr;  ///< [size]
  const float* bias = nullptr;    ///< [size] or nullptr
  float* normed = nullptr;        ///< [size]
  std::int64_t size = 0;
  float epsilon = 0;
};

/// normed = hidden / sqrt(mean(hidden^2) + epsilon) * weight
void add_rms_norm(const NormRow& row);
/// normed = (hidden - mean) / sqrt(variance + epsilon) * weight + bias; the variance is the population's.
void add_layer_norm(const NormRow& row);

}  // namespace stagebench::cpu
