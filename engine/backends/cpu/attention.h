#pragma once

/// Causal attention softmax(q k^T) v, one pass over blocks of keys with a running maximum and sum (Milakov and
/// Gimelshein, 2018; FlashAttention's order, Dao et al., 2022), so that no more than [rows][kScoreColumns] scores are
/// ever in memory. The query heads that share a key-value head are rows of one call: keys and values are read once for
/// all of them. A result over some keys is a record (below); records over disjoint keys merge exactly.

#include <cstdint>

#include "cpu/kv_cache.h"

namespace stagebench::cpu {

inline constexpr std::int64_t kScoreColumns = 128;
/// Behind the values of a record: its maximum, its sum, padding up to a cache line.
inline constexpr std::int64_t kRecordTail = 16;

/// Elements of one row's record: [value_stride] weighted sums of values, the maximum, the sum of weights.
constexpr std::int64_t record_stride(std::int64_t head_dim) noexcept {
  return round_up(head_dim, kKeyBlock) + kRecordTail;
}

/// Rows are ordered by position, then by head: row r is at position first_position + r / group and sees the keys up to
/// and with its own.
struct Queries {
  const float* q = nullptr;  ///< [rows][head_dim], turned and scaled by 1 / sqrt(head_dim)
  std::int64_t rows = 0;
  std::int64_t group = 1;  ///< query heads a key-value head
  std::int64_t first_position = 0;
};

/// Attends to keys [first_key, end_key) and writes `records`, [rows][record_stride]. first_key is a multiple of 16.
/// `scores` is [rows][kScoreColumns] of scratch. A row that sees none of the keys gets a record without weight.
void attend(const Queries& queries, const KeyValueHead& kv, std::int64_t first_key, std::int64_t end_key, float* scores,
            float* records);

/// One row's result from its records over disjoint keys, `parts` of them, `part_stride` elements apart. `out` is
/// [head_dim].
void merge_records(const float* records, std::int64_t parts, std::int64_t part_stride, std::int64_t head_dim,
                   float* out);

}  // namespace stagebench::cpu
