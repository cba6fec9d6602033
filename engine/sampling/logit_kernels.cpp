#include "logit_kernels.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "logit_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles the part below once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::sampling::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

LogitScan Scan(std::span<const float> logits, float* block_max) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto negative_infinity = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto nan = hn::IsNaN(negative_infinity);
  auto minus_above = hn::Zero(di);
  auto overall_max = negative_infinity;

  const auto scan_block = [&](const float* block) HWY_ATTR {
    auto max = negative_infinity;
    for (std::size_t i = 0; i < block_elements; i += lanes) {
      const auto v = hn::LoadU(d, block + i);
      max = hn::Max(max, v);
      nan = hn::Or(nan, hn::IsNaN(v));
      minus_above = hn::Add(minus_above, hn::BitCast(di, hn::VecFromMask(d, hn::Gt(v, negative_infinity))));
    }
    overall_max = hn::Max(overall_max, max);
    return hn::GetLane(hn::MaxOfLanes(d, max));
  };

  const std::size_t full_blocks = logits.size() / block_elements;
  for (std::size_t b = 0; b < full_blocks; ++b) block_max[b] = scan_block(logits.data() + b * block_elements);
  if (const std::size_t rest = logits.size() % block_elements; rest != 0) {
    alignas(64) std::array<float, block_elements> last;
    last.fill(-std::numeric_limits<float>::infinity());
    std::copy_n(logits.data() + full_blocks * block_elements, rest, last.data());
    block_max[full_blocks] = scan_block(last.data());
  }
  return {hn::GetLane(hn::MaxOfLanes(d, overall_max)), !hn::AllFalse(d, nan),
          -std::int64_t{hn::GetLane(hn::SumOfLanes(di, minus_above))}};
}

// 2^f for |f| <= 1/2 as 1 + f * P(f), exactly 1 at 0; minimax (Remez), relative error 1.1e-12.
inline constexpr std::array<double, 8> exp2_coefficients{
    0x1.62e42fef7a78bp-1,  0x1.ebfbdff7c5a77p-3,  0x1.c6b08defc2653p-5,  0x1.3b2ab7f3b35dap-7,
    0x1.5d872975bfe74p-10, 0x1.4306c115fb55bp-13, 0x1.00ee071f2dbbfp-16, 0x1.663488366f2a6p-20};

template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> WeightsOf(D d, V logits, V max, V scale) {
  const hn::RebindToSigned<D> di;
  // Adding these rounds to an integer, to nearest even, and leaves it in the low bits of the sum.
  const auto rounder = hn::Set(d, 0x1.8p52);
  const auto weight_rounder = hn::Set(d, 0x1p52);
  // At 2^-64 of the largest the weight is 0 already; the bound keeps the exponent in range, -infinity included.
  const auto exponent = hn::Max(hn::Mul(hn::Sub(logits, max), scale), hn::Set(d, -64.0));
  const auto shifted = hn::Add(exponent, rounder);
  const auto fraction = hn::Sub(exponent, hn::Sub(shifted, rounder));
  auto power = hn::Set(d, exp2_coefficients[7]);
  for (std::size_t k = 7; k-- > 0;) {
    power = hn::Add(hn::Mul(power, fraction), hn::Set(d, exp2_coefficients[k]));
  }
  power = hn::Add(hn::Mul(power, fraction), hn::Set(d, 1.0));
  // 2^(integer part + 42), put together from its bits: 1023 is the exponent's bias.
  const auto power_of_two = hn::BitCast(
      d, hn::Add(hn::ShiftLeft<52>(hn::BitCast(di, shifted)), hn::Set(di, std::int64_t{1023 + weight_bits} << 52)));
  const auto rounded = hn::Add(hn::Mul(power, power_of_two), weight_rounder);
  return hn::Sub(hn::BitCast(di, rounded), hn::BitCast(di, weight_rounder));
}

