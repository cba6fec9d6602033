#include "top_k.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "logit_kernels.h"
#include "logit_patterns.h"
#include "support/catch.h"

using namespace stagebench;
using namespace stagebench::sampling;

namespace {

/// As transformers has it: what is less than the k-th of the sorted logits goes; -infinity has no probability.
std::vector<TokenId> kept_by_sorting(const std::vector<float>& logits, std::size_t k) {
  std::vector<float> sorted = logits;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<TokenId> ids;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] >= sorted[k - 1] && logits[i] > -std::numeric_limits<float>::infinity()) {
      ids.push_back(static_cast<TokenId>(i));
    }
  }
  return ids;
}

void require_top_k(const std::vector<float>& logits) {
  TopKFilter filter(logits.size());
  std::vector<float> block_max(block_count(logits.size()));
  scan(logits, block_max.data());
  for (const std::size_t k : {1U, 2U, 3U, 8U, 9U, 50U, 1000U, 4096U}) {
    if (k > logits.size()) continue;
    INFO("k " << k << " of " << logits.size());
    const TopK top = filter.keep(logits, block_max, k);
    const auto expected = kept_by_sorting(logits, k);
    REQUIRE(std::vector<TokenId>(top.ids.begin(), top.ids.end()) == expected);
    REQUIRE(top.logits.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(top.logits[i] == logits[static_cast<std::size_t>(expected[i])]);
    }
  }
}

}  // namespace

TEST_CASE("top_k keeps what sorting keeps, ids ascending, at any size", "[sampling]") {
  for (const std::size_t size : {1U, 2U, 127U, 128U, 129U, 1000U, 1024U, 5000U}) require_top_k(test::even_logits(size));
}

TEST_CASE("top_k keeps all that equal the k-th", "[sampling]") {
  for (const int levels : {1, 4, 16}) require_top_k(test::tied_logits(5000, levels));
  require_top_k(std::vector<float>(1500, 0.5F));
  std::vector<float> zeros(300, -0.0F);
  for (std::size_t i = 0; i < zeros.size(); i += 3) zeros[i] = 0.0F;
  require_top_k(zeros);
}

TEST_CASE("top_k works on sorted logits, where all of the largest are in a few blocks", "[sampling]") {
  std::vector<float> logits = test::even_logits(5000);
  std::sort(logits.begin(), logits.end());
  require_top_k(logits);
  std::reverse(logits.begin(), logits.end());
  require_top_k(logits);
}

TEST_CASE("top_k drops -infinity though fewer than k are left", "[sampling]") {
  std::vector<float> logits(2000, -std::numeric_limits<float>::infinity());
  require_top_k(logits);
  logits[7] = -3;
  logits[1999] = std::numeric_limits<float>::lowest();
  require_top_k(logits);
}
