#pragma once

/// FLOPs and bytes of a forward pass, from shapes alone: the numerators of MFU and MBU, the same for every backend.
/// Each op has one pure function; a stage is the sum of its ops.
///
///   const Cost step = decode_step_cost(config, DType::bf16, DType::f32, 1, depth);
///   const double mfu = step.flops / seconds / ceilings.flops_per_s;
///
/// What counts as a FLOP: matrix products (2mnk) and attention's two products, as in PaLM (Chowdhery et al. 2022,
/// appendix B). Norms, RoPE, softmax, activations, biases and residual sums count none. Attention counts only pairs
/// that the causal mask keeps, so that a square prompt costs half of what PaLM's formula says (as FlashAttention-2
/// reports it, Dao 2023, section 4.1); exactly, P (P + 1) / 2 pairs, which makes a prefill of P tokens the sum of P
/// decode steps. Logits are computed for the last token of each sequence only.
///
/// What counts as a byte: each weight that the pass needs, once, whatever the batch; each place of the KV cache that is
/// in use after the pass, once (it is read, or written and then still at hand). That is the model and cache size of
/// Databricks' MBU ("LLM Inference Performance Engineering: Best Practices", 2023). Of an embedding table that is not
/// also the output matrix, only the rows of the pass's tokens count. Activations count none.

#include <cstdint>

#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/model.h"

namespace stagebench {

struct Cost {
  double flops = 0;
  double weight_bytes = 0;  ///< weights read, each once
  double kv_bytes = 0;      ///< KV cache read and written
  constexpr double bytes() const noexcept { return weight_bytes + kv_bytes; }
  constexpr Cost& operator+=(const Cost& other) noexcept {
    flops += other.flops;
    weight_bytes += other.weight_bytes;
    kv_bytes += other.kv_bytes;
    return *this;
  }
};

/// Weights of the model, a tied table once. Biases that only some llama models have (attention_bias) are left out.
std::int64_t parameter_count(const ModelConfig& config);
/// Bytes of all weights: matrices in `weights`; vectors (norms, biases) too, or in f32 where `weights` is a block type.
std::uint64_t weight_bytes(const ModelConfig& config, DType weights);
/// Bytes of one token's keys and values in all layers.
std::uint64_t kv_bytes_per_token(const ModelConfig& config, DType kv);

/// y[tokens][out] = x[tokens][in] W[out][in]^T: 2 tokens out in FLOPs, and W is read.
Cost linear_cost(std::int64_t tokens, std::int64_t out, std::int64_t in, DType weights);
/// A norm's weight, or any bias: `elements` values are read; no FLOPs.
Cost vector_cost(std::int64_t elements, DType weights);
/// Rows of an embedding table [table_rows][columns] for `tokens` tokens; at most each row once; no FLOPs.
Cost embedding_cost(std::int64_t tokens, std::int64_t table_rows, std::int64_t columns, DType weights);
/// One layer's attention of `tokens` new tokens in each of `batch` sequences with `depth` tokens in the cache before:
/// 4 n_heads head_dim FLOPs (QK^T and PV) for each pair of a new token and one that it sees, itself included.
Cost attention_cost(const ModelConfig& config, DType kv, std::int64_t batch, std::int64_t tokens, std::int64_t depth);

/// One parallel pass over `prompt_tokens` tokens in each of `batch` sequences. Sizes are >= 1, depth >= 0; `weights`
/// and `kv` are the types in memory.
Cost prefill_cost(const ModelConfig& config, DType weights, DType kv, std::int64_t batch, std::int64_t prompt_tokens,
                  std::int64_t depth);
/// One new token in each of `batch` sequences with `depth` tokens in the cache before.
Cost decode_step_cost(const ModelConfig& config, DType weights, DType kv, std::int64_t batch, std::int64_t depth);

}  // namespace stagebench
