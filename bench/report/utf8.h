#pragma once

#include <string>
#include <string_view>

namespace stagebench {

/// `text` with every byte that is not UTF-8, and NUL, replaced by U+FFFD: paths and names may hold anything, files of
/// results may not.
std::string valid_utf8(std::string_view text);

}  // namespace stagebench
