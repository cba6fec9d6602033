#include "cpu/norm.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/norm.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// Behind foreach_target.h, which sets the target that it compiles for.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stagebench::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// What is summed over a row: the values, their squares, or the squares of their distance from a mean.
enum class Sum { values, squares, squared_distances };

template <Sum what, class D>
HWY_INLINE hn::Vec<D> accumulate(D d, hn::Vec<D> sum, hn::Vec<D> x, float mean) {
  if constexpr (what == Sum::values) return hn::Add(sum, x);
  if constexpr (what == Sum::squared_distances) x = hn::Sub(x, hn::Set(d, mean));
  return hn::MulAdd(x, x, sum);
}

template <Sum what>
float sum_of(const float* x, std::size_t size, float mean) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = hn::Zero(d);
  auto sum2 = hn::Zero(d);
  auto sum3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    sum0 = accumulate<what>(d, sum0, hn::LoadU(d, x + i), mean);
    sum1 = accumulate<what>(d, sum1, hn::LoadU(d, x + i + lanes), mean);
    sum2 = accumulate<what>(d, sum2, hn::LoadU(d, x + i + 2 * lanes), mean);
    sum3 = accumulate<what>(d, sum3, hn::LoadU(d, x + i + 3 * lanes), mean);
  }
  for (; i + lanes <= size; i += lanes) sum0 = accumulate<what>(d, sum0, hn::LoadU(d, x + i), mean);
  const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  const hn::CappedTag<float, 1> d1;
  for (; i < size; ++i) {
    total = hn::GetLane(accumulate<what>(d1, hn::Set(d1, total), hn::LoadU(d1, x + i), mean));
  }
  return total;
}

void add_residual(float* hidden, const float* addend, std::size_t size) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, hidden + i), hn::LoadU(d, addend + i)), d, hidden + i);
  }
  for (; i < size; ++i) hidden[i] += addend[i];
}

template <class D>
HWY_INLINE void scale_at(D d, const NormRow& row, float mean, float scale, std::size_t i) {
  const auto centred = hn::Sub(hn::LoadU(d, row.hidden + i), hn::Set(d, mean));
  const auto weight = hn::Mul(hn::LoadU(d, row.weight + i), hn::Set(d, scale));
  const auto bias = row.bias != nullptr ? hn::LoadU(d, row.bias + i) : hn::Zero(d);
  hn::StoreU(hn::MulAdd(centred, weight, bias), d, row.normed + i);
}

void scale_row(const NormRow& row, float mean, float scale) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const std::size_t lanes = hn::Lanes(d);
  const auto size = static_cast<std::size_t>(row.size);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) scale_at(d, row, mean, scale, i);
  for (; i < size; ++i) scale_at(d1, row, mean, scale, i);
}

void rms_norm_row(const NormRow& row) {
  const auto size = static_cast<std::size_t>(row.size);
  if (row.addend != nullptr) add_residual(row.hidden, row.addend, size);
  const float mean_square = sum_of<Sum::squares>(row.hidden, size, 0.0F) / static_cast<float>(size);
  scale_row(row, 0.0F, 1.0F / std::sqrt(mean_square + row.epsilon));
}

void layer_norm_row(const NormRow& row) {
  const auto size = static_cast<std::size_t>(row.size);
  if (row.addend != nullptr) add_residual(row.hidden, row.addend, size);
  const float mean = sum_of<Sum::values>(row.hidden, size, 0.0F) / static_cast<float>(size);
  const float variance = sum_of<Sum::squared_distances>(row.hidden, size, mean) / static_cast<float>(size);
  scale_row(row, mean, 1.0F / std::sqrt(variance + row.epsilon));
}

}  // namespace
}  // namespace stagebench::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagebench::cpu {

HWY_EXPORT(rms_norm_row);
HWY_EXPORT(layer_norm_row);

void add_rms_norm(const NormRow& row) {
  HWY_DYNAMIC_DISPATCH(rms_norm_row)(row);
}
void add_layer_norm(const NormRow& row) {
  HWY_DYNAMIC_DISPATCH(layer_norm_row)(row);
}

}  // namespace stagebench::cpu
#endif
