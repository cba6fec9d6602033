#pragma once

#include <cstddef>
#include <cstdint>

namespace stagebench::cpu {

/// The sum, modulo 2^32, of the 32-bit words of whole cache lines: reads memory as fast as one thread can. `words` is
/// aligned to 64 bytes, `count` a multiple of 64.
std::uint32_t sum_words(const std::uint32_t* words, std::size_t count);

}  // namespace stagebench::cpu
