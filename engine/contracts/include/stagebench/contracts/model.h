#pragma once

/// A model on disk (or made from a seed), as a backend reads it: the shape, and weight matrices by role. What the file
/// calls them, how it lays them out (transposed, fused, permuted, sharded) and which type it stores is settled here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/token.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench {

/// llama: RMSNorm, RoPE (rotate-half order, as in transformers), GQA, SwiGLU.
/// gpt2: LayerNorm, learned positions, tanh-approximated GELU, biases.
enum class Architecture : std::uint8_t { llama, gpt2 };

constexpr std::string_view name(Architecture architecture) noexcept {
  return architecture == Architecture::llama ? "llama" : "gpt2";
}

struct ModelConfig {
  std::string name;  ///< for rows: the profile's name, or the folder's or file's
  Architecture architecture{};
  std::int64_t n_layers = 0;
  std::int64_t hidden_size = 0;
  std::int64_t n_heads = 0;
  std::int64_t n_kv_heads = 0;  ///< divides n_heads
  std::int64_t head_dim = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t vocab_size = 0;   ///< rows of the embedding
  std::int64_t max_context = 0;  ///< positions that the model was made for
  double norm_epsilon = 0;
  double rope_theta = 0;  ///< llama only
  /// Empty, or head_dim / 2 values that RoPE's inverse frequencies are divided by (Llama 3's scaling).
  std::vector<float> rope_frequency_divisors;
  bool tied_embeddings = false;  ///< the output matrix is the embedding
  std::optional<TokenId> bos_id;
  std::vector<TokenId> eos_ids;
};

/// Matrices are [out][in] row-major, so that y = W x; vectors have one row.
enum class TensorRole : std::uint8_t {
  token_embedding,     // [vocab_size][hidden_size]
  position_embedding,  // [max_context][hidden_size], gpt2
  attention_norm,      // [1][hidden_size]
  attention_norm_bias,
  attention_q,  // [n_heads * head_dim][hidden_size]
  attention_q_bias,
  attention_k,  // [n_kv_heads * head_dim][hidden_size]
  attention_k_bias,
  attention_v,
  attention_v_bias,
  attention_output,  // [hidden_size][n_heads * head_dim]
  attention_output_bias,
  ffn_norm,
  ffn_norm_bias,
  ffn_gate,  // [intermediate_size][hidden_size], llama
  ffn_up,    // [intermediate_size][hidden_size]
  ffn_up_bias,
  ffn_down,  // [hidden_size][intermediate_size]
  ffn_down_bias,
  output_norm,  // [1][hidden_size]
  output_norm_bias,
  output,  // [vocab_size][hidden_size]; absent where tied
};

struct TensorId {
  TensorRole role{};
  std::int64_t layer = 0;  ///< 0 for the roles that are there once
  friend bool operator==(const TensorId&, const TensorId&) = default;
};

struct TensorInfo {
  TensorId id;
  std::string source_name;  ///< as the file calls it
  DType dtype{};            ///< as it is stored
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::uint64_t stored_bytes = 0;  ///< of this role's part, where the file fuses several
  std::uint64_t file_offset = 0;   ///< of the tensor's data from the start of its file; 0 for synthetic weights
};

/// Read-only and thread-safe after construction. Constructors check everything that read_rows relies on, so that
/// reading never fails on a file that does not change underneath.
class Model {
 public:
  virtual ~Model() = default;

  virtual const ModelConfig& config() const noexcept = 0;
  /// For messages and environment.json: the path, or "synthetic seed=...".
  virtual std::string_view source() const noexcept = 0;
  virtual std::span<const TensorInfo> tensors() const noexcept = 0;
  /// nullptr where the model has no such tensor (a bias, the output of a tied model).
  virtual const TensorInfo* find(TensorId id) const noexcept = 0;

  /// Writes rows [first_row, first_row + n_rows) of `tensor` to `destination` as `target` (f32, f16 or bf16), rows
  /// close behind each other: n_rows * columns values. Rounds to nearest even. Callers split a tensor over threads.
  virtual void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                         void* destination) const = 0;
  /// The stored bytes of `tensor` where they are its rows in order, [rows][columns] of `tensor.dtype`, so that they can
  /// be used in place; they live as long as the model. Empty where rows are permuted, transposed, fused or generated.
  virtual std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept = 0;

  /// The vocabulary inside the file; nullptr where it has none.
  virtual const Vocabulary* vocabulary() const noexcept = 0;
};

}  // namespace stagebench
