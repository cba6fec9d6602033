#include "cpu/weights.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "cpu/checked_size.h"
#include "stagebench/contracts/error.h"

namespace stagebench::cpu {
namespace {

const TensorInfo& required(const Model& model, TensorId id) {
  const TensorInfo* tensor = model.find(id);
  if (tensor == nullptr) {
    throw InputError(std::string(model.source()) + ": expected a tensor of role " +
                     std::to_string(static_cast<int>(id.role)) + " in layer " + std::to_string(id.layer) +
                     ", found none");
  }
  return *tensor;
}

LinearSource source(const Model& model, TensorRole weight, TensorRole bias, std::int64_t layer) {
  return {.weight = &required(model, {weight, layer}), .bias = model.find({bias, layer})};
}

/// Which matrices one Linear stacks. The one place that knows; loading and planning both walk it.
struct LayerSources {
  std::array<LinearSource, 3> qkv;
  std::array<LinearSource, 1> attention_output;
  std::vector<LinearSource> ffn_in;
  std::array<LinearSource, 1> ffn_down;
};

LayerSources layer_sources(const Model& model, std::int64_t layer) {
  using enum TensorRole;
  LayerSources sources{
      .qkv = {source(model, attention_q, attention_q_bias, layer), source(model, attention_k, attention_k_bias, layer),
              source(model, attention_v, attention_v_bias, layer)},
      .attention_output = {source(model, TensorRole::attention_output, attention_output_bias, layer)},
      .ffn_in = {},
      .ffn_down = {source(model, TensorRole::ffn_down, ffn_down_bias, layer)},
  };
  if (model.config().architecture == Architecture::llama) {
    sources.ffn_in.push_back({.weight = &required(model, {ffn_gate, layer}), .bias = nullptr});
  }
  sources.ffn_in.push_back(source(model, ffn_up, ffn_up_bias, layer));
  return sources;
}

LinearSource output_source(const Model& model) {
  const auto role = model.config().tied_embeddings ? TensorRole::token_embedding : TensorRole::output;
  return {.weight = &required(model, {role, 0}), .bias = nullptr};
}

std::vector<float> load_vector(const Model& model, const TensorInfo& tensor, DType dtype,
                               std::vector<TensorPlacement>& placements) {
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t size = tensor.rows * tensor.columns;
  std::vector<float> values(static_cast<std::size_t>(size));
  std::vector<std::byte> rounded(static_cast<std::size_t>(row_bytes(dtype, size)));
  model.read_rows(tensor, 0, tensor.rows, dtype, rounded.data());
  widen_row(dtype, rounded.data(), size, values.data());
  placements.push_back({.tensor = &tensor,
                        .dtype = DType::f32,
                        .placement = Placement::converted,
                        .bytes = static_cast<std::uint64_t>(size) * sizeof(float),
                        .duration = std::chrono::steady_clock::now() - begin});
  return values;
}

NormWeights load_norm(const Model& model, TensorRole weight, TensorRole bias, std::int64_t layer, DType dtype,
                      std::vector<TensorPlacement>& placements) {
  NormWeights norm;
  norm.weight = load_vector(model, required(model, {weight, layer}), dtype, placements);
  if (model.config().architecture == Architecture::gpt2) {
    norm.bias = load_vector(model, required(model, {bias, layer}), dtype, placements);
  }
  return norm;
}

/// Rows are read when they are needed; nothing is in memory of ours.
Embedding load_embedding(const Model& model, TensorRole role, DType dtype, std::vector<TensorPlacement>& placements) {
  const TensorInfo& tensor = required(model, {role, 0});
  placements.push_back(
      {.tensor = &tensor, .dtype = tensor.dtype, .placement = Placement::mapped, .bytes = 0, .duration = {}});
  return {model, tensor, dtype};
}

std::uint64_t linear_bytes_of(std::span<const LinearSource> sources, DType dtype) {
  std::int64_t rows = 0;
  for (const LinearSource& source : sources) rows += source.weight->rows;
  return linear_bytes(rows, sources.front().weight->columns, dtype);
}

}  // namespace

Weights load_weights(std::shared_ptr<const Model> model, DType dtype, ThreadTeam& team) {
  using enum TensorRole;
  Weights weights;
  weights.model = std::move(model);
  weights.dtype = dtype;
  const Model& m = *weights.model;
  auto& placements = weights.placements;
  const auto linear = [&](std::span<const LinearSource> sources) {
    return load_linear(m, sources, dtype, team, placements);
  };
  for (std::int64_t i = 0; i < m.config().n_layers; ++i) {
    const LayerSources sources = layer_sources(m, i);
    LayerWeights& layer = weights.layers.emplace_back();
    layer.attention_norm = load_norm(m, attention_norm, attention_norm_bias, i, dtype, placements);
    layer.qkv = linear(sources.qkv);
    layer.attention_output = linear(sources.attention_output);
    layer.ffn_norm = load_norm(m, ffn_norm, ffn_norm_bias, i, dtype, placements);
    layer.ffn_in = linear(sources.ffn_in);
    layer.ffn_down = linear(sources.ffn_down);
  }
  weights.output_norm = load_norm(m, output_norm, output_norm_bias, 0, dtype, placements);
  const LinearSource head = output_source(m);
  weights.output = linear({&head, 1});
  if (m.config().tied_embeddings) {
    weights.token_embedding.emplace(m, *head.weight, dtype);
  } else {
    weights.token_embedding = load_embedding(m, token_embedding, dtype, placements);
  }
  if (m.config().architecture == Architecture::gpt2) {
    weights.position_embedding = load_embedding(m, position_embedding, dtype, placements);
  }
  return weights;
}

std::uint64_t weight_bytes(const Model& model, DType dtype) {
  const LinearSource head = output_source(model);
  std::uint64_t bytes = linear_bytes_of({&head, 1}, dtype);
  for (std::int64_t i = 0; i < model.config().n_layers; ++i) {
    const LayerSources sources = layer_sources(model, i);
    bytes =
        saturating_sum({bytes, linear_bytes_of(sources.qkv, dtype), linear_bytes_of(sources.attention_output, dtype),
                        linear_bytes_of(sources.ffn_in, dtype), linear_bytes_of(sources.ffn_down, dtype)});
  }
  const auto norms = static_cast<std::uint64_t>(2 * model.config().n_layers + 1);
  const std::uint64_t vectors = model.config().architecture == Architecture::gpt2 ? 2 : 1;  // weight and bias
  const auto width = static_cast<std::uint64_t>(model.config().hidden_size);
  return saturating_sum({bytes, saturating_product({norms, vectors, width, sizeof(float)})});
}

}  // namespace stagebench::cpu
