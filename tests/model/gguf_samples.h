#pragma once

#include <cstdint>

#include "gguf_writer.h"

namespace stagebench::test {

/// A value that tells where it belongs: row * 64 + column, exact in f32, plus `shift`.
float sample_value(std::int64_t row, std::int64_t column, float shift = 0);

/// Width 16, 2 heads of 8 and 1 KV head, 24 inner, 5 tokens, context 32, 2 layers, tied, f32; a vocabulary of llama's
/// kind. In transformers' order, value (row, column) of q is sample_value(row, column), of k shifted by 0.25; both are
/// written in llama.cpp's order. The other matrices are written as sample_value with other shifts.
GgufWriter sample_llama();

/// Width 8, 2 heads, 12 inner, 6 tokens, context 7, 1 layer, f32, no vocabulary. Value (row, column) of the fused qkv
/// is sample_value(row, column); its bias is sample_value(0, i, 0.5).
GgufWriter sample_gpt2();

}  // namespace stagebench::test
