#pragma once

#include <cstdint>

namespace stagebench::sampling {

/// A number in [0, mass), the same on every machine: floor(r * mass / 2^64), where r is the 64-bit number of the first
/// (low half) and second word of Philox 4x32-10 under
///
///   key     = {low 32 bits of seed, high 32 bits of seed}
///   counter = {step, sequence, 0, 0x73616d70}            ("samp": apart from other uses of the same seed)
///
/// Integers throughout: there is no rounding in it. 0 < mass < 2^63.
std::int64_t draw_below(std::int64_t mass, std::uint64_t seed, std::uint32_t sequence, std::uint32_t step) noexcept;

}  // namespace stagebench::sampling
