#pragma once

/// Sizes from untrusted shapes: a sum or product that does not fit becomes the largest value, which no machine has.

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace stagebench::cpu {

constexpr std::uint64_t saturating_product(std::initializer_list<std::uint64_t> factors) noexcept {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::numeric_limits<std::uint64_t>::max();
  }
  return product;
}

constexpr std::uint64_t saturating_sum(std::initializer_list<std::uint64_t> terms) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t term : terms) {
    if (__builtin_add_overflow(sum, term, &sum)) return std::numeric_limits<std::uint64_t>::max();
  }
  return sum;
}

}  // namespace stagebench::cpu
