#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stagebench::sampling {

/// Keeps the smallest set of the most probable tokens whose probabilities reach top_p (Holtzman et al., "The Curious
/// Case of Neural Text Degeneration"), at least one. Of equal logits the higher ids come first, as transformers'
/// TopPLogitsWarper has it, which cuts an ascending stable sort from below.
///
/// Exactly: in the order weight, logit, position, each descending, a token is kept where the weights before it sum to
/// less than ceil(top_p * total). No sort of the vocabulary: tokens that are too light to matter together are dropped
/// at once, seven thresholds at a time then narrow down where the cut lies, until few enough are left to be sorted.
class NucleusFilter {
 public:
  explicit NucleusFilter(std::size_t vocab_size);

  struct Kept {
    std::int64_t count = 0;
    std::int64_t mass = 0;
  };
  /// Sets the weights of what is removed to 0. `weights` are weigh()'s of `logits` and sum to `total` > 0;
  /// 0 < top_p < 1.
  Kept keep(std::span<const float> logits, std::span<std::int64_t> weights, std::int64_t total, double top_p) noexcept;

 private:
  /// Weights below `low` are removed, those of `high` and more are kept and sum to `above`; those between are few, or
  /// all the same.
  struct Cut {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t above = 0;
  };
  Cut locate(std::span<const std::int64_t> weights, std::int64_t total, std::int64_t needed) noexcept;

  std::vector<std::int64_t> members_;
  std::vector<std::int64_t> positions_;
};

}  // namespace stagebench::sampling
