#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "safetensors.h"
#include "stagebench/support/mapped_file.h"

namespace stagebench {

/// The tensors of a Hugging Face folder: model.safetensors, or the shards that model.safetensors.index.json names.
/// The files stay mapped while it lives.
class SafetensorsFolder {
 public:
  struct Tensor {
    SafetensorsEntry entry;
    std::string file;                 ///< path, for messages
    std::span<const std::byte> data;  ///< entry.bytes of it
  };

  /// Throws InputError where neither file is there, a shard is missing or lies elsewhere, or index and shards disagree.
  explicit SafetensorsFolder(const std::filesystem::path& folder);

  const std::map<std::string, Tensor, std::less<>>& tensors() const noexcept { return tensors_; }
  /// The file that says what there is, for messages: model.safetensors or the index.
  const std::string& listing() const noexcept { return listing_; }

 private:
  void add_file(const std::filesystem::path& path);
  void add_shards(const std::filesystem::path& folder, const std::filesystem::path& index);

  std::string listing_;
  std::vector<MappedFile> files_;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace stagebench
