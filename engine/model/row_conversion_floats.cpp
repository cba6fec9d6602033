#include "row_conversion_floats.h"

#include <cstring>

#include "stagebench/support/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_conversion_floats.cpp"
#include <hwy/foreach_target.h>
// behind foreach_target, which includes this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;     // one f32 a lane, as bits
using Halves = hn::Rebind<std::uint16_t, Words>;  // as many 16-bit lanes
using Floats = hn::Rebind<float, Words>;
using SignedWords = hn::Rebind<std::int32_t, Words>;

template <class D>
hn::VFromD<D> load_bytes(D d, const std::byte* from) {
#if HWY_TARGET == HWY_SCALAR
  hn::TFromD<D> value;
  std::memcpy(&value, from, sizeof(value));
  return hn::Set(d, value);
#else
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
#endif
}

template <class D>
void store_bytes([[maybe_unused]] D d, hn::VFromD<D> value, std::byte* to) {
#if HWY_TARGET == HWY_SCALAR
  const hn::TFromD<D> lane = hn::GetLane(value);
  std::memcpy(to, &lane, sizeof(lane));
#else
  const hn::Repartition<std::uint8_t, D> bytes;
  hn::StoreU(hn::BitCast(bytes, value), bytes, reinterpret_cast<std::uint8_t*>(to));
#endif
}

template <typename From, typename To, class VectorStep, class ScalarStep>
void convert(const std::byte* source, std::int64_t elements, std::byte* destination, VectorStep vector_step,
             ScalarStep scalar_step) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Words()));
  const auto from_bytes = static_cast<std::int64_t>(sizeof(From));
  const auto to_bytes = static_cast<std::int64_t>(sizeof(To));
  std::int64_t i = 0;
  for (; i + lanes <= elements; i += lanes) vector_step(source + i * from_bytes, destination + i * to_bytes);
  for (; i < elements; ++i) {
    From value;
    std::memcpy(&value, source + i * from_bytes, sizeof(From));
    const To converted = scalar_step(value);
    std::memcpy(destination + i * to_bytes, &converted, sizeof(To));
  }
}

void bf16_to_f32(const std::byte* source, std::int64_t elements, std::byte* destination) {
  const Words words;
  const auto step = [&](const std::byte* from, std::byte* to) {
    store_bytes(words, hn::ShiftLeft<16>(hn::PromoteTo(words, load_bytes(Halves(), from))), to);
  };
  convert<std::uint16_t, float>(source, elements, destination, step, stagebench::bf16_to_f32);
}

void f16_to_f32(const std::byte* source, std::int64_t elements, std::byte* destination) {
  const Words words;
  const SignedWords signed_words;
  const Floats floats;
  const auto step = [&](const std::byte* from, std::byte* to) {
    const auto bits = hn::PromoteTo(words, load_bytes(Halves(), from));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(words, 0x8000U)));
    const auto magnitude = hn::And(bits, hn::Set(words, 0x7fffU));
    // The exponent's bias grows by 112; that of infinity and NaN, which is all ones, by 112 once more.
    const auto is_special = hn::Gt(hn::BitCast(signed_words, magnitude), hn::Set(signed_words, 0x7bff));
    const auto special_bias = hn::IfThenElseZero(hn::RebindMask(words, is_special), hn::Set(words, 112U << 23));
    const auto normal = hn::Add(hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(words, 112U << 23)), special_bias);
    // Subnormals: the mantissa times 2^-24, exact in f32.
    const auto subnormal = hn::BitCast(
        words, hn::Mul(hn::ConvertTo(floats, hn::BitCast(signed_words, magnitude)), hn::Set(floats, 0x1p-24F)));
    const auto is_subnormal = hn::Lt(hn::BitCast(signed_words, magnitude), hn::Set(signed_words, 0x400));
    store_bytes(words, hn::Or(sign, hn::IfThenElse(hn::RebindMask(words, is_subnormal), subnormal, normal)), to);
  };
  convert<std::uint16_t, float>(source, elements, destination, step, stagebench::f16_to_f32);
}

