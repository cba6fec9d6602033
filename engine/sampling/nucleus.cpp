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
  // Tokens this light weigh at most total - needed, all of them together: what is before them reaches the mass.
  Cut cut;
  cut.low = (total - needed) / static_cast<std::int64_t>(weights.size()) + 1;
  Bracket bracket = collect(weights, cut.low, max_weight + 1, members_.data(), positions_.data());
  // Invariant: cut.above < needed <= cut.above + the members' mass, so the last token that is kept is a member.
  while (bracket.count > few && bracket.min_weight < bracket.max_weight) {
    const std::int64_t low = bracket.min_weight;
    const std::int64_t high = bracket.max_weight + 1;
    const auto thresholds = thresholds_between(low, high);
    const auto masses = masses_at_least({members_.data(), bracket.count}, thresholds);
    std::size_t reached = 0;  // thresholds at or above which the mass suffices
    while (reached < n_thresholds && cut.above + masses[reached] >= needed) ++reached;
    cut.low = reached == 0 ? low : thresholds[reached - 1];
    const std::int64_t next_high = reached == n_thresholds ? high : thresholds[reached];
    if (reached < n_thresholds) cut.above += masses[reached];
    bracket = narrow(bracket.count, cut.low, next_high, members_.data(), positions_.data());
  }
  cut.undecided = bracket.count;
  return cut;
}

NucleusFilter::Kept NucleusFilter::keep(std::span<const float> logits, std::span<std::int64_t> weights,
                                        std::int64_t total, double top_p) noexcept {
  const auto needed =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(top_p * static_cast<double>(total))), 1, total);
  const Cut cut = locate(weights, total, needed);
  const auto begin = positions_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(cut.undecided);
  const auto more_probable = [&](std::int64_t a, std::int64_t b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (weights[i] != weights[j]) return weights[i] > weights[j];
    if (logits[i] != logits[j]) return logits[i] > logits[j];
    return i > j;
  };
  if (cut.undecided <= few) {
    std::sort(begin, end, more_probable);
  } else {  // all of one weight: their number decides
    const std::int64_t weight = members_[0];
    const std::int64_t kept = (needed - cut.above + weight - 1) / weight;
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(kept - 1), end, more_probable);
  }
  Kept kept;
  kept.mass = cut.above;
  kept.count = zero_below(weights, cut.low);
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
