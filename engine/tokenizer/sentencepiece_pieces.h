#pragma once

/// How sentencepiece turns pieces into text: U+2581 is a space, byte pieces (<0xE2>) make characters together, control
/// pieces are silent, the unknown piece shows a surface of its own.

#include <optional>
#include <string>
#include <string_view>

#include "detokenizer.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench::tokenization {

inline constexpr std::string_view space_mark = "\xE2\x96\x81";  // U+2581

/// The byte of "<0xE2>"; nothing for another piece.
std::optional<unsigned char> byte_of_piece(std::string_view piece) noexcept;

/// `text` with another text for each `from`, which is not empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// Adds the next id. Control pieces are special and show their names where special tokens are kept; the library never
/// shows them. A byte piece that is not written as one counts as text.
void add_sentencepiece_piece(Detokenizer& detokenizer, std::string_view piece, PieceType type,
                             std::string_view unknown_surface);

}  // namespace stagebench::tokenization
