#pragma once

#include <cstddef>

namespace stagebench::tokenization {

/// Longer pieces are refused: no vocabulary has them, and a crafted one could make loading quadratic.
inline constexpr std::size_t max_piece_bytes = 4096;

/// Longer texts are refused: positions within one are 32 bits wide.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 31U;

}  // namespace stagebench::tokenization
