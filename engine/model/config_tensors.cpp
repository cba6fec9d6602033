#include "config_tensors.h"

namespace stagebench {
namespace {

using Role = TensorRole;
constexpr std::size_t n_roles = static_cast<std::size_t>(Role::output) + 1;

void add_llama_layer(const ModelConfig& config, AttentionBias bias, std::int64_t layer,
                     std::vector<TensorShape>& shapes) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t q_size = config.n_heads * config.head_dim;
  const std::int64_t kv_size = config.n_kv_heads * config.head_dim;
  const auto add = [&](Role role, std::int64_t rows, std::int64_t columns) {
    shapes.push_back({{role, layer}, rows, columns});
  };
  add(Role::attention_norm, 1, hidden);
  add(Role::attention_q, q_size, hidden);
  add(Role::attention_k, kv_size, hidden);
  add(Role::attention_v, kv_size, hidden);
  add(Role::attention_output, hidden, q_size);
  if (bias == AttentionBias::all) {
    add(Role::attention_q_bias, 1, q_size);
    add(Role::attention_k_bias, 1, kv_size);
    add(Role::attention_v_bias, 1, kv_size);
    add(Role::attention_output_bias, 1, hidden);
  }
  add(Role::ffn_norm, 1, hidden);
  add(Role::ffn_gate, config.intermediate_size, hidden);
  add(Role::ffn_up, config.intermediate_size, hidden);
  add(Role::ffn_down, hidden, config.intermediate_size);
}

void add_gpt2_layer(const ModelConfig& config, std::int64_t layer, std::vector<TensorShape>& shapes) {
  const std::int64_t hidden = config.hidden_size;
  const auto add_norm = [&](Role weight, Role bias) {
    shapes.push_back({{weight, layer}, 1, hidden});
    shapes.push_back({{bias, layer}, 1, hidden});
  };
  const auto add_linear = [&](Role weight, Role bias, std::int64_t rows, std::int64_t columns) {
    shapes.push_back({{weight, layer}, rows, columns});
    shapes.push_back({{bias, layer}, 1, rows});
  };
  add_norm(Role::attention_norm, Role::attention_norm_bias);
  add_linear(Role::attention_q, Role::attention_q_bias, hidden, hidden);
  add_linear(Role::attention_k, Role::attention_k_bias, hidden, hidden);
  add_linear(Role::attention_v, Role::attention_v_bias, hidden, hidden);
  add_linear(Role::attention_output, Role::attention_output_bias, hidden, hidden);
  add_norm(Role::ffn_norm, Role::ffn_norm_bias);
  add_linear(Role::ffn_up, Role::ffn_up_bias, config.intermediate_size, hidden);
  add_linear(Role::ffn_down, Role::ffn_down_bias, hidden, config.intermediate_size);
}

}  // namespace

std::vector<TensorShape> tensor_shapes(const ModelConfig& config, AttentionBias bias) {
  const std::int64_t hidden = config.hidden_size;
  std::vector<TensorShape> shapes{{{Role::token_embedding, 0}, config.vocab_size, hidden}};
  if (config.architecture == Architecture::gpt2) {
    shapes.push_back({{Role::position_embedding, 0}, config.max_context, hidden});
  }
  for (std::int64_t layer = 0; layer < config.n_layers; ++layer) {
    if (config.architecture == Architecture::gpt2) {
      add_gpt2_layer(config, layer, shapes);
    } else {
      add_llama_layer(config, bias, layer, shapes);
    }
  }
  shapes.push_back({{Role::output_norm, 0}, 1, hidden});
  if (config.architecture == Architecture::gpt2) shapes.push_back({{Role::output_norm_bias, 0}, 1, hidden});
  if (!config.tied_embeddings) shapes.push_back({{Role::output, 0}, config.vocab_size, hidden});
  return shapes;
}

TensorIndex::TensorIndex(const std::vector<TensorInfo>& tensors, std::int64_t n_layers)
    : n_layers_(n_layers), places_(n_roles * static_cast<std::size_t>(n_layers), -1) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorId id = tensors[i].id;
    places_[static_cast<std::size_t>(id.role) * static_cast<std::size_t>(n_layers) +
            static_cast<std::size_t>(id.layer)] = static_cast<std::int32_t>(i);
  }
}

std::optional<std::size_t> TensorIndex::find(TensorId id) const noexcept {
  if (id.layer < 0 || id.layer >= n_layers_) return std::nullopt;
  const std::int32_t place = places_[static_cast<std::size_t>(id.role) * static_cast<std::size_t>(n_layers_) +
                                     static_cast<std::size_t>(id.layer)];
  return place < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(place));
}

}  // namespace stagebench
