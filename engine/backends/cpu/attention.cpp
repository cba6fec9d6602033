#include "cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "cpu/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/attention.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// Behind foreach_target.h, which sets the target that it compiles for.
#include <hwy/highway.h>

#include "cpu/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::CappedTag<float, 16>;
using Vector = hn::Vec<F32>;

constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(F32()));
constexpr std::int64_t kBlockVectors = kKeyBlock / kLanes;
/// Register blocking: kTileRows x (blocks of 16) accumulators, 24 of 32 registers with AVX-512, 12 of 16 with AVX2.
constexpr int kTileRows = 6;
constexpr int kTileBlocks = kLanes == 16 ? 4 : 1;

HWY_INLINE Vector load(const float* from) {
  return hn::LoadU(F32(), from);
}
HWY_INLINE Vector load(const hwy::float16_t* from) {
  return hn::PromoteTo(F32(), hn::LoadU(hn::Rebind<hwy::float16_t, F32>(), from));
}

/// scores[r][16 b + j] = q[r] . key (16 b + j), for `Rows` rows and `Blocks` blocks of keys.
template <int Rows, int Blocks, typename T>
HWY_INLINE void score_tile(const float* q, std::int64_t head_dim, const T* keys, float* scores) {
  constexpr int kVectors = Blocks * static_cast<int>(kBlockVectors);
  const F32 d;
  Vector sums[Rows][kVectors];
  STAGEBENCH_UNROLL
  for (int r = 0; r < Rows; ++r) {
    STAGEBENCH_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (std::int64_t i = 0; i < head_dim; ++i) {
    Vector key[kVectors];
    STAGEBENCH_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t block = v / kBlockVectors;
      key[v] = load(keys + (block * head_dim + i) * kKeyBlock + v % kBlockVectors * kLanes);
    }
    STAGEBENCH_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const Vector query = hn::Set(d, q[r * head_dim + i]);
      STAGEBENCH_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(query, key[v], sums[r][v]);
    }
  }
  STAGEBENCH_UNROLL
  for (int r = 0; r < Rows; ++r) {
    STAGEBENCH_UNROLL
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], d, scores + r * kScoreColumns + v * kLanes);
  }
}

template <int Rows, typename T>
void score_rows(const float* q, std::int64_t head_dim, const T* keys, std::int64_t n_keys, float* scores) {
  const std::int64_t blocks = (n_keys + kKeyBlock - 1) / kKeyBlock;
  std::int64_t b = 0;
  for (; b + kTileBlocks <= blocks; b += kTileBlocks) {
    score_tile<Rows, kTileBlocks>(q, head_dim, keys + b * kKeyBlock * head_dim, scores + b * kKeyBlock);
  }
  for (; b < blocks; ++b) {
    score_tile<Rows, 1>(q, head_dim, keys + b * kKeyBlock * head_dim, scores + b * kKeyBlock);
  }
}

/// out[r] += sum over keys of weights[r][key] * values[key], for `Vectors` vectors of the head.
template <int Rows, int Vectors, typename T>
HWY_INLINE void value_tile(const float* weights, std::int64_t n_keys, const T* values, std::int64_t value_stride,
                           float* out) {
  const F32 d;
  const std::int64_t stride = value_stride + kRecordTail;
  Vector sums[Rows][Vectors];
  STAGEBENCH_UNROLL
  for (int r = 0; r < Rows; ++r) {
    STAGEBENCH_UNROLL
    for (int v = 0; v < Vectors; ++v) sums[r][v] = hn::LoadU(d, out + r * stride + v * kLanes);
  }
  for (std::int64_t key = 0; key < n_keys; ++key) {
    Vector value[Vectors];
    STAGEBENCH_UNROLL
    for (int v = 0; v < Vectors; ++v) value[v] = load(values + key * value_stride + v * kLanes);
    STAGEBENCH_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const Vector weight = hn::Set(d, weights[r * kScoreColumns + key]);
      STAGEBENCH_UNROLL
      for (int v = 0; v < Vectors; ++v) sums[r][v] = hn::MulAdd(weight, value[v], sums[r][v]);
    }
  }
  STAGEBENCH_UNROLL
  for (int r = 0; r < Rows; ++r) {
    STAGEBENCH_UNROLL
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sums[r][v], d, out + r * stride + v * kLanes);
  }
}

