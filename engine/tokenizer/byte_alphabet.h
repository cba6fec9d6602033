#pragma once

/// The alphabet in which byte-level vocabularies are written: each of the 256 bytes as one printable character (GPT-2's
/// bytes_to_unicode). The 188 printable bytes of Latin-1 stand for themselves, the others, in order, for U+0100 on.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace stagebench::tokenization {

/// The character that stands for each byte.
const std::array<char32_t, 256>& byte_alphabet() noexcept;

/// The bytes that `piece` stands for; nothing where it is not well-formed UTF-8 of the alphabet only.
std::optional<std::string> bytes_of_piece(std::string_view piece);

}  // namespace stagebench::tokenization
