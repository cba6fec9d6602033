#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace stagebench {

/// A whole file, mapped read-only. Pages are read when they are touched. Move-only; the bytes stay where they are when
/// the owner moves. An empty file gives an empty span.
class MappedFile {
 public:
  /// Throws InputError where `path` cannot be opened, is not a regular file or cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stagebench
