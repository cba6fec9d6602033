#include "stagebench/model/synthetic_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "config_check.h"
#include "config_tensors.h"
#include "hugging_face_names.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/row_conversion.h"
#include "synthetic_values.h"

namespace stagebench {
namespace {

enum class ValueKind : std::uint8_t { one, bias, table, matrix };

ValueKind kind_of(TensorRole role) {
  switch (role) {
    case TensorRole::attention_norm:
    case TensorRole::ffn_norm:
    case TensorRole::output_norm: return ValueKind::one;
    case TensorRole::token_embedding:
    case TensorRole::position_embedding:
    case TensorRole::output: return ValueKind::table;
    case TensorRole::attention_q:
    case TensorRole::attention_k:
    case TensorRole::attention_v:
    case TensorRole::attention_output:
    case TensorRole::ffn_gate:
    case TensorRole::ffn_up:
    case TensorRole::ffn_down: return ValueKind::matrix;
    default: return ValueKind::bias;
  }
}

double standard_deviation(ValueKind kind, std::int64_t columns) {
  switch (kind) {
    case ValueKind::table: return 3 / std::sqrt(static_cast<double>(columns));
    case ValueKind::matrix: return 1 / std::sqrt(static_cast<double>(columns));
    default: return 0.02;
  }
}

class SyntheticModel final : public Model {
 public:
  SyntheticModel(ModelConfig config, std::uint64_t seed)
      : config_(std::move(config)), seed_(seed), source_(fmt::format("synthetic seed={}", seed)) {
    for (const TensorShape& shape : tensor_shapes(config_)) {
      // Nothing is stored; the names are those that a file of this architecture would have.
      auto stored = hugging_face_name(config_.architecture, shape.id, usual_prefix(config_.architecture));
      tensors_.push_back({shape.id, std::move(stored.name), DType::f32, shape.rows, shape.columns, 0, 0});
    }
    index_ = TensorIndex(tensors_, config_.n_layers);
  }

  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return source_; }
  std::span<const TensorInfo> tensors() const noexcept override { return tensors_; }
  const TensorInfo* find(TensorId id) const noexcept override {
    const auto place = index_.find(id);
    return place ? &tensors_[*place] : nullptr;
  }
  void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                 void* destination) const override;
  std::span<const std::byte> mapped(const TensorInfo&) const noexcept override { return {}; }
  const Vocabulary* vocabulary() const noexcept override { return nullptr; }

 private:
  ModelConfig config_;
  std::uint64_t seed_;
  std::string source_;
  std::vector<TensorInfo> tensors_;
  TensorIndex index_;
};

void SyntheticModel::read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                               void* destination) const {
  constexpr std::size_t chunk_values = 2048;  // stays in the first-level cache between generation and conversion
  std::array<float, chunk_values> chunk;
  const ValueKind kind = kind_of(tensor.id.role);
  const double scale = std::sqrt(3.0) / 65536.0 * standard_deviation(kind, tensor.columns);
  const SyntheticStream stream{seed_, static_cast<std::uint32_t>(tensor.id.role),
                               static_cast<std::uint32_t>(tensor.id.layer), static_cast<float>(scale)};
  auto first = static_cast<std::uint64_t>(first_row * tensor.columns);
  auto left = static_cast<std::size_t>(n_rows * tensor.columns);
  auto* bytes = static_cast<std::byte*>(destination);
  if (kind == ValueKind::one) chunk.fill(1.0F);
  while (left > 0) {
    const std::size_t count = std::min(left, chunk_values);
    if (kind != ValueKind::one) fill_synthetic(stream, first, {chunk.data(), count});
    convert_row(DType::f32, reinterpret_cast<const std::byte*>(chunk.data()), static_cast<std::int64_t>(count), target,
                bytes);
    bytes += row_bytes(target, static_cast<std::int64_t>(count));
    first += count;
    left -= count;
  }
}

}  // namespace

std::shared_ptr<const Model> make_synthetic_model(const ModelConfig& config, std::uint64_t seed) {
  if (const auto problem = config_problem(config)) {
    throw UsageError(fmt::format("synthetic model {}: {}", config.name, *problem));
  }
  return std::make_shared<SyntheticModel>(config, seed);
}

}  // namespace stagebench
