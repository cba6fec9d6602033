#pragma once

/// A model whose weights come from a function of (tensor, row, column), held as a file would hold them.

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stagebench/contracts/model.h"
#include "stagebench/support/half.h"

namespace stagebench::test {

enum class Mapping { offered, withheld };  ///< whether mapped() gives the stored bytes

class TestModel final : public Model {
 public:
  using Values = std::function<float(std::int64_t row, std::int64_t column)>;

  explicit TestModel(Mapping mapping = Mapping::offered) : mapping_(mapping) {}

  /// `skew_bytes` moves the stored bytes off their alignment, as a damaged or careless file does.
  const TensorInfo& add(std::string name, std::int64_t rows, std::int64_t columns, DType stored, const Values& values,
                        std::size_t skew_bytes = 0) {
    TensorInfo info;
    info.source_name = std::move(name);
    info.dtype = stored;
    info.rows = rows;
    info.columns = columns;
    info.stored_bytes = static_cast<std::uint64_t>(rows * row_bytes(stored, columns));
    tensors_.push_back(info);
    std::vector<std::byte> bytes(info.stored_bytes + skew_bytes);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto offset = row * row_bytes(stored, columns) + column * row_bytes(stored, 1);
        write(values(row, column), stored, bytes.data() + skew_bytes + offset);
      }
    }
    stored_.emplace(&tensors_.back(), Stored{std::move(bytes), skew_bytes});
    return tensors_.back();
  }

  /// The value as it is stored, after rounding.
  float value(const TensorInfo& tensor, std::int64_t row, std::int64_t column) const {
    const std::byte* at =
        begin_of(tensor) + row * row_bytes(tensor.dtype, tensor.columns) + column * row_bytes(tensor.dtype, 1);
    if (tensor.dtype == DType::f32) {
      float result = 0;
      std::memcpy(&result, at, sizeof(result));
      return result;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof(bits));
    return tensor.dtype == DType::f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
  }

  const std::byte* begin_of(const TensorInfo& tensor) const {
    const Stored& stored = stored_.at(&tensor);
    return stored.bytes.data() + stored.skew_bytes;
  }

  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return "test model"; }
  std::span<const TensorInfo> tensors() const noexcept override { return {}; }
  const TensorInfo* find(TensorId) const noexcept override { return nullptr; }
  const Vocabulary* vocabulary() const noexcept override { return nullptr; }

  void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                 void* destination) const override {
    auto* to = static_cast<std::byte*>(destination);
    for (std::int64_t row = first_row; row < first_row + n_rows; ++row) {
      for (std::int64_t column = 0; column < tensor.columns; ++column) {
        write(value(tensor, row, column), target, to);
        to += row_bytes(target, 1);
      }
    }
  }

  std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept override {
    if (mapping_ == Mapping::withheld) return {};
    return {begin_of(tensor), static_cast<std::size_t>(tensor.stored_bytes)};
  }

 private:
  struct Stored {
    std::vector<std::byte> bytes;
    std::size_t skew_bytes = 0;
  };

  static void write(float value, DType dtype, std::byte* to) {
    if (dtype == DType::f32) {
      std::memcpy(to, &value, sizeof(value));
      return;
    }
    const std::uint16_t bits = dtype == DType::f16 ? f32_to_f16(value) : f32_to_bf16(value);
    std::memcpy(to, &bits, sizeof(bits));
  }

  Mapping mapping_;
  ModelConfig config_;
  std::deque<TensorInfo> tensors_;  // addresses stay
  std::map<const TensorInfo*, Stored> stored_;
};

}  // namespace stagebench::test
