#pragma once

/// Keys and values of all layers, sequences and key-value heads, in the layout that attention reads:
///
///   keys    [position / 16][head_dim][16]   16 neighbouring positions side by side, so that 16 scores are computed at
///                                           once from whole vectors, without sums across lanes or a transposition
///   values  [position][value_stride]        head_dim values, padded with zeros to a multiple of 16
///
/// Type: f32 for f32 models. f16 for both 16-bit types, as llama.cpp does: it halves what decode reads at depth, and
/// f16 rounds 8 times finer than bf16 while keys and values stay far below its 65,504.

#include <cstddef>
#include <cstdint>

#include "cpu/aligned_buffer.h"
#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/model.h"

namespace stagebench::cpu {

inline constexpr std::int64_t kKeyBlock = 16;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

/// One (layer, sequence, key-value head).
struct KeyValueHead {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  DType dtype{};  ///< f32 or f16
  std::int64_t head_dim = 0;

  std::int64_t value_stride() const noexcept { return round_up(head_dim, kKeyBlock); }
  /// Writes `key` and `value`, both [head_dim], as `position`.
  void store(std::int64_t position, const float* key, const float* value) const;
};

class KvCache {
 public:
  /// Allocates and touches memory for `capacity` tokens in each of `batch` sequences.
  KvCache(const ModelConfig& config, DType compute_dtype, std::int64_t batch, std::int64_t capacity);

  KeyValueHead head(std::int64_t layer, std::int64_t sequence, std::int64_t kv_head) const noexcept;

  static constexpr DType dtype(DType compute_dtype) noexcept {
    return compute_dtype == DType::f32 ? DType::f32 : DType::f16;
  }
  /// Saturates where the product does not fit.
  static std::uint64_t bytes(const ModelConfig& config, DType compute_dtype, std::int64_t batch,
                             std::int64_t capacity) noexcept;

 private:
  DType dtype_;
  std::int64_t head_dim_;
  std::int64_t n_kv_heads_;
  std::int64_t batch_;
  std::size_t key_bytes_;   ///< of one head
  std::size_t head_bytes_;  ///< of one head, keys and values
  AlignedBuffer memory_;
};

}  // namespace stagebench::cpu
