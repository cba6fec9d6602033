#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagebench::test {

/// Builds GGUF files, good and bad ones, value by value.
///
///   GgufWriter gguf;
///   gguf.string("general.architecture", "llama").u32("llama.block_count", 1);
///   gguf.tensor("output_norm.weight", {8}, 0, bytes_of(values));
///   folder.write("model.gguf", gguf.bytes());
class GgufWriter {
 public:
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;

  // Setting a key again replaces it.
  GgufWriter& u32(std::string_view key, std::uint32_t value) { return pair(key, 4, bytes_of(value)); }
  GgufWriter& i32(std::string_view key, std::int32_t value) { return pair(key, 5, bytes_of(value)); }
  GgufWriter& f32(std::string_view key, float value) { return pair(key, 6, bytes_of(value)); }
  GgufWriter& boolean(std::string_view key, bool value) { return pair(key, 7, std::string(1, value ? '\1' : '\0')); }
  GgufWriter& string(std::string_view key, std::string_view value) { return pair(key, 8, sized(value)); }
  GgufWriter& u64(std::string_view key, std::uint64_t value) { return pair(key, 10, bytes_of(value)); }
  GgufWriter& f32s(std::string_view key, const std::vector<float>& values) { return numbers(key, 6, values); }
  GgufWriter& i32s(std::string_view key, const std::vector<std::int32_t>& values) { return numbers(key, 5, values); }
  GgufWriter& strings(std::string_view key, const std::vector<std::string>& values) {
    std::string payload = bytes_of(std::uint32_t{8}) + bytes_of(std::uint64_t{values.size()});
    for (const std::string& value : values) payload += sized(value);
    return pair(key, 9, payload);
  }
  /// A value of any type number, its bytes as given.
  GgufWriter& pair(std::string_view key, std::uint32_t type, const std::string& payload) {
    remove(key);
    return pair_again(key, type, payload);
  }
  GgufWriter& pair_again(std::string_view key, std::uint32_t type, const std::string& payload) {
    pairs_.push_back({std::string(key), bytes_of(type) + payload});
    return *this;
  }
  GgufWriter& remove(std::string_view key) {
    std::erase_if(pairs_, [&](const Pair& pair) { return pair.key == key; });
    return *this;
  }

  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dimensions;  ///< the fastest first
    std::uint32_t type = 0;                 ///< ggml's number
    std::string data;
    std::int64_t offset = -1;  ///< as it is written; negative: behind the tensor before, aligned
  };
  std::vector<Tensor> tensors;

  GgufWriter& tensor(std::string_view name, std::vector<std::uint64_t> dimensions, std::uint32_t type,
                     std::string data) {
    tensors.push_back({std::string(name), std::move(dimensions), type, std::move(data), -1});
    return *this;
  }
  Tensor& tensor_named(std::string_view name) {
    for (Tensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    throw std::runtime_error("no tensor of that name");
  }
  void remove_tensor(std::string_view name) {
    std::erase_if(tensors, [&](const Tensor& tensor) { return tensor.name == name; });
  }

  std::string bytes() const {
    std::string file =
        magic + bytes_of(version) + bytes_of(std::uint64_t{tensors.size()}) + bytes_of(std::uint64_t{pairs_.size()});
    for (const Pair& pair : pairs_) file += sized(pair.key) + pair.value;
    std::string data;
    for (const Tensor& tensor : tensors) {
      pad(data);
      file += sized(tensor.name) + bytes_of(static_cast<std::uint32_t>(tensor.dimensions.size()));
      for (const std::uint64_t extent : tensor.dimensions) file += bytes_of(extent);
      const auto offset = tensor.offset < 0 ? data.size() : static_cast<std::uint64_t>(tensor.offset);
      file += bytes_of(tensor.type) + bytes_of(std::uint64_t{offset});
      data += tensor.data;
    }
    pad(file);
    return file + data;
  }

  template <typename T>
  static std::string bytes_of(const T& value) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }
  template <typename T>
  static std::string bytes_of(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  /// A length and the bytes.
  static std::string sized(std::string_view text) { return bytes_of(std::uint64_t{text.size()}) + std::string(text); }

 private:
  struct Pair {
    std::string key;
    std::string value;  // type and payload
  };

  template <typename T>
  GgufWriter& numbers(std::string_view key, std::uint32_t type, const std::vector<T>& values) {
    return pair(key, 9, bytes_of(type) + bytes_of(std::uint64_t{values.size()}) + bytes_of(values));
  }
  void pad(std::string& text) const { text.resize((text.size() + alignment - 1) / alignment * alignment, '\0'); }

  std::vector<Pair> pairs_;
};

}  // namespace stagebench::test
