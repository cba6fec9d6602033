#include "draw.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.h"

using stagebench::sampling::draw_below;

namespace {

constexpr std::uint64_t high_seed = 0xfedcba9876543210;
constexpr std::uint32_t last = 0xffffffff;

/// Draws below `mass` for six (seed, sequence, step).
std::vector<std::int64_t> six_draws(std::int64_t mass) {
  return {draw_below(mass, 0, 0, 0), draw_below(mass, 1, 0, 0), draw_below(mass, std::uint64_t{1} << 32, 0, 0),
          draw_below(mass, 0, 1, 0), draw_below(mass, 0, 0, 1), draw_below(mass, high_seed, last, last)};
}

/// A chi-square value of n degrees of freedom exceeds n + 4 sqrt(2n) + 8 with a probability below 1e-3 (Laurent and
/// Massart, 2000, with x = 8: n + 2 sqrt(8n) + 16 bounds e^-8); seeds are fixed, so the outcome is.
double chi_square_bound(double degrees) {
  return degrees + 2 * std::sqrt(8 * degrees) + 16;
}

}  // namespace

TEST_CASE("draws equal those of an independent implementation with big integers", "[sampling]") {
  REQUIRE(six_draws(std::int64_t{0x7fffffffffffffff}) ==
          std::vector<std::int64_t>{5491728978454734702, 4913272590807261433, 623554299336468603, 7088605755797327339,
                                    8502489586562544082, 696263489737348107});
  REQUIRE(six_draws(std::int64_t{1} << 42) == std::vector<std::int64_t>{2618660439708, 2342830939677, 297333860080,
                                                                        3380110624216, 4054302972108, 332004303806});
  REQUIRE(six_draws(3) == std::vector<std::int64_t>{1, 1, 0, 2, 2, 0});
  REQUIRE(six_draws(1) == std::vector<std::int64_t>(6, 0));
}

TEST_CASE("draws of neighbouring steps, sequences and seeds are even and independent", "[sampling]") {
  constexpr std::size_t n = 16;
  constexpr std::uint32_t draws = 25'600;
  const auto chi_square_of_pairs = [&](std::uint64_t other_seed, std::uint32_t other_sequence, std::uint32_t shift) {
    std::array<int, n * n> counts{};
    for (std::uint32_t step = 0; step < draws; ++step) {
      const auto a = static_cast<std::size_t>(draw_below(n, 5, 0, 2 * step));
      const auto b = static_cast<std::size_t>(draw_below(n, other_seed, other_sequence, 2 * step + shift));
      ++counts[a * n + b];
    }
    constexpr double expected = static_cast<double>(draws) / (n * n);
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    return chi_square;
  };
  const double bound = chi_square_bound(n * n - 1);
  REQUIRE(chi_square_of_pairs(5, 0, 1) < bound);
  REQUIRE(chi_square_of_pairs(5, 1, 0) < bound);
  REQUIRE(chi_square_of_pairs(6, 0, 0) < bound);
  REQUIRE(chi_square_of_pairs(5, 0, 0) > bound);  // a draw with itself: the test can tell
}
