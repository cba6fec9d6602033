#include "cpu/rope.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/rope.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// Behind foreach_target.h, which sets the target that it compiles for.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Rotation {
  const float* in;
  const float* cosines;
  const float* sines;
  std::int64_t half;
  float scale;
  float* out;
};

template <class D>
HWY_INLINE void rotate_at(D d, const Rotation& r, std::int64_t i) {
  const auto scale = hn::Set(d, r.scale);
  const auto cosine = hn::Mul(hn::LoadU(d, r.cosines + i), scale);
  const auto sine = hn::Mul(hn::LoadU(d, r.sines + i), scale);
  const auto first = hn::LoadU(d, r.in + i);
  const auto second = hn::LoadU(d, r.in + r.half + i);
  hn::StoreU(hn::NegMulAdd(second, sine, hn::Mul(first, cosine)), d, r.out + i);
  hn::StoreU(hn::MulAdd(first, sine, hn::Mul(second, cosine)), d, r.out + r.half + i);
}

void rotate_head(const float* in, const float* cosines, const float* sines, std::int64_t half, float scale,
                 float* out) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Rotation rotation{in, cosines, sines, half, scale, out};
  std::int64_t i = 0;
  for (; i + lanes <= half; i += lanes) rotate_at(d, rotation, i);
  for (; i < half; ++i) rotate_at(d1, rotation, i);
}

}  // namespace
}  // namespace stagebench::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(rotate_head);

void rotate_half(const float* in, const float* cosines, const float* sines, std::int64_t head_dim, float scale,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(rotate_head)(in, cosines, sines, head_dim / 2, scale, out);
}

RopeTable::RopeTable(std::int64_t head_dim, double theta, std::span<const float> divisors, std::int64_t positions)
    : half_(head_dim / 2),
      positions_(positions),
      cosines_(static_cast<std::size_t>(half_ * positions)),
      sines_(cosines_.size()) {
  for (std::int64_t i = 0; i < half_; ++i) {
    double frequency = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_dim));
    if (!divisors.empty()) frequency /= static_cast<double>(divisors[static_cast<std::size_t>(i)]);
    for (std::int64_t position = 0; position < positions; ++position) {
      const double angle = static_cast<double>(position) * frequency;
      const std::size_t at = index(position) + static_cast<std::size_t>(i);
      cosines_[at] = static_cast<float>(std::cos(angle));
      sines_[at] = static_cast<float>(std::sin(angle));
    }
  }
}

}  // namespace stagebench::cpu
#endif
