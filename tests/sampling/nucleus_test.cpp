#include "nucleus.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "logit_kernels.h"
#include "logit_patterns.h"
#include "support/catch.h"

using namespace stagebench;
using namespace stagebench::sampling;

namespace {

struct Weighed {
  std::vector<float> logits;
  std::vector<std::int64_t> weights;
  std::int64_t total = 0;
};

Weighed weighed(std::vector<float> logits, double temperature) {
  Weighed result{std::move(logits), {}, 0};
  result.weights.resize(result.logits.size());
  result.total = weigh(result.logits, *std::max_element(result.logits.begin(), result.logits.end()),
                       1.4426950408889634 / temperature, result.weights.data());
  return result;
}

/// The definition in nucleus.h by a full sort.
std::vector<std::int64_t> kept_by_sorting(const Weighed& input, double top_p) {
  std::vector<std::size_t> order(input.logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (input.weights[a] != input.weights[b]) return input.weights[a] > input.weights[b];
    if (input.logits[a] != input.logits[b]) return input.logits[a] > input.logits[b];
    return a > b;
  });
  const double needed = std::ceil(top_p * static_cast<double>(input.total));
  std::vector<std::int64_t> kept = input.weights;
  std::int64_t before = 0;
  for (const std::size_t i : order) {
    if (before > 0 && static_cast<double>(before) >= needed) kept[i] = 0;
    before += input.weights[i];
  }
  return kept;
}

void require_nucleus(const Weighed& input) {
  NucleusFilter filter(input.logits.size());
  for (const double top_p : {1e-300, 0.01, 0.3, 0.5, 0.9, 0.95, 0.999, 0.9999999, 1 - 0x1p-53}) {
    INFO("top_p " << top_p << " of " << input.logits.size());
    const auto expected = kept_by_sorting(input, top_p);
    std::vector<std::int64_t> weights = input.weights;
    const auto kept = filter.keep(input.logits, weights, input.total, top_p);
    REQUIRE(weights == expected);
    REQUIRE(kept.mass == std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
    REQUIRE(kept.count == std::count_if(expected.begin(), expected.end(), [](std::int64_t w) { return w > 0; }));
    REQUIRE(kept.count >= 1);
  }
}

}  // namespace

TEST_CASE("the nucleus is what a full sort gives, peaked or flat", "[sampling]") {
  for (const std::size_t size : {1U, 2U, 100U, 256U, 257U, 1000U, 40'000U}) {
    for (const double temperature : {0.1, 0.7, 1.0, 2.0, 50.0}) {
      INFO("temperature " << temperature);
      require_nucleus(weighed(test::even_logits(size), temperature));
    }
  }
}

TEST_CASE("of equal logits at the nucleus's edge the higher ids stay", "[sampling]") {
  require_nucleus(weighed(std::vector<float>(5000, 1.5F), 1.0));
  for (const int levels : {1, 2, 20}) require_nucleus(weighed(test::tied_logits(5000, levels), 3.0));

  Weighed flat = weighed(std::vector<float>(8, 0.0F), 1.0);
  NucleusFilter filter(8);
  REQUIRE(filter.keep(flat.logits, flat.weights, flat.total, 0.25).count == 2);
  REQUIRE(flat.weights == std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, max_weight, max_weight});
}

TEST_CASE("of logits too small to differ in weight the larger ones stay", "[sampling]") {
  // Spread over 0.4 at 29 below the peak: all of these weigh 1 or 2 units.
  std::vector<float> logits = test::even_logits(3000);
  for (float& logit : logits) logit = logit / 40 - 29;
  logits[1234] = 0;
  require_nucleus(weighed(logits, 1.0));
}

TEST_CASE("the nucleus of one dominant token is that token", "[sampling]") {
  std::vector<float> logits(2000, 0.0F);
  logits[77] = 60;
  Weighed spike = weighed(logits, 1.0);
  NucleusFilter filter(logits.size());
  const auto kept = filter.keep(spike.logits, spike.weights, spike.total, 1 - 0x1p-53);
  REQUIRE(kept.count == 1);
  REQUIRE(kept.mass == max_weight);
}