template <int Rows, typename T>
void value_rows(const float* weights, std::int64_t n_keys, const T* values, std::int64_t value_stride, float* out) {
  constexpr int kWide = kTileBlocks * static_cast<int>(kBlockVectors);
  std::int64_t i = 0;
  for (; i + kWide * kLanes <= value_stride; i += kWide * kLanes) {
    value_tile<Rows, kWide>(weights, n_keys, values + i, value_stride, out + i);
  }
  for (; i < value_stride; i += kKeyBlock) {
    value_tile<Rows, static_cast<int>(kBlockVectors)>(weights, n_keys, values + i, value_stride, out + i);
  }
}

/// Calls `body` with a constant number of rows, which is what register blocking needs.
template <typename Body>
HWY_INLINE void with_rows(std::int64_t rows, const Body& body) {
  switch (rows) {
    case 1: return body(std::integral_constant<int, 1>());
    case 2: return body(std::integral_constant<int, 2>());
    case 3: return body(std::integral_constant<int, 3>());
    case 4: return body(std::integral_constant<int, 4>());
    case 5: return body(std::integral_constant<int, 5>());
    default: return body(std::integral_constant<int, kTileRows>());
  }
}

/// Scores of one row become weights e^(score - maximum); the record's maximum, sum and values follow.
/// Scores from `seen` on are masked: weight 0 up to `n_keys`.
void softmax_row(float* scores, std::int64_t seen, std::int64_t n_keys, std::int64_t value_stride, float* record) {
  const F32 d;
  const std::int64_t padded = (std::max<std::int64_t>(seen, 0) + kKeyBlock - 1) / kKeyBlock * kKeyBlock;
  if (seen <= 0) {
    std::fill_n(scores, n_keys, 0.0F);
    return;
  }
  float& maximum = record[value_stride];
  float& sum = record[value_stride + 1];
  std::fill(scores + seen, scores + padded, -std::numeric_limits<float>::infinity());
  auto largest = hn::Set(d, maximum);
  for (std::int64_t i = 0; i < padded; i += kLanes) largest = hn::Max(largest, hn::LoadU(d, scores + i));
  const float new_maximum = hn::GetLane(hn::MaxOfLanes(d, largest));
  auto sums = hn::Zero(d);
  for (std::int64_t i = 0; i < padded; i += kLanes) {
    const auto weight = exp_approximated(d, hn::Sub(hn::LoadU(d, scores + i), hn::Set(d, new_maximum)));
    hn::StoreU(weight, d, scores + i);
    sums = hn::Add(sums, weight);
  }
  std::fill(scores + seen, scores + std::max(n_keys, padded), 0.0F);
  if (new_maximum != maximum) {
    const float shrink = std::exp(maximum - new_maximum);  // 0 at first, when the maximum is -infinity
    for (std::int64_t i = 0; i < value_stride; i += kLanes) {
      hn::StoreU(hn::Mul(hn::LoadU(d, record + i), hn::Set(d, shrink)), d, record + i);
    }
    sum *= shrink;
    maximum = new_maximum;
  }
  sum += hn::GetLane(hn::SumOfLanes(d, sums));
}

