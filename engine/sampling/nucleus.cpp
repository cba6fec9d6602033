#include "nucleus.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "logit_kernels.h"

namespace stagebench::sampling {
namespace {

/// Members of a bracket that are cheaper to sort than to narrow further.
constexpr std::size_t few = 256;

/// Thresholds between low and high in equal ratios, since weights are exponentials. Only how fast the cut is found
/// depends on them, so rounding does not matter.
std::array<std::int64_t, n_thresholds> thresholds_between(std::int64_t low, std::int64_t high) noexcept {
  const double ratio = std::pow(static_cast<double>(high) / static_cast<double>(low), 1.0 / (n_thresholds + 1));
  std::array<std::int64_t, n_thresholds> thresholds{};
  double threshold = static_cast<double>(low);
  for (auto& t : thresholds) {
    threshold *= ratio;
    t = std::clamp(static_cast<std::int64_t>(threshold), low + 1, high - 1);
  }
  return thresholds;
}

}  // namespace

NucleusFilter::NucleusFilter(std::size_t vocab_size)
    : members_(vocab_size + padding_elements), positions_(vocab_size + padding_elements) {}

NucleusFilter::Cut NucleusFilter::locate(std::span<const std::int64_t> weights, std::int64_t total,
                                         std::int64_t needed) noexcept {
  // Invariant: above < needed <= above + the mass in [low, high), so the last token that is kept weighs that much.
  // Tokens below the first `low` weigh at most total - needed, all of them together: what is before them suffices.
  Cut cut{(total - needed) / static_cast<std::int64_t>(weights.size()) + 1, max_weight + 1, 0};
  Bracket bracket = select(weights, cut.low, cut.high, members_.data());
  while (bracket.count > few && bracket.min_weight < bracket.max_weight) {
    cut.low = bracket.min_weight;
    cut.high = bracket.max_weight + 1;
    const std::span<const std::int64_t> members{members_.data(), bracket.count};
    const auto thresholds = thresholds_between(cut.low, cut.high);
    const auto masses = masses_at_least(members, thresholds);
    std::size_t reached = 0;  // thresholds at or above which the mass suffices
    while (reached < n_thresholds && cut.above + masses[reached] >= needed) ++reached;
    if (reached > 0) cut.low = thresholds[reached - 1];
    if (reached < n_thresholds) {
      cut.high = thresholds[reached];
      cut.above += masses[reached];
    }
    bracket = select(members, cut.low, cut.high, members_.data());
  }
  return cut;
}

NucleusFilter::Kept NucleusFilter::keep(std::span<const float> logits, std::span<std::int64_t> weights,
                                        std::int64_t total, double top_p) noexcept {
  const auto needed =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(top_p * static_cast<double>(total))), 1, total);
  const Cut cut = locate(weights, total, needed);
  const CutResult at_cut = cut_below(weights, cut.low, cut.high, positions_.data());
  const auto begin = positions_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(at_cut.undecided);
  const auto more_probable = [&](std::int64_t a, std::int64_t b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (weights[i] != weights[j]) return weights[i] > weights[j];
    if (logits[i] != logits[j]) return logits[i] > logits[j];
    return i > j;
  };
  if (at_cut.undecided <= few) {
    std::sort(begin, end, more_probable);
  } else {  // all of one weight: their number decides
    const std::int64_t weight = weights[static_cast<std::size_t>(*begin)];
    const std::int64_t n = (needed - cut.above + weight - 1) / weight;
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(n - 1), end, more_probable);
  }
  Kept kept{at_cut.kept, cut.above};
  for (auto position = begin; position != end; ++position) {
    std::int64_t& weight = weights[static_cast<std::size_t>(*position)];
    if (kept.mass < needed) {
      kept.mass += weight;
    } else {
      weight = 0;
      --kept.count;
    }
  }
  return kept;
}

}  // namespace stagebench::sampling
