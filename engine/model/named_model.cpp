#include "named_model.h"

#include <utility>

namespace stagebench {
namespace {

class NamedModel final : public Model {
 public:
  NamedModel(std::shared_ptr<const Model> inner, std::string name)
      : inner_(std::move(inner)), config_(inner_->config()) {
    config_.name = std::move(name);
  }

  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return inner_->source(); }
  std::span<const TensorInfo> tensors() const noexcept override { return inner_->tensors(); }
  const TensorInfo* find(TensorId id) const noexcept override { return inner_->find(id); }
  void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                 void* destination) const override {
    inner_->read_rows(tensor, first_row, n_rows, target, destination);
  }
  std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept override { return inner_->mapped(tensor); }
  const Vocabulary* vocabulary() const noexcept override { return inner_->vocabulary(); }

 private:
  std::shared_ptr<const Model> inner_;
  ModelConfig config_;
};

}  // namespace

std::shared_ptr<const Model> with_name(std::shared_ptr<const Model> model, std::string name) {
  return std::make_shared<NamedModel>(std::move(model), std::move(name));
}

}  // namespace stagebench
