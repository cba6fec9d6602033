#include "cpu/kv_cache.h"

#include <algorithm>
#include <cstring>

#include "cpu/checked_size.h"
#include "stagebench/support/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kv_cache.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// Behind foreach_target.h, which sets the target that it compiles for.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
// Without conversion instructions Highway drops subnormals and does not round to nearest.
void row_to_f16(const float* in, std::int64_t size, std::uint16_t* out) {
  std::transform(in, in + size, out, f32_to_f16);
}
#else
namespace hn = hwy::HWY_NAMESPACE;

void row_to_f16(const float* in, std::int64_t size, std::uint16_t* out) {
  const hn::CappedTag<float, 16> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::DemoteTo(d16, hn::LoadU(d, in + i)), d16, reinterpret_cast<hwy::float16_t*>(out + i));
  }
  for (; i < size; ++i) out[i] = f32_to_f16(in[i]);
}
#endif

/// Element i goes to out[16 i]: a column of a key block.
void scatter_key(const std::uint16_t* in, std::int64_t size, std::uint16_t* out) {
  for (std::int64_t i = 0; i < size; ++i) out[i * 16] = in[i];
}

void store_f16(const float* key, const float* value, std::int64_t head_dim, std::uint16_t* key_column,
               std::uint16_t* value_row) {
  constexpr std::int64_t kPiece = 64;
  std::uint16_t piece[kPiece];
  for (std::int64_t i = 0; i < head_dim; i += kPiece) {
    const std::int64_t size = head_dim - i < kPiece ? head_dim - i : kPiece;
    row_to_f16(key + i, size, piece);
    scatter_key(piece, size, key_column + i * 16);
  }
  row_to_f16(value, head_dim, value_row);
}

}  // namespace
}  // namespace stagebench::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(store_f16);

void KeyValueHead::store(std::int64_t position, const float* key, const float* value) const {
  const std::int64_t column = position / kKeyBlock * kKeyBlock * head_dim + position % kKeyBlock;
  const std::int64_t row = position * value_stride();
  if (dtype == DType::f16) {
    HWY_DYNAMIC_DISPATCH(store_f16)
    (key, value, head_dim, reinterpret_cast<std::uint16_t*>(keys) + column,
     reinterpret_cast<std::uint16_t*>(values) + row);
    return;
  }
  float* key_column = reinterpret_cast<float*>(keys) + column;
  for (std::int64_t i = 0; i < head_dim; ++i) key_column[i * kKeyBlock] = key[i];
  std::copy_n(value, head_dim, reinterpret_cast<float*>(values) + row);
}

KvCache::KvCache(const ModelConfig& config, DType compute_dtype, std::int64_t batch, std::int64_t capacity)
    : dtype_(dtype(compute_dtype)), head_dim_(config.head_dim), n_kv_heads_(config.n_kv_heads), batch_(batch) {
  const std::int64_t positions = round_up(capacity, kKeyBlock);
  const std::int64_t element_bytes = traits(dtype_).block_bytes;
  key_bytes_ = static_cast<std::size_t>(positions * head_dim_ * element_bytes);
  const std::int64_t value_bytes = positions * round_up(head_dim_, kKeyBlock) * element_bytes;
  head_bytes_ = key_bytes_ + static_cast<std::size_t>(value_bytes);
  memory_ = AlignedBuffer(static_cast<std::size_t>(config.n_layers * batch * n_kv_heads_) * head_bytes_);
  std::memset(memory_.data(), 0, memory_.size());  // page faults belong here, and padding must be finite
}

KeyValueHead KvCache::head(std::int64_t layer, std::int64_t sequence, std::int64_t kv_head) const noexcept {
  const std::int64_t index = (layer * batch_ + sequence) * n_kv_heads_ + kv_head;
  std::byte* keys = memory_.data() + static_cast<std::size_t>(index) * head_bytes_;
  return {.keys = keys, .values = keys + key_bytes_, .dtype = dtype_, .head_dim = head_dim_};
}

std::uint64_t KvCache::bytes(const ModelConfig& config, DType compute_dtype, std::int64_t batch,
                             std::int64_t capacity) noexcept {
  const auto heads = saturating_product({static_cast<std::uint64_t>(config.n_layers), static_cast<std::uint64_t>(batch),
                                         static_cast<std::uint64_t>(config.n_kv_heads)});
  const auto element_bytes = static_cast<std::uint64_t>(traits(dtype(compute_dtype)).block_bytes);
  const auto positions = static_cast<std::uint64_t>(round_up(capacity, kKeyBlock));
  const auto key_bytes = saturating_product({positions, static_cast<std::uint64_t>(config.head_dim), element_bytes});
  const auto value_width = static_cast<std::uint64_t>(round_up(config.head_dim, kKeyBlock));
  const auto value_bytes = saturating_product({positions, value_width, element_bytes});
  return saturating_product({heads, saturating_sum({key_bytes, value_bytes})});
}

}  // namespace stagebench::cpu
#endif
