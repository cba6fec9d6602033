// The K types: super-blocks of 256 values in sub-blocks of 16 or 32, whose scales (and minima) are integers times a
// scale of the super-block. Plain loops that compilers vectorise; included once a target (the toggle in place of an
// include guard).

#include <cstdint>

#include "dequantize_legacy-inl.h"

#if defined(STAGEBENCH_DEQUANTIZE_K_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STAGEBENCH_DEQUANTIZE_K_INL_H
#undef STAGEBENCH_DEQUANTIZE_K_INL_H
#else
#define STAGEBENCH_DEQUANTIZE_K_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace stagebench {
namespace HWY_NAMESPACE {

/// scales[16] (4 bits of scale, 4 of minimum), qs[64], d, dmin. Each half of 128 values has 32 bytes, whose bit pairs
/// are four runs of 32 values. y = d scale q - dmin minimum.
HWY_INLINE void q2_k_block(const std::uint8_t* block, float* values) {
  const std::uint8_t* qs = block + 16;
  const float d = load_f16(block + 80);
  const float d_min = load_f16(block + 82);
  for (int sub = 0; sub < 16; ++sub) {
    const float scale = d * static_cast<float>(block[sub] & 15);
    const float minimum = d_min * static_cast<float>(block[sub] >> 4);
    const std::uint8_t* q = qs + (sub / 8) * 32 + (sub % 2) * 16;
    const int shift = (sub % 8) / 2 * 2;
    for (int i = 0; i < 16; ++i) values[sub * 16 + i] = scale * static_cast<float>((q[i] >> shift) & 3) - minimum;
  }
}

/// hmask[32], qs[64], scales[12], d. Bit pairs as in q2_k; bit k of hmask[i] is the third bit of value i of run k of
/// 32, and stands for "do not subtract 4". The 16 scales have 6 bits: four low ones in scales[0..8), two high ones in
/// scales[8..12). y = d (scale - 32) q.
HWY_INLINE void q3_k_block(const std::uint8_t* block, float* values) {
  const std::uint8_t* qs = block + 32;
  const std::uint8_t* scales = block + 96;
  const float d = load_f16(block + 108);
  for (int sub = 0; sub < 16; ++sub) {
    const int low = sub < 8 ? scales[sub] & 15 : scales[sub - 8] >> 4;
    const int high = (scales[8 + sub % 4] >> (2 * (sub / 4))) & 3;
    const float scale = d * static_cast<float>((low | (high << 4)) - 32);
    const std::uint8_t* q = qs + (sub / 8) * 32 + (sub % 2) * 16;
    const std::uint8_t* mask = block + (sub % 2) * 16;
    const int shift = (sub % 8) / 2 * 2;
    const int run = sub / 2;
    for (int i = 0; i < 16; ++i) {
      const int subtracted = 4 - (((mask[i] >> run) & 1) << 2);
      values[sub * 16 + i] = scale * static_cast<float>(((q[i] >> shift) & 3) - subtracted);
    }
  }
}

struct ScaleAndMinimum {
  int scale;
  int minimum;
};

/// The 8 scales and minima of q4_k and q5_k, 6 bits each in 12 bytes: bytes 0-3 and 4-7 have those of sub-blocks 0-3
/// and, in their upper two bits, the high bits of sub-blocks 4-7, whose low nibbles lie in bytes 8-11.
HWY_INLINE ScaleAndMinimum scale_and_minimum(const std::uint8_t* packed, int sub) {
  if (sub < 4) return {packed[sub] & 63, packed[sub + 4] & 63};
  return {(packed[sub + 4] & 15) | ((packed[sub - 4] >> 6) << 4), (packed[sub + 4] >> 4) | ((packed[sub] >> 6) << 4)};
}

/// d, dmin, scales[12], qs[128]. 32 bytes hold sub-block 2 k in their low nibbles, 2 k + 1 in their high ones.
/// y = d scale q - dmin minimum.
HWY_INLINE void q4_k_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  const float d_min = load_f16(block + 2);
  for (int sub = 0; sub < 8; ++sub) {
    const ScaleAndMinimum packed = scale_and_minimum(block + 4, sub);
    const float scale = d * static_cast<float>(packed.scale);
    const float minimum = d_min * static_cast<float>(packed.minimum);
    const std::uint8_t* q = block + 16 + (sub / 2) * 32;
    const int shift = (sub % 2) * 4;
    for (int i = 0; i < 32; ++i) values[sub * 32 + i] = scale * static_cast<float>((q[i] >> shift) & 15) - minimum;
  }
}

/// d, dmin, scales[12], qh[32], qs[128]: as q4_k, and bit k of qh[i] is the fifth bit of value i of sub-block k.
HWY_INLINE void q5_k_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block);
  const float d_min = load_f16(block + 2);
  const std::uint8_t* high = block + 16;
  for (int sub = 0; sub < 8; ++sub) {
    const ScaleAndMinimum packed = scale_and_minimum(block + 4, sub);
    const float scale = d * static_cast<float>(packed.scale);
    const float minimum = d_min * static_cast<float>(packed.minimum);
    const std::uint8_t* q = block + 48 + (sub / 2) * 32;
    const int shift = (sub % 2) * 4;
    for (int i = 0; i < 32; ++i) {
      const int value = ((q[i] >> shift) & 15) | (((high[i] >> sub) & 1) << 4);
      values[sub * 32 + i] = scale * static_cast<float>(value) - minimum;
    }
  }
}

/// ql[128], qh[64], scales[16] (signed), d. A half of 128 values has 64 bytes of ql, whose low nibbles are its first 64
/// values and whose high ones the last, and 32 bytes of qh, whose bit pairs are the upper bits of four runs of 32.
/// y = d scale (q - 32).
HWY_INLINE void q6_k_block(const std::uint8_t* block, float* values) {
  const float d = load_f16(block + 208);
  for (int sub = 0; sub < 16; ++sub) {
    const int half = sub / 8;
    const int run = (sub % 8) / 2;
    const int within = (sub % 2) * 16;
    const float scale = d * static_cast<float>(static_cast<std::int8_t>(block[192 + sub]));
    const std::uint8_t* low = block + half * 64 + (run % 2) * 32 + within;
    const std::uint8_t* high = block + 128 + half * 32 + within;
    const int low_shift = (run / 2) * 4;
    const int high_shift = run * 2;
    for (int i = 0; i < 16; ++i) {
      const int q = ((low[i] >> low_shift) & 15) | (((high[i] >> high_shift) & 3) << 4);
      values[sub * 16 + i] = scale * static_cast<float>(q - 32);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace stagebench
HWY_AFTER_NAMESPACE();

#endif
