#include "sentencepiece_pieces.h"

#include <charconv>

namespace stagebench::tokenization {

std::optional<unsigned char> byte_of_piece(std::string_view piece) noexcept {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned char byte = 0;
  const char* digits = piece.data() + 3;
  const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
  if (error != std::errc() || end != digits + 2) return std::nullopt;
  return byte;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t found; (found = text.find(from)) != std::string_view::npos;
       text.remove_prefix(found + from.size())) {
    result.append(text.substr(0, found)).append(to);
  }
  return result.append(text);
}

void add_sentencepiece_piece(Detokenizer& detokenizer, std::string_view piece, PieceType type,
                             std::string_view unknown_surface) {
  const auto byte = type == PieceType::byte ? byte_of_piece(piece) : std::nullopt;
  if (byte) {
    const char character = static_cast<char>(*byte);
    detokenizer.add({&character, 1}, Contribution::bytes, false);
  } else if (type == PieceType::unknown) {
    detokenizer.add(unknown_surface, Contribution::text, false);
  } else if (type == PieceType::control) {
    detokenizer.add(piece, Contribution::text, true);
  } else {
    detokenizer.add(replace_all(piece, space_mark, " "), Contribution::text, false, piece.starts_with(space_mark));
  }
}

}  // namespace stagebench::tokenization