/// Keys [first_key, first_key + n_keys), at most kScoreColumns, for all rows.
template <typename T>
void attend_block(const Queries& queries, const KeyValueHead& kv, std::int64_t first_key, std::int64_t n_keys,
                  float* scores, float* records) {
  const std::int64_t stride = record_stride(kv.head_dim);
  const std::int64_t value_stride = kv.value_stride();
  const T* keys = reinterpret_cast<const T*>(kv.keys) + first_key * kv.head_dim;
  const T* values = reinterpret_cast<const T*>(kv.values) + first_key * value_stride;
  for (std::int64_t row = 0; row < queries.rows; row += kTileRows) {
    const std::int64_t rows = std::min<std::int64_t>(kTileRows, queries.rows - row);
    const auto seen = [&](std::int64_t r) { return queries.first_position + r / queries.group + 1 - first_key; };
    const std::int64_t tile_keys = std::min(n_keys, seen(row + rows - 1));
    if (tile_keys <= 0) continue;
    float* tile_scores = scores + row * kScoreColumns;
    float* tile_records = records + row * stride;
    with_rows(rows, [&](auto constant_rows) HWY_ATTR {
      constexpr int kRows = decltype(constant_rows)::value;
      score_rows<kRows>(queries.q + row * kv.head_dim, kv.head_dim, keys, tile_keys, tile_scores);
      for (int r = 0; r < kRows; ++r) {
        softmax_row(tile_scores + r * kScoreColumns, std::min(tile_keys, seen(row + r)), tile_keys, value_stride,
                    tile_records + r * stride);
      }
      value_rows<kRows>(tile_scores, tile_keys, values, value_stride, tile_records);
    });
  }
}

void attend_keys(const Queries& queries, const KeyValueHead& kv, std::int64_t first_key, std::int64_t end_key,
                 float* scores, float* records) {
  const std::int64_t stride = record_stride(kv.head_dim);
  for (std::int64_t row = 0; row < queries.rows; ++row) {
    float* record = records + row * stride;
    std::fill_n(record, kv.value_stride(), 0.0F);
    record[kv.value_stride()] = -std::numeric_limits<float>::infinity();
    record[kv.value_stride() + 1] = 0.0F;
  }
  for (std::int64_t key = first_key; key < end_key; key += kScoreColumns) {
    const std::int64_t n_keys = std::min(kScoreColumns, end_key - key);
    if (kv.dtype == DType::f16) {
      attend_block<hwy::float16_t>(queries, kv, key, n_keys, scores, records);
    } else {
      attend_block<float>(queries, kv, key, n_keys, scores, records);
    }
  }
}

void add_scaled(const float* in, float factor, std::int64_t size, bool first, float* out) {
  const F32 d;
  const hn::CappedTag<float, 1> d1;
  std::int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const auto sum = first ? hn::Zero(d) : hn::LoadU(d, out + i);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, in + i), hn::Set(d, factor), sum), d, out + i);
  }
  for (; i < size; ++i) {
    const auto sum = first ? hn::Zero(d1) : hn::LoadU(d1, out + i);
    hn::StoreU(hn::MulAdd(hn::LoadU(d1, in + i), hn::Set(d1, factor), sum), d1, out + i);
  }
}

void merge_row(const float* records, std::int64_t parts, std::int64_t part_stride, std::int64_t head_dim, float* out) {
  const std::int64_t value_stride = record_stride(head_dim) - kRecordTail;
  const float* maxima = records + value_stride;
  float maximum = maxima[0];
  for (std::int64_t p = 1; p < parts; ++p) maximum = std::max(maximum, maxima[p * part_stride]);
  float sum = 0;
  for (std::int64_t p = 0; p < parts; ++p) {
    sum += std::exp(maxima[p * part_stride] - maximum) * maxima[p * part_stride + 1];
  }
  for (std::int64_t p = 0; p < parts; ++p) {
    const float factor = std::exp(maxima[p * part_stride] - maximum) / sum;
    add_scaled(records + p * part_stride, factor, head_dim, p == 0, out);
  }
}

}  // namespace
}  // namespace stagebench::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(attend_keys);
HWY_EXPORT(merge_row);

void attend(const Queries& queries, const KeyValueHead& kv, std::int64_t first_key, std::int64_t end_key, float* scores,
            float* records) {
  HWY_DYNAMIC_DISPATCH(attend_keys)(queries, kv, first_key, end_key, scores, records);
}

void merge_records(const float* records, std::int64_t parts, std::int64_t part_stride, std::int64_t head_dim,
                   float* out) {
  HWY_DYNAMIC_DISPATCH(merge_row)(records, parts, part_stride, head_dim, out);
}

}  // namespace stagebench::cpu
#endif
