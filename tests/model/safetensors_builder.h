#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stagebench::test {

/// One tensor of a file that a test makes.
struct StoredTensor {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;
  std::string data;
};

/// A header's length, a header and data, put together without any check.
std::string safetensors_bytes(const std::string& header, const std::string& data);

/// A valid file of these tensors in their order.
std::string safetensors_bytes(const std::vector<StoredTensor>& tensors);

/// The tensors of a valid file, in the order of their data.
std::vector<StoredTensor> load_safetensors(const std::filesystem::path& file);

}  // namespace stagebench::test
