#include "stagebench/model/cost_model.h"

#include <algorithm>
#include <cmath>

#include "config_tensors.h"

namespace stagebench {
namespace {

double bytes_of(double elements, DType type) {
  return elements * static_cast<double>(traits(type).block_bytes) / static_cast<double>(traits(type).block_elements);
}

double vector_bytes(double elements, DType weights) {
  return bytes_of(elements, traits(weights).block_elements == 1 ? weights : DType::f32);
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// What one tensor costs in a pass of `tokens` tokens in each of `batch` sequences.
Cost tensor_cost(const TensorShape& shape, bool tied_embeddings, DType weights, std::int64_t batch,
                 std::int64_t tokens) {
  switch (shape.id.role) {
    case TensorRole::token_embedding:
      return tied_embeddings ? linear_cost(batch, shape.rows, shape.columns, weights)
                             : embedding_cost(batch * tokens, shape.rows, shape.columns, weights);
    case TensorRole::position_embedding: return embedding_cost(tokens, shape.rows, shape.columns, weights);
    case TensorRole::output: return linear_cost(batch, shape.rows, shape.columns, weights);
    case TensorRole::attention_q:
    case TensorRole::attention_k:
    case TensorRole::attention_v:
    case TensorRole::attention_output:
    case TensorRole::ffn_gate:
    case TensorRole::ffn_up:
    case TensorRole::ffn_down: return linear_cost(batch * tokens, shape.rows, shape.columns, weights);
    default: return vector_cost(shape.columns, weights);
  }
}

Cost pass_cost(const ModelConfig& config, DType weights, DType kv, std::int64_t batch, std::int64_t tokens,
               std::int64_t depth) {
  Cost cost;
  for (const TensorShape& shape : tensor_shapes(config)) {
    cost += tensor_cost(shape, config.tied_embeddings, weights, batch, tokens);
  }
  for (std::int64_t layer = 0; layer < config.n_layers; ++layer) {
    cost += attention_cost(config, kv, batch, tokens, depth);
  }
  return cost;
}

}  // namespace

std::int64_t parameter_count(const ModelConfig& config) {
  std::int64_t count = 0;
  for (const TensorShape& shape : tensor_shapes(config)) count += shape.rows * shape.columns;
  return count;
}

std::uint64_t weight_bytes(const ModelConfig& config, DType weights) {
  double bytes = 0;
  for (const TensorShape& shape : tensor_shapes(config)) {
    const double elements = real(shape.rows) * real(shape.columns);
    bytes += shape.rows == 1 ? vector_bytes(elements, weights) : bytes_of(elements, weights);
  }
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::uint64_t kv_bytes_per_token(const ModelConfig& config, DType kv) {
  const std::int64_t elements = 2 * config.n_layers * config.n_kv_heads * config.head_dim;
  return static_cast<std::uint64_t>(std::llround(bytes_of(real(elements), kv)));
}

Cost linear_cost(std::int64_t tokens, std::int64_t out, std::int64_t in, DType weights) {
  return {2 * real(tokens) * real(out) * real(in), bytes_of(real(out) * real(in), weights), 0};
}

Cost vector_cost(std::int64_t elements, DType weights) {
  return {0, vector_bytes(real(elements), weights), 0};
}

Cost embedding_cost(std::int64_t tokens, std::int64_t table_rows, std::int64_t columns, DType weights) {
  return {0, bytes_of(real(std::min(tokens, table_rows)) * real(columns), weights), 0};
}

Cost attention_cost(const ModelConfig& config, DType kv, std::int64_t batch, std::int64_t tokens, std::int64_t depth) {
  const double pairs = real(tokens) * real(depth) + real(tokens) * (real(tokens) + 1) / 2;
  const double kv_values = 2 * real(config.n_kv_heads) * real(config.head_dim);
  return {4 * real(config.n_heads) * real(config.head_dim) * real(batch) * pairs, 0,
          bytes_of(kv_values * real(batch) * real(depth + tokens), kv)};
}

Cost prefill_cost(const ModelConfig& config, DType weights, DType kv, std::int64_t batch, std::int64_t prompt_tokens,
                  std::int64_t depth) {
  return pass_cost(config, weights, kv, batch, prompt_tokens, depth);
}

Cost decode_step_cost(const ModelConfig& config, DType weights, DType kv, std::int64_t batch, std::int64_t depth) {
  return pass_cost(config, weights, kv, batch, 1, depth);
}

}  // namespace stagebench
