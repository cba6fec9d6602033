#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stagebench/contracts/token.h"

namespace stagebench::sampling {

/// What is left of the logits, ids ascending.
struct TopK {
  std::span<const TokenId> ids;
  std::span<const float> logits;
};

/// Keeps the k largest logits and all that equal the k-th, as transformers' TopKLogitsWarper does; none of -infinity.
///
/// The k-th largest of the block maxima bounds the k-th largest logit from below, so only blocks that reach it are
/// looked into: for k far below the number of blocks that is a few thousand logits, whatever the vocabulary.
class TopKFilter {
 public:
  explicit TopKFilter(std::size_t vocab_size);

  /// `block_max` is what scan() gave for `logits`; k >= 1. Valid until the next call.
  TopK keep(std::span<const float> logits, std::span<const float> block_max, std::size_t k) noexcept;

 private:
  std::vector<TokenId> ids_;
  std::vector<float> logits_;
  std::vector<float> selection_;
};

}  // namespace stagebench::sampling
