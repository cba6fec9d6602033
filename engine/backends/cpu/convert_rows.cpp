#include "cpu/convert_rows.h"

#include <cstddef>

#include "stagebench/support/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/convert_rows.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Half>
std::size_t WidenVectors(const Half* HWY_RESTRICT from, std::size_t count, float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<Half, decltype(d)> d_half;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::PromoteTo(d, hn::LoadU(d_half, from + i)), d, to + i);
  return i;
}

void ToF32(DType dtype, const void* from, std::size_t count, float* to) {
  const auto* bits = static_cast<const std::uint16_t*>(from);
  if (dtype == DType::bf16) {
    std::size_t i = WidenVectors(static_cast<const hwy::bfloat16_t*>(from), count, to);
    for (; i < count; ++i) to[i] = bf16_to_f32(bits[i]);
  } else {
    std::size_t i = WidenVectors(static_cast<const hwy::float16_t*>(from), count, to);
    for (; i < count; ++i) to[i] = f16_to_f32(bits[i]);
  }
}

// In integers, as half.h does it: instructions for it exist on few machines and flush subnormals.
void ToBf16(const float* HWY_RESTRICT from, std::size_t count, std::uint16_t* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> d32;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, from + i);
    const auto bits = hn::BitCast(d32, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7fff)));
    const auto quiet = hn::Or(bits, hn::Set(d32, 0x400000));
    const auto chosen = hn::IfThenElse(hn::RebindMask(d32, hn::IsNaN(value)), quiet, rounded);
    hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(chosen)), d16, to + i);
  }
  for (; i < count; ++i) to[i] = f32_to_bf16(from[i]);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stagebench::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(ToF32);
HWY_EXPORT(ToBf16);

void convert_to_f32(DType dtype, const void* from, std::int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(ToF32)(dtype, from, static_cast<std::size_t>(count), to);
}

void convert_to_bf16(const float* from, std::int64_t count, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(ToBf16)(from, static_cast<std::size_t>(count), to);
}

}  // namespace stagebench::cpu
#endif
