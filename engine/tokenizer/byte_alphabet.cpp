#include "byte_alphabet.h"

#include <cstdint>

#include "utf8.h"

namespace stagebench::tokenization {
namespace {

constexpr std::size_t alphabet_end = 256 + 68;  // the last of the 68 bytes that are not printable is U+0143

constexpr std::array<char32_t, 256> make_alphabet() noexcept {
  std::array<char32_t, 256> characters{};
  char32_t next = 256;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    characters[byte] = printable ? static_cast<char32_t>(byte) : next++;
  }
  return characters;
}

constexpr auto alphabet = make_alphabet();

constexpr std::array<std::int16_t, alphabet_end> make_inverse() noexcept {
  std::array<std::int16_t, alphabet_end> bytes{};
  for (auto& byte : bytes) byte = -1;
  for (std::size_t byte = 0; byte < 256; ++byte) bytes[alphabet[byte]] = static_cast<std::int16_t>(byte);
  return bytes;
}

constexpr auto inverse = make_inverse();

}  // namespace

const std::array<char32_t, 256>& byte_alphabet() noexcept {
  return alphabet;
}

std::optional<std::string> bytes_of_piece(std::string_view piece) {
  std::string bytes;
  bytes.reserve(piece.size());
  while (!piece.empty()) {
    const Utf8Sequence sequence = first_utf8_sequence(piece);
    if (sequence.form != Utf8Form::valid) return std::nullopt;
    const char32_t character = first_code_point(piece);
    if (character >= alphabet_end || inverse[character] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(inverse[character]));
    piece.remove_prefix(sequence.bytes);
  }
  return bytes;
}

}  // namespace stagebench::tokenization
