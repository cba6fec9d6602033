#pragma once

#include <string>
#include <string_view>

namespace stagebench::tokenization {

/// The PCRE2 form of a pattern that a tokenizer.json gives for Oniguruma, which is what the `tokenizers` package
/// matches with. The two agree on what such patterns use except for white space: PCRE2's \s has U+180E in it,
/// Oniguruma's has not. Anything whose meaning could differ (\h, \w, nested classes, ^, back references, callouts ...)
/// is refused. Throws InputError with `where` and the construct.
std::string pcre2_pattern(std::string_view oniguruma, const std::string& where);

}  // namespace stagebench::tokenization
