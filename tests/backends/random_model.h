#pragma once

/// A model of any shape with random weights in f32, every bias there that the shape asks for.

#include <cmath>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "backends/random_values.h"
#include "stagebench/contracts/model.h"
#include "stagebench/support/half.h"

namespace stagebench::test {

enum class Biases { none, all };  ///< of llama's projections; gpt2 always has all

class RandomModel final : public Model {
 public:
  RandomModel(ModelConfig config, Biases biases, unsigned seed) : config_(std::move(config)), seed_(seed) {
    using enum TensorRole;
    const bool gpt2 = config_.architecture == Architecture::gpt2;
    const bool biased = gpt2 || biases == Biases::all;
    const std::int64_t hidden = config_.hidden_size;
    const std::int64_t q_rows = config_.n_heads * config_.head_dim;
    const std::int64_t kv_rows = config_.n_kv_heads * config_.head_dim;
    add_matrix({token_embedding, 0}, config_.vocab_size, hidden, 1.0F);
    if (gpt2) add_matrix({position_embedding, 0}, config_.max_context, hidden, 0.5F);
    for (std::int64_t i = 0; i < config_.n_layers; ++i) {
      add_norm({attention_norm, i}, {attention_norm_bias, i}, gpt2);
      add_projection({attention_q, i}, {attention_q_bias, i}, q_rows, hidden, biased);
      add_projection({attention_k, i}, {attention_k_bias, i}, kv_rows, hidden, biased);
      add_projection({attention_v, i}, {attention_v_bias, i}, kv_rows, hidden, biased);
      add_projection({attention_output, i}, {attention_output_bias, i}, hidden, q_rows, biased);
      add_norm({ffn_norm, i}, {ffn_norm_bias, i}, gpt2);
      if (!gpt2) add_projection({ffn_gate, i}, {}, config_.intermediate_size, hidden, false);
      add_projection({ffn_up, i}, {ffn_up_bias, i}, config_.intermediate_size, hidden, biased);
      add_projection({ffn_down, i}, {ffn_down_bias, i}, hidden, config_.intermediate_size, biased);
    }
    add_norm({output_norm, 0}, {output_norm_bias, 0}, gpt2);
    if (!config_.tied_embeddings) add_projection({output, 0}, {}, config_.vocab_size, hidden, false);
  }

  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return "random model"; }
  std::span<const TensorInfo> tensors() const noexcept override { return infos_; }
  const TensorInfo* find(TensorId id) const noexcept override {
    for (const TensorInfo& info : infos_) {
      if (info.id == id) return &info;
    }
    return nullptr;
  }
  void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                 void* destination) const override {
    const std::vector<float>& values = values_[static_cast<std::size_t>(&tensor - infos_.data())];
    const float* from = values.data() + first_row * tensor.columns;
    const auto count = static_cast<std::size_t>(n_rows * tensor.columns);
    if (target == DType::f32) {
      std::memcpy(destination, from, count * sizeof(float));
      return;
    }
    auto* to = static_cast<std::uint16_t*>(destination);
    for (std::size_t i = 0; i < count; ++i) to[i] = target == DType::f16 ? f32_to_f16(from[i]) : f32_to_bf16(from[i]);
  }
  std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept override {
    return std::as_bytes(std::span(values_[static_cast<std::size_t>(&tensor - infos_.data())]));
  }
  const Vocabulary* vocabulary() const noexcept override { return nullptr; }

 private:
  void add(TensorId id, std::int64_t rows, std::int64_t columns, float deviation, float mean) {
    TensorInfo info;
    info.id = id;
    info.source_name = "tensor " + std::to_string(infos_.size());
    info.dtype = DType::f32;
    info.rows = rows;
    info.columns = columns;
    info.stored_bytes = static_cast<std::uint64_t>(rows * columns) * sizeof(float);
    infos_.push_back(info);
    values_.push_back(random_values(static_cast<std::size_t>(rows * columns), ++seed_, deviation, mean));
  }
  void add_matrix(TensorId id, std::int64_t rows, std::int64_t columns, float deviation) {
    add(id, rows, columns, deviation, 0.0F);
  }
  void add_norm(TensorId weight, TensorId bias, bool with_bias) {
    add(weight, 1, config_.hidden_size, 0.2F, 1.0F);
    if (with_bias) add(bias, 1, config_.hidden_size, 0.2F, 0.0F);
  }
  void add_projection(TensorId weight, TensorId bias, std::int64_t rows, std::int64_t columns, bool with_bias) {
    add(weight, rows, columns, 1.0F / std::sqrt(static_cast<float>(columns)), 0.0F);
    if (with_bias) add(bias, 1, rows, 0.3F, 0.0F);
  }

  ModelConfig config_;
  unsigned seed_;
  std::vector<TensorInfo> infos_;
  std::vector<std::vector<float>> values_;
};

}  // namespace stagebench::test
