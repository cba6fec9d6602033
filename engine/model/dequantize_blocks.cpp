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
template <DType type, void (*block)(const std::uint8_t*, float*)>
void dequantize_blocks(const std::byte* source, std::int64_t elements, std::byte* destination) {
  constexpr DTypeTraits sizes = traits(type);
  const auto* from = reinterpret_cast<const std::uint8_t*>(source);
  for (std::int64_t i = 0; i < elements / sizes.block_elements; ++i) {
    float values[sizes.block_elements];
    block(from + i * sizes.block_bytes, values);
    std::memcpy(destination + i * static_cast<std::int64_t>(sizeof(values)), values, sizeof(values));
  }
}

void dequantize(DType type, const std::byte* source, std::int64_t elements, std::byte* destination) {
  switch (type) {
    case DType::q8_0: return dequantize_blocks<DType::q8_0, q8_0_block>(source, elements, destination);
    case DType::q4_0: return dequantize_blocks<DType::q4_0, q4_0_block>(source, elements, destination);
    case DType::q4_1: return dequantize_blocks<DType::q4_1, q4_1_block>(source, elements, destination);
    case DType::q5_0: return dequantize_blocks<DType::q5_0, q5_0_block>(source, elements, destination);
    case DType::q5_1: return dequantize_blocks<DType::q5_1, q5_1_block>(source, elements, destination);
    case DType::q2_k: return dequantize_blocks<DType::q2_k, q2_k_block>(source, elements, destination);
    case DType::q3_k: return dequantize_blocks<DType::q3_k, q3_k_block>(source, elements, destination);
    case DType::q4_k: return dequantize_blocks<DType::q4_k, q4_k_block>(source, elements, destination);
    case DType::q5_k: return dequantize_blocks<DType::q5_k, q5_k_block>(source, elements, destination);
    case DType::q6_k: return dequantize_blocks<DType::q6_k, q6_k_block>(source, elements, destination);
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
