// exp of a vector, included once a Highway target (see hwy/foreach_target.h).
#if defined(STAGEBENCH_CPU_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STAGEBENCH_CPU_EXP_INL_H_
#undef STAGEBENCH_CPU_EXP_INL_H_
#else
#define STAGEBENCH_CPU_EXP_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu::HWY_NAMESPACE {

/// e^x to about 2 units in the last place, after Cephes' expf: x = k ln2 + r with |r| <= ln2 / 2, a polynomial in r,
/// then k goes into the exponent. Outside [-87.3, 88.3], where a float would under- or overflow, x counts as the nearer
/// end, so that -infinity gives 1e-38 and never NaN; NaN gives some finite value or NaN.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> exp_approximated(D d, hwy::HWY_NAMESPACE::Vec<D> x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  x = hn::Min(hn::Max(x, hn::Set(d, -87.3F)), hn::Set(d, 88.3F));
  const auto k = hn::NearestInt(hn::Mul(x, hn::Set(d, 1.44269504F)));
  const auto k_float = hn::ConvertTo(d, k);
  auto r = hn::NegMulAdd(k_float, hn::Set(d, 0.693359375F), x);  // ln2 in two parts, the first exact in few bits
  r = hn::NegMulAdd(k_float, hn::Set(d, -2.12194440e-4F), r);
  auto p = hn::MulAdd(hn::Set(d, 1.9875691500e-4F), r, hn::Set(d, 1.3981999507e-3F));
  p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3F));
  p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1F));
  p = hn::MulAdd(p, r, hn::Set(d, 5.0000001201e-1F));
  p = hn::MulAdd(hn::Mul(p, r), r, hn::Add(r, hn::Set(d, 1.0F)));
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  return hn::Mul(p, power);
}

}  // namespace stagebench::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
