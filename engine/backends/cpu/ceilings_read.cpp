#include "cpu/ceilings_read.h"

#include "cpu/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/ceilings_read.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::uint32_t SumWords(const std::uint32_t* HWY_RESTRICT words, std::size_t count) {
  constexpr std::size_t words_a_line = 16;
  constexpr std::size_t words_a_step = 64;
  // One page ahead, into the second-level cache: beyond where the hardware's own prefetch stops.
  constexpr std::size_t words_ahead = 1024;
  const hn::CappedTag<std::uint32_t, words_a_line> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  using Vector = hn::VFromD<decltype(d)>;
  Vector sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t i = 0; i < count; i += words_a_step) {
    STAGEBENCH_UNROLL for (std::size_t line = 0; line < words_a_step; line += words_a_line) {
      const std::size_t ahead = i + line + words_ahead;
      __builtin_prefetch(words + (ahead < count ? ahead : i), 0, 2);
    }
    STAGEBENCH_UNROLL for (std::size_t j = 0; j < words_a_step; j += lanes) {
      Vector& sum = sums[j / lanes % 4];
      sum = hn::Add(sum, hn::LoadU(d, words + i + j));
    }
  }
  const Vector sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stagebench::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(SumWords);

std::uint32_t sum_words(const std::uint32_t* words, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(SumWords)(words, count);
}

}  // namespace stagebench::cpu
#endif
