#pragma once

#include <string>
#include <string_view>

namespace stagebench::tokenization {

/// True where `text` has no character that normalisation form C could change: none at or past U+0300.
bool is_surely_nfc(std::string_view text) noexcept;

/// Well-formed UTF-8 `text` in normalisation form C (Unicode Annex 15), in time linear but for the sorting of runs of
/// combining marks.
std::string to_nfc(std::string_view text);

}  // namespace stagebench::tokenization
