#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stagebench {

/// Writes a file beside its final name and renames it in commit(), so that a reader sees all of it or nothing. Without
/// a commit (an exception, a full disk) the final name is untouched and the partial file is removed.
class AtomicFile {
 public:
  /// Throws ResourceError where the folder does not exist or is not writable.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws ResourceError where the disk is full.
  void write(std::string_view text);
  /// Flushes to disk and renames. Throws ResourceError.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view what, int error_number);

  std::filesystem::path path_;
  std::string temporary_path_;
  int descriptor_ = -1;
};

}  // namespace stagebench
