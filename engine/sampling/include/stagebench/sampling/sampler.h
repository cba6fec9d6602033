#pragma once

/// Logits to a token id.
///
///   Sampler sampler({.do_sample = true, .temperature = 0.8, .top_k = 50, .top_p = 0.95, .seed = 7}, vocab_size);
///   const TokenId id = sampler.sample(logits, sequence, step).id;
///
/// What is computed: p_i = exp((logit_i - max) / temperature) over the tokens that top_k leaves, normalised; top_p
/// removes from the least probable upwards; the draw is from what is left. It agrees with transformers'
/// TemperatureLogitsWarper, TopKLogitsWarper and TopPLogitsWarper in that order, ties included: all that equal the k-th
/// logit stay; of equal logits at the edge of top_p the higher ids stay. It differs where rounding decides:
/// transformers rounds logit / temperature and probabilities to float, here both are exact to about 1e-12 of the
/// largest probability.
///
/// The same tokens for a seed on every machine: probabilities are integers (42 bits below the largest), made without
/// anything that an instruction set or a maths library may round differently, and the draw is an integer (draw.h). It
/// walks the kept tokens by ascending id and takes the first where the running sum of weights exceeds the draw.

#include <cstdint>
#include <memory>
#include <span>

#include "stagebench/contracts/sampling_params.h"
#include "stagebench/contracts/token.h"

namespace stagebench {

/// A token with its probability among the kept ones.
struct Candidate {
  TokenId id = 0;
  float logit = 0;
  double probability = 0;
};

/// Throws UsageError for a temperature that is negative or not finite, top_k < 0 or top_p outside (0, 1], NaN included.
void check(const SamplingParams& params);

/// Chooses tokens. Owns its scratch memory: no allocation after construction. One a thread; move-only.
class Sampler {
 public:
  /// Throws UsageError as check() does, and for a vocab_size outside [1, 2^20].
  Sampler(const SamplingParams& params, std::int64_t vocab_size);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  struct Choice {
    TokenId id = 0;
    std::int64_t candidates = 0;  ///< kept; 1 where greedy
  };
  /// The token of `sequence` of the batch at output position `step`. The draw depends on (seed, sequence, step) and
  /// the logits alone. `logits` is [vocab_size]; -infinity is a token that is never chosen. Greedy takes the lowest id
  /// of equal logits. Throws NumericError where a logit is NaN or +infinity, or all are -infinity; UsageError for
  /// another number of logits.
  Choice sample(std::span<const float> logits, std::uint32_t sequence, std::uint32_t step);

  /// The tokens that the filters keep for `logits`, most probable first (equal logits: lower id first), with their
  /// probabilities, which sum to 1. Valid until the next call. For inspection: it sorts what is kept, which sample()
  /// does not.
  std::span<const Candidate> candidates(std::span<const float> logits);

  /// Candidates that top_k leaves at most where no logits tie: min(top_k, vocab_size), 1 where greedy.
  std::int64_t candidate_limit() const noexcept;

 private:
  struct Scratch;
  struct Kept;
  Kept keep(std::span<const float> logits);

  SamplingParams params_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace stagebench
