#include "gguf_model.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "config_tensors.h"
#include "gguf_config.h"
#include "gguf_file.h"
#include "gguf_tensors.h"
#include "gguf_vocabulary.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/row_conversion.h"
#include "stagebench/support/mapped_file.h"

namespace stagebench {
namespace {

class GgufModel final : public Model {
 public:
  GgufModel(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string source, std::string name)
      : owner_(std::move(owner)), source_(std::move(source)) {
    const GgufFile file = parse_gguf(bytes, source_);
    config_ = read_gguf_config(file);
    config_.name = std::move(name);
    table_ = place_gguf_tensors(file, config_);
    vocabulary_ = read_gguf_vocabulary(file);
    const auto vocab_size = static_cast<std::size_t>(config_.vocab_size);
    if (vocabulary_ && vocabulary_->pieces.size() != vocab_size) {
      throw InputError(fmt::format("{}: the vocabulary has {} tokens, but tensor 'token_embd.weight' has {} rows",
                                   source_, vocabulary_->pieces.size(), vocab_size));
    }
    index_ = TensorIndex(table_.tensors, config_.n_layers);
  }

  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return source_; }
  std::span<const TensorInfo> tensors() const noexcept override { return table_.tensors; }

  const TensorInfo* find(TensorId id) const noexcept override {
    const auto place = index_.find(id);
    return place ? &table_.tensors[*place] : nullptr;
  }

  void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                 void* destination) const override {
    if (first_row < 0 || n_rows < 0 || first_row > tensor.rows - n_rows) {
      throw UsageError(fmt::format("{}: tensor '{}' has {} rows, asked for {} from row {}", source_, tensor.source_name,
                                   tensor.rows, n_rows, first_row));
    }
    const GgufStorage& storage = table_.storage[index_.find(tensor.id).value()];
    const std::int64_t stride = row_bytes(tensor.dtype, tensor.columns);
    if (storage.order != GgufOrder::interleaved_heads) {
      convert_row(tensor.dtype, storage.data + first_row * stride, n_rows * tensor.columns, target, destination);
    } else if (tensor.rows == 1) {
      if (n_rows == 1) read_interleaved_bias(tensor, storage.data, target, static_cast<std::byte*>(destination));
    } else {
      auto* to = static_cast<std::byte*>(destination);
      for (std::int64_t row = first_row; row < first_row + n_rows; ++row) {
        convert_row(tensor.dtype, storage.data + interleaved(row) * stride, tensor.columns, target, to);
        to += row_bytes(target, tensor.columns);
      }
    }
  }

  std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept override {
    const auto place = index_.find(tensor.id);
    if (!place || table_.storage[*place].order != GgufOrder::in_order) return {};
    const GgufStorage& storage = table_.storage[*place];
    return {storage.data, static_cast<std::size_t>(tensor.stored_bytes)};
  }

  const Vocabulary* vocabulary() const noexcept override { return vocabulary_ ? &*vocabulary_ : nullptr; }

 private:
  /// Where the file has the value that is at `place` in rotate-half order.
  std::int64_t interleaved(std::int64_t place) const noexcept {
    const std::int64_t head = place / config_.head_dim;
    const std::int64_t within = place % config_.head_dim;
    const std::int64_t half = config_.head_dim / 2;
    return head * config_.head_dim + 2 * (within % half) + within / half;
  }

  void read_interleaved_bias(const TensorInfo& tensor, const std::byte* data, DType target, std::byte* to) const {
    const std::int64_t value_bytes = row_bytes(target, 1);
    std::vector<std::byte> as_stored(static_cast<std::size_t>(row_bytes(target, tensor.columns)));
    convert_row(tensor.dtype, data, tensor.columns, target, as_stored.data());
    for (std::int64_t i = 0; i < tensor.columns; ++i) {
      std::memcpy(to + i * value_bytes, as_stored.data() + interleaved(i) * value_bytes,
                  static_cast<std::size_t>(value_bytes));
    }
  }

  std::shared_ptr<const void> owner_;
  std::string source_;
  ModelConfig config_;
  GgufTensorTable table_;
  TensorIndex index_;
  std::optional<Vocabulary> vocabulary_;
};

}  // namespace

std::shared_ptr<const Model> open_gguf(const std::filesystem::path& path) {
  auto file = std::make_shared<const MappedFile>(path);
  return make_gguf_model(file->bytes(), file, path.string(), path.stem().string());
}

std::shared_ptr<const Model> make_gguf_model(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                             std::string source, std::string name) {
  return std::make_shared<const GgufModel>(bytes, std::move(owner), std::move(source), std::move(name));
}

}  // namespace stagebench
