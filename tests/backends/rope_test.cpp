#include "cpu/rope.h"

#include <cmath>
#include <vector>

#include "backends/random_values.h"
#include "backends/simd_targets.h"
#include "support/catch.h"

using namespace stagebench;
using test::random_values;

TEST_CASE("RoPE turns the pairs (i, i + d/2) by position times frequency") {
  test::for_each_simd_target([] {
    for (const std::int64_t head_dim : {2, 6, 16, 32, 34, 64, 100, 128}) {
      const auto half = static_cast<std::size_t>(head_dim / 2);
      std::vector<float> divisors(half);
      for (std::size_t i = 0; i < half; ++i) divisors[i] = 1.0F + static_cast<float>(i % 8);
      for (const bool scaled : {false, true}) {
        const cpu::RopeTable table(head_dim, 10000.0, scaled ? divisors : std::vector<float>(), 600);
        const std::vector<float> in = random_values(2 * half, 3);
        std::vector<float> out(2 * half);
        for (const std::int64_t position : {0, 1, 17, 599}) {
          cpu::rotate_half(in.data(), table.cosines(position), table.sines(position), head_dim, 0.125F, out.data());
          for (std::size_t i = 0; i < half; ++i) {
            const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(head_dim)) /
                                     (scaled ? double{divisors[i]} : 1.0);
            const double angle = static_cast<double>(position) * frequency;
            const double first = in[i];
            const double second = in[i + half];
            REQUIRE(out[i] ==
                    Approx(0.125 * (first * std::cos(angle) - second * std::sin(angle))).epsilon(1e-6).margin(1e-7));
            REQUIRE(out[i + half] ==
                    Approx(0.125 * (second * std::cos(angle) + first * std::sin(angle))).epsilon(1e-6).margin(1e-7));
          }
        }
      }
    }
  });
}
