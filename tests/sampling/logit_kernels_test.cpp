#include "logit_kernels.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "logit_patterns.h"
#include "support/catch.h"

using namespace stagebench::sampling;
using stagebench::test::even_logits;
using stagebench::test::tied_logits;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const std::vector<std::size_t> odd_sizes{1, 2, 7, 31, 127, 128, 129, 511, 512, 513, 1000, 4099};

std::vector<std::int64_t> weights_of(const std::vector<float>& logits, double temperature) {
  std::vector<std::int64_t> weights(logits.size());
  const std::int64_t sum =
      weigh(logits, *std::max_element(logits.begin(), logits.end()), 1.4426950408889634 / temperature, weights.data());
  std::int64_t expected = 0;
  for (const std::int64_t w : weights) expected += w;
  REQUIRE(sum == expected);
  return weights;
}

}  // namespace

TEST_CASE("a scan gives the largest logit of each block and of all", "[sampling]") {
  for (const std::size_t size : odd_sizes) {
    INFO(size);
    std::vector<float> logits = even_logits(size);
    if (size > 3) logits[size / 2] = -infinity;
    std::vector<float> block_max(block_count(size));
    const LogitScan result = scan(logits, block_max.data());
    REQUIRE(result.max == *std::max_element(logits.begin(), logits.end()));
    REQUIRE_FALSE(result.has_nan);
    REQUIRE(result.above_negative_infinity == static_cast<std::int64_t>(size > 3 ? size - 1 : size));
    for (std::size_t b = 0; b < block_max.size(); ++b) {
      const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(b * block_elements);
      const auto end = logits.begin() + static_cast<std::ptrdiff_t>(std::min((b + 1) * block_elements, size));
      REQUIRE(block_max[b] == *std::max_element(begin, end));
    }
  }
}

TEST_CASE("a scan sees a NaN wherever it is", "[sampling]") {
  std::vector<float> block_max(3);
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<float> logits = even_logits(300);
    logits[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::quiet_NaN();
    INFO(i);
    REQUIRE(scan(logits, block_max.data()).has_nan);
  }
}

TEST_CASE("weights are 42-bit fixed-point exponentials", "[sampling]") {
  for (const std::size_t size : odd_sizes) {
    for (const double temperature : {0.05, 0.7, 1.0, 3.0, 100.0}) {
      std::vector<float> logits = even_logits(size);
      if (size > 3) logits[1] = -infinity;
      const float max = *std::max_element(logits.begin(), logits.end());
      const auto weights = weights_of(logits, temperature);
      for (std::size_t i = 0; i < size; ++i) {
        const long double exact =
            std::exp((static_cast<long double>(logits[i]) - max) / temperature) * static_cast<long double>(max_weight);
        // Half a unit of rounding, and the polynomial's and the exponent's relative errors.
        const long double tolerance = 0.5L + exact * 2e-12L + 0.01L;
        INFO(size << " " << temperature << " " << i);
        REQUIRE(std::abs(static_cast<long double>(weights[i]) - exact) <= tolerance);
      }
    }
  }
}

TEST_CASE("equal logits weigh exactly the same and the largest weighs 2^42", "[sampling]") {
  const std::vector<float> flat(1003, -3.25F);
  for (const std::int64_t weight : weights_of(flat, 0.3)) REQUIRE(weight == max_weight);
}

TEST_CASE("a larger logit never weighs less, across the seams between powers of two as well", "[sampling]") {
  std::vector<float> logits;
  for (float logit = -40; logit < 0; logit += 0.0009765625F) logits.push_back(logit);
  logits.push_back(0);
  const auto weights = weights_of(logits, 1.0);
  REQUIRE(std::is_sorted(weights.begin(), weights.end()));
  REQUIRE(weights.front() == 0);
}

TEST_CASE("a temperature next to nothing leaves the largest logits alone", "[sampling]") {
  std::vector<std::int64_t> weights(4);
  const std::vector<float> logits{1.0F, 0.99999994F, -infinity, 1.0F};
  REQUIRE(weigh(logits, 1.0F, 1e300, weights.data()) == 2 * max_weight);
  REQUIRE(weights == std::vector<std::int64_t>{max_weight, 0, 0, max_weight});
}

TEST_CASE("every instruction set gives the same weights to the last bit", "[sampling]") {
  // Many of them: a fused multiply-add changes a weight only where it tips the rounding, about once in ten thousand.
  const std::vector<float> logits = even_logits(400'000);
  std::vector<std::vector<std::int64_t>> weights;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    weights.push_back(weights_of(logits, 0.7));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  for (std::size_t i = 1; i < weights.size(); ++i) {
    INFO(hwy::TargetName(hwy::SupportedAndGeneratedTargets()[i]));
    REQUIRE((weights[i] == weights[0]));
  }
}

TEST_CASE("masses, members and cuts equal those of plain loops", "[sampling]") {
  for (const std::size_t size : odd_sizes) {
    INFO(size);
    const auto weights = weights_of(tied_logits(size, 4), 2.0);
    const std::int64_t low = max_weight / 50, high = max_weight / 3;
    const std::array<std::int64_t, n_thresholds> thresholds{1,        low,        2 * low,       high,
                                                            high + 1, max_weight, max_weight + 1};
    std::array<std::int64_t, n_thresholds> masses{};
    std::vector<std::int64_t> members, positions, cut = weights;
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t w = weights[i];
      for (std::size_t j = 0; j < n_thresholds; ++j) masses[j] += w >= thresholds[j] ? w : 0;
      if (w < low) cut[i] = 0;
      if (w >= low) ++kept;
      if (w < low || w >= high) continue;
      members.push_back(w);
      positions.push_back(static_cast<std::int64_t>(i));
    }
    REQUIRE(masses_at_least(weights, thresholds) == masses);

    std::vector<std::int64_t> found(size + padding_elements);
    const Bracket bracket = select(weights, low, high, found.data());
    REQUIRE(std::vector<std::int64_t>(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(bracket.count)) ==
            members);
    if (!members.empty()) {
      REQUIRE(bracket.min_weight == *std::min_element(members.begin(), members.end()));
      REQUIRE(bracket.max_weight == *std::max_element(members.begin(), members.end()));
    }
    std::vector<std::int64_t> in_place = weights;
    in_place.resize(size + padding_elements);
    REQUIRE(select({in_place.data(), size}, low, high, in_place.data()).count == members.size());
    REQUIRE(std::equal(members.begin(), members.end(), in_place.begin()));

    std::vector<std::int64_t> zeroed = weights, undecided(size + padding_elements);
    const CutResult result = cut_below(zeroed, low, high, undecided.data());
    REQUIRE(zeroed == cut);
    REQUIRE(result.kept == kept);
    REQUIRE(std::vector<std::int64_t>(undecided.begin(),
                                      undecided.begin() + static_cast<std::ptrdiff_t>(result.undecided)) == positions);
  }
}

TEST_CASE("a position is found by the running sum", "[sampling]") {
  for (const std::size_t size : odd_sizes) {
    std::vector<std::int64_t> weights(size);
    for (std::size_t i = 0; i < size; ++i) weights[i] = static_cast<std::int64_t>(i % 5) * (i % 7 == 3 ? 0 : 1);
    weights[size - 1] = 2;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      INFO(size << " " << i);
      for (std::int64_t target = sum; target < sum + weights[i]; ++target) REQUIRE(position_of(weights, target) == i);
      sum += weights[i];
    }
  }
}
