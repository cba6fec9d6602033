#pragma once

/// The passes over a whole vocabulary, vectorised and dispatched at run time (Highway).
///
/// Probabilities are unnormalised 42-bit integers, "weights": the most probable token has 2^42. Sums of integers do not
/// depend on their order, so vector width, blocking and threads cannot change a token; and a weight is made of IEEE
/// double additions and multiplications alone, none fused, so each machine makes the same one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stagebench::sampling {

inline constexpr int weight_bits = 42;
inline constexpr std::int64_t max_weight = std::int64_t{1} << weight_bits;
/// So that a sum of weights fits in 63 bits.
inline constexpr std::int64_t max_vocab_size = std::int64_t{1} << 20;

/// Logits are scanned in blocks of this many.
inline constexpr std::size_t block_elements = 128;
constexpr std::size_t block_count(std::size_t elements) noexcept {
  return (elements + block_elements - 1) / block_elements;
}

/// Elements that the kernels may write past what they report.
inline constexpr std::size_t padding_elements = 64;

struct LogitScan {
  float max = 0;  ///< meaningless where has_nan
  bool has_nan = false;
  std::int64_t above_negative_infinity = 0;
};
/// `block_max` is [block_count(logits.size())]: the largest of each block.
LogitScan scan(std::span<const float> logits, float* block_max) noexcept;

/// weights[i] = round(2^42 * 2^((logits[i] - max) * scale)); their sum. `scale` is log2(e) / temperature, finite and
/// positive; `max` is finite and none of `logits` is larger. A logit of -infinity weighs 0, as does any below 2^-43 of
/// the largest.
std::int64_t weigh(std::span<const float> logits, float max, double scale, std::int64_t* weights) noexcept;

inline constexpr std::size_t n_thresholds = 7;
/// masses[j]: the sum of those weights that are >= thresholds[j], which are positive.
std::array<std::int64_t, n_thresholds> masses_at_least(
    std::span<const std::int64_t> weights, const std::array<std::int64_t, n_thresholds>& thresholds) noexcept;

struct Bracket {
  std::size_t count = 0;
  std::int64_t min_weight = 0;  ///< with max_weight: of the members; meaningless where count is 0
  std::int64_t max_weight = 0;
};
/// Copies the weights that are low <= w < high. `members` has padding_elements more than `weights` and may be the same
/// memory.
Bracket select(std::span<const std::int64_t> weights, std::int64_t low, std::int64_t high,
               std::int64_t* members) noexcept;

struct CutResult {
  std::int64_t kept = 0;      ///< weights that are >= low
  std::size_t undecided = 0;  ///< of these, below high
};
/// Sets weights below `low` to 0 and gives the positions of those that are low <= w < high, ascending. `low` is
/// positive; `positions` has padding_elements more than `weights`.
CutResult cut_below(std::span<std::int64_t> weights, std::int64_t low, std::int64_t high,
                    std::int64_t* positions) noexcept;

/// The first position whose weight, added to all before it, exceeds `target`, which is less than the whole sum.
std::size_t position_of(std::span<const std::int64_t> weights, std::int64_t target) noexcept;

}  // namespace stagebench::sampling
