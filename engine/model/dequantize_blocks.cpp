#include "dequantize_blocks.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dequantize_blocks.cpp"
#include <hwy/foreach_target.h>
// behind foreach_target, which includes this file once a target
#include <hwy/highway.h>

#include "dequantize_k-inl.h"
#include "dequantize_legacy-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stagebench {
namespace HWY_NAMESPACE {

/// Loops over blocks of one type. Each is dequantised in registers or the first-level cache, then copied, because the
/// destination need not be aligned for float.
template <std::int64_t elements_per_block, std::int64_t bytes_per_block, class Block>
void dequantize_blocks(const std::byte* source, std::int64_t elements, std::byte* destination, Block block) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(source);
  for (std::int64_t i = 0; i < elements / elements_per_block; ++i) {
    float values[elements_per_block];
    block(from + i * bytes_per_block, values);
    std::memcpy(destination + i * elements_per_block * 4, values, sizeof(values));
  }
}

void dequantize(DType type, const std::byte* source, std::int64_t elements, std::byte* destination) {
  switch (type) {
    case DType::q8_0: return dequantize_blocks<32, 34>(source, elements, destination, q8_0_block);
    case DType::q4_0: return dequantize_blocks<32, 18>(source, elements, destination, q4_0_block);
    case DType::q4_1: return dequantize_blocks<32, 20>(source, elements, destination, q4_1_block);
    case DType::q5_0: return dequantize_blocks<32, 22>(source, elements, destination, q5_0_block);
    case DType::q5_1: return dequantize_blocks<32, 24>(source, elements, destination, q5_1_block);
    case DType::q2_k: return dequantize_blocks<256, 84>(source, elements, destination, q2_k_block);
    case DType::q3_k: return dequantize_blocks<256, 110>(source, elements, destination, q3_k_block);
    case DType::q4_k: return dequantize_blocks<256, 144>(source, elements, destination, q4_k_block);
    case DType::q5_k: return dequantize_blocks<256, 176>(source, elements, destination, q5_k_block);
    case DType::q6_k: return dequantize_blocks<256, 210>(source, elements, destination, q6_k_block);
    case DType::f32:
    case DType::f16:
    case DType::bf16: return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace stagebench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench {

HWY_EXPORT(dequantize);

void dequantize_row(DType type, const std::byte* source, std::int64_t elements, std::byte* destination) {
  HWY_DYNAMIC_DISPATCH(dequantize)(type, source, elements, destination);
}

}  // namespace stagebench
#endif
