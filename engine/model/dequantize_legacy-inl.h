// The block types of 32 values: a scale d, for the _1 types a minimum m, and 4, 5 or 8 bits a value.
// Plain loops that compilers vectorise; included once a target (the toggle in place of an include guard).

#include <cstdint>
#include <cstring>

#include "stagebench/support/half.h"

#if defined(STAGEBENCH_DEQUANTIZE_LEGACY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STAGEBENCH_DEQUANTIZE_LEGACY_INL_H
#undef STAGEBENCH_DEQUANTIZE_LEGACY_INL_H
#else
#define STAGEBENCH_DEQUANTIZE_LEGACY_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace stagebench {
namespace HWY_NAMESPACE {

HWY_INLINE float load_f16(const std::uint8_t* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return f16_to_f32(bits);
}

/// d, then 32 signed bytes: y = q d.
HWY_INLINE void q8_0_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * d;
}

/// d, then 16 bytes: the low nibbles are the first half. y = (q - 8) d.
HWY_INLINE void q4_0_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  const std::uint8_t* nibbles = block + 2;
  for (int i = 0; i < 16; ++i) {
    values[i] = static_cast<float>((nibbles[i] & 15) - 8) * d;
    values[i + 16] = static_cast<float>((nibbles[i] >> 4) - 8) * d;
  }
}

/// d, m, then nibbles as in q4_0. y = q d + m.
HWY_INLINE void q4_1_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  const float m = load_f16(block + 2);
  const std::uint8_t* nibbles = block + 4;
  for (int i = 0; i < 16; ++i) {
    values[i] = static_cast<float>(nibbles[i] & 15) * d + m;
    values[i + 16] = static_cast<float>(nibbles[i] >> 4) * d + m;
  }
}

/// Nibbles as in q4_0 and the fifth bits, bit i for value i.
HWY_INLINE void five_bits(const std::uint8_t* high_bits, const std::uint8_t* nibbles, int* q) {
  std::uint32_t high;
  std::memcpy(&high, high_bits, sizeof(high));
  for (int i = 0; i < 16; ++i) {
    q[i] = (nibbles[i] & 15) | static_cast<int>(((high >> i) & 1U) << 4);
    q[i + 16] = (nibbles[i] >> 4) | static_cast<int>(((high >> (i + 16)) & 1U) << 4);
  }
}

/// d, 4 bytes of fifth bits, nibbles. y = (q - 16) d.
HWY_INLINE void q5_0_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  int q[32];
  five_bits(block + 2, block + 6, q);
  for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(q[i] - 16) * d;
}

/// d, m, 4 bytes of fifth bits, nibbles. y = q d + m.
HWY_INLINE void q5_1_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  const float m = load_f16(block + 2);
  int q[32];
  five_bits(block + 4, block + 8, q);
  for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(q[i]) * d + m;
}

}  // namespace HWY_NAMESPACE
}  // namespace stagebench
HWY_AFTER_NAMESPACE();

#endif