void f32_to_bf16(const std::byte* source, std::int64_t elements, std::byte* destination) {
  const Words words;
  const SignedWords signed_words;
  const Halves halves;
  const auto step = [&](const std::byte* from, std::byte* to) {
    const auto bits = load_bytes(words, from);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1U));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7fffU))));
    const auto quiet_nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(words, 0x40U));
    const auto magnitude = hn::BitCast(signed_words, hn::And(bits, hn::Set(words, 0x7fffffffU)));
    const auto is_nan = hn::RebindMask(words, hn::Gt(magnitude, hn::Set(signed_words, 0x7f800000)));
    const auto result = hn::BitCast(signed_words, hn::IfThenElse(is_nan, quiet_nan, rounded));
    store_bytes(halves, hn::DemoteTo(halves, result), to);
  };
  convert<float, std::uint16_t>(source, elements, destination, step, stagebench::f32_to_bf16);
}

void f32_to_f16(const std::byte* source, std::int64_t elements, std::byte* destination) {
  const Words words;
  const SignedWords signed_words;
  const Floats floats;
  const Halves halves;
  const auto step = [&](const std::byte* from, std::byte* to) {
    const auto bits = load_bytes(words, from);
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 0x8000U));
    const auto magnitude = hn::And(bits, hn::Set(words, 0x7fffffffU));
    const auto compared = hn::BitCast(signed_words, magnitude);
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1U));
    const auto normal = hn::ShiftRight<13>(
        hn::Sub(hn::Add(magnitude, hn::Add(odd, hn::Set(words, 0xfffU))), hn::Set(words, 112U << 23)));
    // Below 2^-14: adding 0.5 lets the float unit round at 2^-24, half's subnormal step.
    const auto shifted = hn::Add(hn::BitCast(floats, magnitude), hn::Set(floats, 0.5F));
    const auto subnormal = hn::Sub(hn::BitCast(words, shifted), hn::Set(words, 0x3f000000U));
    const auto is_subnormal = hn::RebindMask(words, hn::Lt(compared, hn::Set(signed_words, 0x38800000)));
    const auto overflows = hn::RebindMask(words, hn::Gt(compared, hn::Set(signed_words, 0x477fefff)));
    const auto is_nan = hn::RebindMask(words, hn::Gt(compared, hn::Set(signed_words, 0x7f800000)));
    auto result = hn::IfThenElse(is_subnormal, subnormal, normal);
    result = hn::IfThenElse(overflows, hn::Set(words, 0x7c00U), result);
    result = hn::IfThenElse(is_nan, hn::Set(words, 0x7e00U), result);
    store_bytes(halves, hn::DemoteTo(halves, hn::BitCast(signed_words, hn::Or(sign, result))), to);
  };
  convert<float, std::uint16_t>(source, elements, destination, step, stagebench::f32_to_f16);
}

}  // namespace HWY_NAMESPACE
}  // namespace stagebench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench {

HWY_EXPORT(f16_to_f32);
HWY_EXPORT(bf16_to_f32);
HWY_EXPORT(f32_to_f16);
HWY_EXPORT(f32_to_bf16);

void f16_to_f32_row(const std::byte* source, std::int64_t elements, std::byte* destination) {
  HWY_DYNAMIC_DISPATCH(f16_to_f32)(source, elements, destination);
}

void bf16_to_f32_row(const std::byte* source, std::int64_t elements, std::byte* destination) {
  HWY_DYNAMIC_DISPATCH(bf16_to_f32)(source, elements, destination);
}

void f32_to_f16_row(const std::byte* source, std::int64_t elements, std::byte* destination) {
  HWY_DYNAMIC_DISPATCH(f32_to_f16)(source, elements, destination);
}

void f32_to_bf16_row(const std::byte* source, std::int64_t elements, std::byte* destination) {
  HWY_DYNAMIC_DISPATCH(f32_to_bf16)(source, elements, destination);
}

}  // namespace stagebench
#endif
