#pragma once

/// The elementwise middle of the feed-forward block.

#include <cstdint>

namespace stagebench::cpu {

/// out = silu(gate) * up, silu(x) = x / (1 + e^-x) (Shazeer, 2020). All [size]; out may be gate.
void swiglu(const float* gate, const float* up, std::int64_t size, float* out);

/// out = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, 2016; transformers' gelu_new).
/// Both [size]; out may be x.
void gelu_tanh(const float* x, std::int64_t size, float* out);

}  // namespace stagebench::cpu