std::int64_t Weigh(std::span<const float> logits, float max, double scale, std::int64_t* weights) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  const auto vmax = hn::Set(d, static_cast<double>(max));
  const auto vscale = hn::Set(d, scale);
  auto sum = hn::Zero(di);
  std::size_t i = 0;
  for (; i + lanes <= logits.size(); i += lanes) {
    const auto w = WeightsOf(d, hn::PromoteTo(d, hn::LoadU(df, logits.data() + i)), vmax, vscale);
    sum = hn::Add(sum, w);
    hn::StoreU(w, di, weights + i);
  }
  if (const std::size_t rest = logits.size() - i; rest != 0) {
    HWY_ALIGN float last[hn::MaxLanes(df)];
    HWY_ALIGN std::int64_t last_weights[hn::MaxLanes(di)];
    std::fill_n(last, lanes, -std::numeric_limits<float>::infinity());
    std::copy_n(logits.data() + i, rest, last);
    const auto w = WeightsOf(d, hn::PromoteTo(d, hn::Load(df, last)), vmax, vscale);
    sum = hn::Add(sum, w);
    hn::Store(w, di, last_weights);
    std::copy_n(last_weights, rest, weights + i);
  }
  return hn::GetLane(hn::SumOfLanes(di, sum));
}

std::array<std::int64_t, n_thresholds> MassesAtLeast(std::span<const std::int64_t> weights,
                                                     const std::array<std::int64_t, n_thresholds>& thresholds) {
  const hn::ScalableTag<std::int64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  auto m0 = hn::Zero(d), m1 = m0, m2 = m0, m3 = m0, m4 = m0, m5 = m0, m6 = m0;
  const auto below = [&](std::size_t j) HWY_ATTR { return hn::Set(d, thresholds[j] - 1); };
  const auto b0 = below(0), b1 = below(1), b2 = below(2), b3 = below(3), b4 = below(4), b5 = below(5), b6 = below(6);
  std::size_t i = 0;
  for (; i + lanes <= weights.size(); i += lanes) {
    const auto w = hn::LoadU(d, weights.data() + i);
    m0 = hn::Add(m0, hn::IfThenElseZero(hn::Gt(w, b0), w));
    m1 = hn::Add(m1, hn::IfThenElseZero(hn::Gt(w, b1), w));
    m2 = hn::Add(m2, hn::IfThenElseZero(hn::Gt(w, b2), w));
    m3 = hn::Add(m3, hn::IfThenElseZero(hn::Gt(w, b3), w));
    m4 = hn::Add(m4, hn::IfThenElseZero(hn::Gt(w, b4), w));
    m5 = hn::Add(m5, hn::IfThenElseZero(hn::Gt(w, b5), w));
    m6 = hn::Add(m6, hn::IfThenElseZero(hn::Gt(w, b6), w));
  }
  const auto total = [&](auto m) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, m)); };
  std::array<std::int64_t, n_thresholds> masses{total(m0), total(m1), total(m2), total(m3),
                                                total(m4), total(m5), total(m6)};
  for (; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < n_thresholds; ++j) {
      if (weights[i] >= thresholds[j]) masses[j] += weights[i];
    }
  }
  return masses;
}

// Appends the lanes of `values` where `mask` is true, `count` being how many there are so far; may write a vector's
// worth past them. `lane_values` is the same as `values`, in memory.
template <class D, class V, class M>
HWY_INLINE void AppendWhere(D d, V values, M mask, const std::int64_t* lane_values, std::int64_t* out,
                            std::size_t& count) {
#if HWY_TARGET <= HWY_AVX3
  static_cast<void>(lane_values);
  count += hn::CompressStore(values, mask, d, out + count);
#else
  // Without a compressing store Highway permutes by a table, which GCC 12 copies to the stack each time.
  static_cast<void>(values);
  const auto minus_one = hn::VecFromMask(d, mask);
  HWY_ALIGN std::int64_t minus_kept[hn::MaxLanes(d)];
  hn::Store(minus_one, d, minus_kept);
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    out[count] = lane_values[lane];
    count -= static_cast<std::size_t>(minus_kept[lane]);
  }
#endif
}

// Writing lags behind reading, so it may be in place: what is written was read before.
Bracket Select(std::span<const std::int64_t> weights, std::int64_t low, std::int64_t high, std::int64_t* members) {
  const hn::ScalableTag<std::int64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto below_low = hn::Set(d, low - 1);
  const auto vhigh = hn::Set(d, high);
  auto min = hn::Set(d, std::numeric_limits<std::int64_t>::max());
  auto max = hn::Zero(d);
  Bracket bracket;
  std::size_t i = 0;
  for (; i + lanes <= weights.size(); i += lanes) {
    const auto w = hn::LoadU(d, weights.data() + i);
    const auto inside = hn::And(hn::Gt(w, below_low), hn::Lt(w, vhigh));
    min = hn::IfThenElse(inside, hn::Min(min, w), min);
    max = hn::IfThenElse(inside, hn::Max(max, w), max);
    AppendWhere(d, w, inside, weights.data() + i, members, bracket.count);
  }
  bracket.min_weight = hn::GetLane(hn::MinOfLanes(d, min));
  bracket.max_weight = hn::GetLane(hn::MaxOfLanes(d, max));
  for (; i < weights.size(); ++i) {
    const std::int64_t w = weights[i];
    if (w < low || w >= high) continue;
    bracket.min_weight = std::min(bracket.min_weight, w);
    bracket.max_weight = std::max(bracket.max_weight, w);
    members[bracket.count++] = w;
  }
  return bracket;
}

