#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stagebench/contracts/sampling_params.h"
#include "stagebench/contracts/token.h"

namespace stagebench {

/// A token with its probability among the kept ones.
struct Candidate {
  TokenId id = 0;
  float logit = 0;
  double probability = 0;
};

/// Throws UsageError for a negative temperature, top_k < 0 or top_p outside (0, 1], NaN included.
void check(const SamplingParams& params);

/// Chooses tokens from logits as transformers' warpers do, in the order temperature, top_k, top_p. Owns its scratch
/// memory: no allocation after the first call for a vocabulary size. One a thread.
class Sampler {
 public:
  /// Throws UsageError as check() does.
  Sampler(const SamplingParams& params, std::int64_t vocab_size);

  struct Choice {
    TokenId id = 0;
    std::int64_t candidates = 0;  ///< kept; 1 where greedy
  };
  /// The token of `sequence` of the batch at output position `step`. The draw depends on (seed, sequence, step) and
  /// the logits alone: Philox 4x32-10 with that counter. `logits` is [vocab_size]. Greedy takes the lowest id of equal
  /// logits. Throws NumericError where a logit is NaN or all are -infinity.
  Choice sample(std::span<const float> logits, std::uint32_t sequence, std::uint32_t step);

  /// The tokens that the filters keep for `logits`, most probable first (equal logits: lower id first), with their
  /// probabilities, which sum to 1. Valid until the next call.
  std::span<const Candidate> candidates(std::span<const float> logits);

 private:
  SamplingParams params_;
  std::vector<Candidate> scratch_;
};

}  // namespace stagebench
