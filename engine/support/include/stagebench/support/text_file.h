#pragma once

#include <filesystem>
#include <string>

namespace stagebench {

/// The bytes of a file. Throws InputError where it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace stagebench
