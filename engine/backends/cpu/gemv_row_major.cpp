#include "cpu/gemv_row_major.h"

#include <cstddef>
#include <cstring>

#include "cpu/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemv_row_major.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::VFromD<FloatTag>;

// A tile of weight rows x tokens has one accumulator a pair; 4 x 4 fill half of 32 vector registers, 2 x 4 of 16.
#if HWY_TARGET <= HWY_AVX3
constexpr int tile_rows = 4;
#else
constexpr int tile_rows = 2;
#endif
constexpr int tile_tokens = 4;

HWY_INLINE FloatVector LoadAsFloat(FloatTag d, const float* from) {
  return hn::LoadU(d, from);
}

template <typename Half>
HWY_INLINE FloatVector LoadAsFloat(FloatTag d, const Half* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Half, FloatTag>(), from));
}

/// The last k mod lanes values of a row, with zeros behind them.
template <typename T>
HWY_INLINE FloatVector LoadTail(FloatTag d, const T* from, std::size_t count) {
  T padded[HWY_LANES(float)] = {};
  std::memcpy(padded, from, count * sizeof(T));
  return LoadAsFloat(d, padded);
}

/// Rows [0, Rows) of `weights` times Tokens rows of x. While it computes it fetches the tile at `next` into L2: the
/// hardware's own prefetch stops at each page, and one core alone cannot keep enough loads in flight.
template <int Rows, int Tokens, typename Weight>
HWY_INLINE void MultiplyTile(const Weight* HWY_RESTRICT weights, const Weight* HWY_RESTRICT next, std::size_t k,
                             const float* HWY_RESTRICT bias, const float* HWY_RESTRICT x, std::size_t x_stride,
                             float* HWY_RESTRICT y, std::size_t y_stride) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector sums[Rows][Tokens];
  STAGEBENCH_UNROLL for (int r = 0; r < Rows; ++r) {
    STAGEBENCH_UNROLL for (int t = 0; t < Tokens; ++t) sums[r][t] = hn::Zero(d);
  }
  const auto accumulate = [&](const FloatVector(&w)[Rows], const FloatVector& activation, int t) HWY_ATTR {
    STAGEBENCH_UNROLL for (int r = 0; r < Rows; ++r) sums[r][t] = hn::MulAdd(w[r], activation, sums[r][t]);
  };

  const std::size_t whole = k / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    FloatVector w[Rows];
    STAGEBENCH_UNROLL for (int r = 0; r < Rows; ++r) {
      const std::size_t place = static_cast<std::size_t>(r) * k + i;
      w[r] = LoadAsFloat(d, weights + place);
      if (next != nullptr) __builtin_prefetch(next + place, 0, 2);
    }
    STAGEBENCH_UNROLL for (int t = 0; t < Tokens; ++t) {
      accumulate(w, hn::LoadU(d, x + static_cast<std::size_t>(t) * x_stride + i), t);
    }
  }
  if (whole < k) {
    FloatVector w[Rows];
    STAGEBENCH_UNROLL for (int r = 0; r < Rows; ++r) {
      w[r] = LoadTail(d, weights + static_cast<std::size_t>(r) * k + whole, k - whole);
    }
    STAGEBENCH_UNROLL for (int t = 0; t < Tokens; ++t) {
      accumulate(w, LoadTail(d, x + static_cast<std::size_t>(t) * x_stride + whole, k - whole), t);
    }
  }

  STAGEBENCH_UNROLL for (int r = 0; r < Rows; ++r) {
    STAGEBENCH_UNROLL for (int t = 0; t < Tokens; ++t) {
      const float sum = hn::GetLane(hn::SumOfLanes(d, sums[r][t]));
      y[static_cast<std::size_t>(t) * y_stride + static_cast<std::size_t>(r)] = bias != nullptr ? sum + bias[r] : sum;
    }
  }
}

/// A tile's rows for all m tokens; from the second group of tokens on the weights come from the cache.
template <int Rows, typename Weight>
void MultiplyRows(const Weight* weights, const Weight* next, std::size_t k, const float* bias, const float* x,
                  std::size_t x_stride, std::size_t m, float* y, std::size_t y_stride) {
  std::size_t t = 0;
  for (; t + tile_tokens <= m; t += tile_tokens) {
    MultiplyTile<Rows, tile_tokens>(weights, t == 0 ? next : nullptr, k, bias, x + t * x_stride, x_stride,
                                    y + t * y_stride, y_stride);
  }
  const Weight* fetch = t == 0 ? next : nullptr;
  const float* x_rest = x + t * x_stride;
  float* y_rest = y + t * y_stride;
  switch (m - t) {
    case 1: MultiplyTile<Rows, 1>(weights, fetch, k, bias, x_rest, x_stride, y_rest, y_stride); break;
    case 2: MultiplyTile<Rows, 2>(weights, fetch, k, bias, x_rest, x_stride, y_rest, y_stride); break;
    case 3: MultiplyTile<Rows, 3>(weights, fetch, k, bias, x_rest, x_stride, y_rest, y_stride); break;
    default: break;
  }
}

template <typename Weight>
void Multiply(const Weight* weights, std::size_t rows, std::size_t k, const float* bias, const float* x,
              std::size_t x_stride, std::size_t m, float* y, std::size_t y_stride) {
  std::size_t r = 0;
  for (; r + tile_rows <= rows; r += tile_rows) {
    const Weight* tile = weights + r * k;
    const Weight* next = r + 2 * tile_rows <= rows ? tile + tile_rows * k : nullptr;
    MultiplyRows<tile_rows>(tile, next, k, bias != nullptr ? bias + r : nullptr, x, x_stride, m, y + r, y_stride);
  }
  for (; r < rows; ++r) {
    MultiplyRows<1>(weights + r * k, static_cast<const Weight*>(nullptr), k, bias != nullptr ? bias + r : nullptr, x,
                    x_stride, m, y + r, y_stride);
  }
}

void GemvRowMajor(const RowMajorWeights& weights, const float* bias, const float* x, std::int64_t x_stride,
                  std::int64_t m, float* y, std::int64_t y_stride) {
  const auto multiply = [&](auto* data) HWY_ATTR {
    Multiply(data, static_cast<std::size_t>(weights.rows), static_cast<std::size_t>(weights.k), bias, x,
             static_cast<std::size_t>(x_stride), static_cast<std::size_t>(m), y, static_cast<std::size_t>(y_stride));
  };
  switch (weights.dtype) {
    case DType::f32: multiply(static_cast<const float*>(weights.data)); break;
    case DType::f16: multiply(static_cast<const hwy::float16_t*>(weights.data)); break;
    case DType::bf16: multiply(static_cast<const hwy::bfloat16_t*>(weights.data)); break;
    default: break;  // block types do not come here
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stagebench::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(GemvRowMajor);

void gemv_row_major(const RowMajorWeights& weights, const float* bias, const float* x, std::int64_t x_stride,
                    std::int64_t m, float* y, std::int64_t y_stride) {
  HWY_DYNAMIC_DISPATCH(GemvRowMajor)(weights, bias, x, x_stride, m, y, y_stride);
}

}  // namespace stagebench::cpu
#endif