CutResult CutBelow(std::span<std::int64_t> weights, std::int64_t low, std::int64_t high, std::int64_t* positions) {
  const hn::ScalableTag<std::int64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto below_low = hn::Set(d, low - 1);
  const auto vhigh = hn::Set(d, high);
  auto minus_kept = hn::Zero(d);
  CutResult result;
  std::size_t i = 0;
  for (; i + lanes <= weights.size(); i += lanes) {
    const auto w = hn::LoadU(d, weights.data() + i);
    const auto keep = hn::Gt(w, below_low);
    minus_kept = hn::Add(minus_kept, hn::VecFromMask(d, keep));
    hn::StoreU(hn::IfThenElseZero(keep, w), d, weights.data() + i);
    const auto inside = hn::And(keep, hn::Lt(w, vhigh));
    if (hn::AllFalse(d, inside)) continue;
    const auto position = hn::Iota(d, static_cast<std::int64_t>(i));
    HWY_ALIGN std::int64_t lane_positions[hn::MaxLanes(d)];
    hn::Store(position, d, lane_positions);
    AppendWhere(d, position, inside, lane_positions, positions, result.undecided);
  }
  result.kept = -hn::GetLane(hn::SumOfLanes(d, minus_kept));
  for (; i < weights.size(); ++i) {
    if (weights[i] < low) {
      weights[i] = 0;
      continue;
    }
    ++result.kept;
    if (weights[i] < high) positions[result.undecided++] = static_cast<std::int64_t>(i);
  }
  return result;
}

std::size_t PositionOf(std::span<const std::int64_t> weights, std::int64_t target) {
  const hn::ScalableTag<std::int64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t step = 512;  // a multiple of every vector's lanes
  std::size_t i = 0;
  for (; i + step <= weights.size(); i += step) {
    auto sum0 = hn::Zero(d), sum1 = sum0;
    for (std::size_t j = 0; j < step; j += 2 * lanes) {
      sum0 = hn::Add(sum0, hn::LoadU(d, weights.data() + i + j));
      sum1 = hn::Add(sum1, hn::LoadU(d, weights.data() + i + j + lanes));
    }
    const std::int64_t sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
    if (target < sum) break;
    target -= sum;
  }
  while (target >= weights[i]) target -= weights[i++];
  return i;
}

}  // namespace stagebench::sampling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::sampling {

HWY_EXPORT(Scan);
HWY_EXPORT(Weigh);
HWY_EXPORT(MassesAtLeast);
HWY_EXPORT(Select);
HWY_EXPORT(CutBelow);
HWY_EXPORT(PositionOf);

LogitScan scan(std::span<const float> logits, float* block_max) noexcept {
  return HWY_DYNAMIC_DISPATCH(Scan)(logits, block_max);
}

std::int64_t weigh(std::span<const float> logits, float max, double scale, std::int64_t* weights) noexcept {
  return HWY_DYNAMIC_DISPATCH(Weigh)(logits, max, scale, weights);
}

std::array<std::int64_t, n_thresholds> masses_at_least(
    std::span<const std::int64_t> weights, const std::array<std::int64_t, n_thresholds>& thresholds) noexcept {
  return HWY_DYNAMIC_DISPATCH(MassesAtLeast)(weights, thresholds);
}

Bracket select(std::span<const std::int64_t> weights, std::int64_t low, std::int64_t high,
               std::int64_t* members) noexcept {
  return HWY_DYNAMIC_DISPATCH(Select)(weights, low, high, members);
}

CutResult cut_below(std::span<std::int64_t> weights, std::int64_t low, std::int64_t high,
                    std::int64_t* positions) noexcept {
  return HWY_DYNAMIC_DISPATCH(CutBelow)(weights, low, high, positions);
}

std::size_t position_of(std::span<const std::int64_t> weights, std::int64_t target) noexcept {
  return HWY_DYNAMIC_DISPATCH(PositionOf)(weights, target);
}

}  // namespace stagebench::sampling
#endif  // HWY_ONCE
