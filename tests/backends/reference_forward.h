#pragma once

/// The forward pass as the papers write it, in double precision and plain loops, without a KV cache: what the backend
/// is held to. Weights are rounded to `dtype` first.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "stagebench/contracts/model.h"
#include "stagebench/contracts/token.h"
#include "stagebench/support/half.h"

namespace stagebench::test {

using Row = std::vector<double>;

class ReferenceForward {
 public:
  ReferenceForward(const Model& model, DType dtype) : model_(model), config_(model.config()), dtype_(dtype) {}

  /// Logits of the last of `ids`.
  Row logits(std::span<const TokenId> ids) const {
    using enum TensorRole;
    std::vector<Row> hidden;
    for (std::size_t p = 0; p < ids.size(); ++p) {
      hidden.push_back(row({token_embedding, 0}, ids[p]));
      if (gpt2()) add(hidden.back(), row({position_embedding, 0}, static_cast<std::int64_t>(p)));
    }
    for (std::int64_t i = 0; i < config_.n_layers; ++i) {
      std::vector<Row> normed;
      for (const Row& h : hidden) normed.push_back(norm(h, {attention_norm, i}, {attention_norm_bias, i}));
      const std::vector<Row> mixed = attention(normed, i);
      for (std::size_t p = 0; p < ids.size(); ++p) {
        add(hidden[p], product({TensorRole::attention_output, i}, {attention_output_bias, i}, mixed[p]));
        add(hidden[p], feed_forward(norm(hidden[p], {ffn_norm, i}, {ffn_norm_bias, i}), i));
      }
    }
    const TensorId head{config_.tied_embeddings ? token_embedding : output, 0};
    return product(head, {}, norm(hidden.back(), {output_norm, 0}, {output_norm_bias, 0}), false);
  }

 private:
  bool gpt2() const { return config_.architecture == Architecture::gpt2; }

  static void add(Row& to, const Row& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }

  Row row(TensorId id, std::int64_t index) const {
    const TensorInfo& tensor = *model_.find(id);
    const auto size = static_cast<std::size_t>(tensor.columns);
    if (dtype_ == DType::f32) {
      std::vector<float> values(size);
      model_.read_rows(tensor, index, 1, dtype_, values.data());
      return {values.begin(), values.end()};
    }
    std::vector<std::uint16_t> bits(size);
    model_.read_rows(tensor, index, 1, dtype_, bits.data());
    Row values;
    for (const std::uint16_t b : bits) values.push_back(double{dtype_ == DType::f16 ? f16_to_f32(b) : bf16_to_f32(b)});
    return values;
  }

  Row product(TensorId weight, TensorId bias, const Row& x, bool may_have_bias = true) const {
    Row y;
    for (std::int64_t r = 0; r < model_.find(weight)->rows; ++r) {
      const Row w = row(weight, r);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += w[i] * x[i];
      y.push_back(sum);
    }
    if (may_have_bias && model_.find(bias) != nullptr) add(y, row(bias, 0));
    return y;
  }

  Row norm(const Row& x, TensorId weight, TensorId bias) const {
    const auto size = static_cast<double>(x.size());
    double mean = 0;
    if (gpt2()) {
      for (const double v : x) mean += v / size;
    }
    double variance = 0;
    for (const double v : x) variance += (v - mean) * (v - mean) / size;
    const Row w = row(weight, 0);
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = (x[i] - mean) / std::sqrt(variance + config_.norm_epsilon) * w[i];
    }
    if (gpt2()) add(y, row(bias, 0));
    return y;
  }

  /// RoPE of one head that begins at `first`.
  void turn(Row& x, std::size_t first, std::size_t position) const {
    if (gpt2()) return;
    const auto half = static_cast<std::size_t>(config_.head_dim / 2);
    for (std::size_t i = 0; i < half; ++i) {
      double frequency =
          1.0 / std::pow(config_.rope_theta, 2.0 * static_cast<double>(i) / static_cast<double>(config_.head_dim));
      if (!config_.rope_frequency_divisors.empty()) frequency /= double{config_.rope_frequency_divisors[i]};
      const double angle = static_cast<double>(position) * frequency;
      const double a = x[first + i];
      const double b = x[first + half + i];
      x[first + i] = a * std::cos(angle) - b * std::sin(angle);
      x[first + half + i] = b * std::cos(angle) + a * std::sin(angle);
    }
  }

  std::vector<Row> projected(const std::vector<Row>& normed, TensorId weight, TensorId bias, bool turned) const {
    std::vector<Row> rows;
    for (std::size_t p = 0; p < normed.size(); ++p) {
      rows.push_back(product(weight, bias, normed[p]));
      if (!turned) continue;
      const auto head_dim = static_cast<std::size_t>(config_.head_dim);
      for (std::size_t first = 0; first < rows[p].size(); first += head_dim) turn(rows[p], first, p);
    }
    return rows;
  }

  std::vector<Row> attention(const std::vector<Row>& normed, std::int64_t layer) const {
    using enum TensorRole;
    const auto q = projected(normed, {attention_q, layer}, {attention_q_bias, layer}, true);
    const auto k = projected(normed, {attention_k, layer}, {attention_k_bias, layer}, true);
    const auto v = projected(normed, {attention_v, layer}, {attention_v_bias, layer}, false);
    const auto head_dim = static_cast<std::size_t>(config_.head_dim);
    std::vector<Row> mixed(normed.size(), Row(q.front().size()));
    for (std::size_t p = 0; p < normed.size(); ++p) {
      for (std::size_t head = 0; head < static_cast<std::size_t>(config_.n_heads); ++head) {
        const std::size_t kv_head = head / static_cast<std::size_t>(config_.n_heads / config_.n_kv_heads);
        Row weights(p + 1);
        for (std::size_t j = 0; j <= p; ++j) {
          for (std::size_t i = 0; i < head_dim; ++i) {
            weights[j] +=
                q[p][head * head_dim + i] * k[j][kv_head * head_dim + i] / std::sqrt(static_cast<double>(head_dim));
          }
        }
        const double largest = *std::max_element(weights.begin(), weights.end());
        double sum = 0;
        for (double& w : weights) sum += w = std::exp(w - largest);
        for (std::size_t j = 0; j <= p; ++j) {
          for (std::size_t i = 0; i < head_dim; ++i) {
            mixed[p][head * head_dim + i] += weights[j] / sum * v[j][kv_head * head_dim + i];
          }
        }
      }
    }
    return mixed;
  }

  Row feed_forward(const Row& x, std::int64_t layer) const {
    using enum TensorRole;
    Row up = product({ffn_up, layer}, {ffn_up_bias, layer}, x);
    if (gpt2()) {
      for (double& u : up) {
        u = 0.5 * u * (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979323846) * (u + 0.044715 * u * u * u)));
      }
    } else {
      const Row gate = product({ffn_gate, layer}, {}, x, false);
      for (std::size_t i = 0; i < up.size(); ++i) up[i] *= gate[i] / (1.0 + std::exp(-gate[i]));
    }
    return product({ffn_down, layer}, {ffn_down_bias, layer}, up);
  }

  const Model& model_;
  const ModelConfig& config_;
  DType dtype_;
};

}  // namespace stagebench::test
