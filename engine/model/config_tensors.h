#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stagebench/contracts/model.h"

namespace stagebench {

struct TensorShape {
  TensorId id;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Biases of llama's attention projections (attention_bias in config.json). gpt2 always has all of its biases.
enum class AttentionBias : std::uint8_t { none, all };

/// The tensors that a model of this shape has, each once: embeddings, then layer by layer, then what follows the
/// layers. The one place that knows which roles an architecture has. `config` has passed config_problem.
std::vector<TensorShape> tensor_shapes(const ModelConfig& config, AttentionBias bias = AttentionBias::none);

/// Finds a tensor's place in a list by its id, in constant time.
class TensorIndex {
 public:
  TensorIndex() = default;
  /// Ids are distinct; their layers lie below `n_layers`.
  TensorIndex(const std::vector<TensorInfo>& tensors, std::int64_t n_layers);
  /// The place, or nothing where there is no such tensor.
  std::optional<std::size_t> find(TensorId id) const noexcept;

 private:
  std::int64_t n_layers_ = 0;
  std::vector<std::int32_t> places_;  // [role][layer], -1 where there is none
};

}  // namespace stagebench
