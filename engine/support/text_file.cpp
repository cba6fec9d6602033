#include "stagebench/support/text_file.h"

#include "stagebench/support/mapped_file.h"

namespace stagebench {

std::string read_text_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return bytes.empty() ? std::string() : std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace stagebench
