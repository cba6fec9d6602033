#include "cpu/activation.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/activation.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// Behind foreach_target.h, which sets the target that it compiles for.
#include <hwy/highway.h>

#include "cpu/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// x / (1 + e^-z)
template <class D>
HWY_INLINE hn::Vec<D> times_sigmoid(D d, hn::Vec<D> x, hn::Vec<D> z) {
  return hn::Div(x, hn::Add(hn::Set(d, 1.0F), exp_approximated(d, hn::Neg(z))));
}

template <class D>
HWY_INLINE void swiglu_at(D d, const float* gate, const float* up, float* out) {
  const auto x = hn::LoadU(d, gate);
  hn::StoreU(hn::Mul(times_sigmoid(d, x, x), hn::LoadU(d, up)), d, out);
}

/// (1 + tanh(u)) / 2 = sigmoid(2u), which needs no difference of nearly equal numbers.
template <class D>
HWY_INLINE void gelu_at(D d, const float* in, float* out) {
  const auto x = hn::LoadU(d, in);
  const auto cubic = hn::MulAdd(hn::Mul(hn::Mul(x, x), hn::Set(d, 0.044715F)), x, x);
  hn::StoreU(times_sigmoid(d, x, hn::Mul(cubic, hn::Set(d, 2.0F * 0.7978845608F))), d, out);
}

void swiglu_row(const float* gate, const float* up, std::int64_t size, float* out) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) swiglu_at(d, gate + i, up + i, out + i);
  for (; i < size; ++i) swiglu_at(d1, gate + i, up + i, out + i);
}

void gelu_row(const float* x, std::int64_t size, float* out) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) gelu_at(d, x + i, out + i);
  for (; i < size; ++i) gelu_at(d1, x + i, out + i);
}

}  // namespace
}  // namespace stagebench::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(swiglu_row);
HWY_EXPORT(gelu_row);

void swiglu(const float* gate, const float* up, std::int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(swiglu_row)(gate, up, size, out);
}

void gelu_tanh(const float* x, std::int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(gelu_row)(x, size, out);
}

}  // namespace stagebench::cpu
#endif
