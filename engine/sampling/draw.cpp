#include "draw.h"

#include "stagebench/support/philox.h"

namespace stagebench::sampling {
namespace {

constexpr std::uint32_t sampling_domain = 0x73616d70;

/// The high 64 bits of a 32 x 64 bit product of each half, put together as on paper.
constexpr std::uint64_t multiply_high(std::uint32_t low, std::uint32_t high, std::uint64_t factor) noexcept {
  const std::uint64_t factor_low = factor & 0xffffffffU;
  const std::uint64_t factor_high = factor >> 32;
  const std::uint64_t middle = high * factor_low + (low * factor_low >> 32);
  const std::uint64_t carried = low * factor_high + (middle & 0xffffffffU);
  return high * factor_high + (middle >> 32) + (carried >> 32);
}
static_assert(multiply_high(0xffffffff, 0xffffffff, 0xffffffffffffffff) == 0xfffffffffffffffe);
static_assert(multiply_high(0, 0x80000000, 5) == 2);
static_assert(multiply_high(0xffffffff, 0, 0xffffffff00000001) == 0xfffffffe);

}  // namespace

std::int64_t draw_below(std::int64_t mass, std::uint64_t seed, std::uint32_t sequence, std::uint32_t step) noexcept {
  const auto words = philox4x32_10({step, sequence, 0, sampling_domain},
                                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return static_cast<std::int64_t>(multiply_high(words[0], words[1], static_cast<std::uint64_t>(mass)));
}

}  // namespace stagebench::sampling
