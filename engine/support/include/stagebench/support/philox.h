#pragma once

/// Philox 4x32 with 10 rounds: a random number generator without state. Four 32-bit words are a function of a counter
/// and a key, so that any draw can be made on any thread, backend or machine without those before it.
///
///   const auto words = philox4x32_10({index, 0, 0, 0}, {seed_low, seed_high});
///
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), and its Random123
/// library, whose known answers the tests hold.

#include <array>
#include <cstdint>

namespace stagebench {

constexpr std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                                     std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9U;  // golden ratio
    key[1] += 0xBB67AE85U;  // sqrt(3) - 1
  }
  return counter;
}

}  // namespace stagebench
