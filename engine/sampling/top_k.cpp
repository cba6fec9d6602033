#include "top_k.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "logit_kernels.h"

namespace stagebench::sampling {
namespace {

float kth_largest(std::span<const float> values, std::size_t k, std::vector<float>& scratch) noexcept {
  std::copy(values.begin(), values.end(), scratch.begin());
  const auto kth = scratch.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(scratch.begin(), kth, scratch.begin() + static_cast<std::ptrdiff_t>(values.size()),
                   std::greater<>());
  return *kth;
}

}  // namespace

// One element more than fits: the branchless loops write before they know whether they keep.
TopKFilter::TopKFilter(std::size_t vocab_size)
    : ids_(vocab_size + 1), logits_(vocab_size + 1), selection_(vocab_size) {}

TopK TopKFilter::keep(std::span<const float> logits, std::span<const float> block_max, std::size_t k) noexcept {
  constexpr float lowest = std::numeric_limits<float>::lowest();
  float bound = lowest;
  if (k <= block_max.size()) bound = std::max(bound, kth_largest(block_max, k, selection_));

  std::size_t count = 0;
  for (std::size_t b = 0; b < block_max.size(); ++b) {
    if (block_max[b] < bound) continue;
    const std::size_t end = std::min((b + 1) * block_elements, logits.size());
    for (std::size_t i = b * block_elements; i < end; ++i) {
      ids_[count] = static_cast<TokenId>(i);
      logits_[count] = logits[i];
      count += logits[i] >= bound ? 1 : 0;
    }
  }
  if (count > k) {
    const float kth = kth_largest({logits_.data(), count}, k, selection_);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const TokenId id = ids_[i];
      const float logit = logits_[i];
      ids_[kept] = id;
      logits_[kept] = logit;
      kept += logit >= kth ? 1 : 0;
    }
    count = kept;
  }
  return {{ids_.data(), count}, {logits_.data(), count}};
}

}  // namespace stagebench::sampling
