#pragma once

/// UTF-8 as Unicode defines it well-formed (Table 3-7: no overlong forms, no surrogates, nothing past U+10FFFF).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagebench::tokenization {

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8Form : std::uint8_t { valid, incomplete, invalid };

struct Utf8Sequence {
  Utf8Form form;
  /// Valid: bytes of the character. Incomplete: all that is left of the text, the start of a longer sequence.
  /// Invalid: the maximal subpart (Unicode 3.9), at least 1.
  std::size_t bytes;
};

/// The sequence at the start of `text`, which is not empty.
Utf8Sequence first_utf8_sequence(std::string_view text) noexcept;

/// Bytes at the start of `text` that are well-formed.
std::size_t valid_utf8_prefix(std::string_view text) noexcept;

/// The code point at the start of well-formed `text`, which is not empty.
char32_t first_code_point(std::string_view text) noexcept;

/// `code_point` <= 0x10FFFF, no surrogate.
void append_utf8(std::string& text, char32_t code_point);

/// What becomes U+FFFD in bytes that are not UTF-8: Rust's from_utf8_lossy, and so the `tokenizers` package, replaces
/// each maximal subpart; sentencepiece each byte.
enum class Utf8Repair : std::uint8_t { each_subpart, each_byte };

/// Appends `bytes` to `text`, repaired. Nothing follows: an incomplete sequence at the end is replaced as well.
void append_repaired_utf8(std::string& text, std::string_view bytes, Utf8Repair repair);

/// Appends to `text` all of `pending` that no later byte can change, and leaves the rest there (3 bytes at most).
void append_complete_utf8(std::string& text, std::string& pending, Utf8Repair repair);

/// Calls take_valid(part) and take_invalid(part) in turn for the stretches of `text` that are well-formed and those
/// that are not; parts are not empty.
template <class TakeValid, class TakeInvalid>
void split_by_validity(std::string_view text, const TakeValid& take_valid, const TakeInvalid& take_invalid) {
  std::size_t valid = valid_utf8_prefix(text);
  while (!text.empty()) {
    if (valid > 0) take_valid(text.substr(0, valid));
    text.remove_prefix(valid);
    std::size_t invalid = 0;
    while (invalid < text.size()) {
      const Utf8Sequence sequence = first_utf8_sequence(text.substr(invalid));
      if (sequence.form == Utf8Form::valid) break;
      invalid += sequence.bytes;
    }
    if (invalid > 0) take_invalid(text.substr(0, invalid));
    text.remove_prefix(invalid);
    for (valid = 0; valid < text.size();) {
      const Utf8Sequence sequence = first_utf8_sequence(text.substr(valid));
      if (sequence.form != Utf8Form::valid) break;
      valid += sequence.bytes;
    }
  }
}

}  // namespace stagebench::tokenization
