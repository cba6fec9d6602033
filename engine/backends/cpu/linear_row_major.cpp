#include "cpu/linear_row_major.h"

#include <algorithm>
#include <utility>

#include "cpu/convert_rows.h"
#include "cpu/gemv_row_major.h"
#include "cpu/linear_workspace.h"

namespace stagebench::cpu {

namespace {

// Outputs of a member begin at multiples of this: the width of the widest vector.
constexpr long output_granule = 16;
// From this many rows of activations on the library is faster than the own kernels, which stream weights at the
// memory's rate but compute at some two thirds of the rate of f32 products. Measured where both cross over.
constexpr std::int64_t library_rows_f32 = 20;
constexpr std::int64_t library_rows_bf16 = 9;
constexpr std::int64_t library_rows_widened = 28;
// A widened block stays in the second-level cache, 1 to 2 MiB on servers; smaller blocks read the activations too
// often.
constexpr std::int64_t widened_block_bytes = 1 << 20;
// Shapes kept a Linear: a prompt's length is one, times the parts of a slice.
constexpr std::size_t max_products = 64;

}  // namespace

RowMajorLinear::RowMajorLinear(RowMajorStorage storage, ThreadTeam& team)
    : storage_(std::move(storage)),
      team_(team),
      bf16_products_(storage_.dtype == DType::bf16 && onednn_multiplies_bf16()) {}

std::uint64_t RowMajorLinear::bytes() const noexcept {
  return linear_bytes(storage_.outputs, storage_.inputs, storage_.dtype) + storage_.bias.size() * sizeof(float);
}

RowMajorLinear::Method RowMajorLinear::method_for(std::int64_t m) const noexcept {
  if (storage_.dtype == DType::f32) return m < library_rows_f32 ? Method::own_kernel : Method::library;
  if (bf16_products_) return m < library_rows_bf16 ? Method::own_kernel : Method::library;
  return m < library_rows_widened ? Method::own_kernel : Method::widened_blocks;
}

/// Calls visit(segment) for each part of a segment in the member's slice of the outputs.
template <typename Visit>
void RowMajorLinear::for_each_segment(int member, Visit visit) const {
  const Range outputs = share(storage_.outputs, output_granule, member, team_.size());
  for (const WeightSegment& segment : storage_.segments) {
    const std::int64_t begin = std::max<std::int64_t>(outputs.begin, segment.first_output);
    const std::int64_t end = std::min<std::int64_t>(outputs.end, segment.first_output + segment.rows);
    if (begin >= end) continue;
    const std::int64_t skipped_bytes = (begin - segment.first_output) * row_bytes(storage_.dtype, storage_.inputs);
    visit(WeightSegment{begin, end - begin, segment.data + skipped_bytes});
  }
}

const float* RowMajorLinear::bias_of(std::int64_t output) const noexcept {
  return storage_.bias.empty() ? nullptr : storage_.bias.data() + output;
}

void RowMajorLinear::multiply(int member, const float* x, std::int64_t x_stride, std::int64_t m, float* y,
                              std::int64_t y_stride) const {
  switch (method_for(m)) {
    case Method::own_kernel:
      for_each_segment(member, [&](const WeightSegment& part) {
        gemv_row_major({storage_.dtype, part.data, part.rows, storage_.inputs}, bias_of(part.first_output), x, x_stride,
                       m, y + part.first_output, y_stride);
      });
      return;
    case Method::library: {
      Activations activations{x, x_stride, m};
      if (bf16_products_) {
        activations.data = team_.workspace().share_as_bf16(team_, member, x, x_stride, m, storage_.inputs);
        activations.stride = storage_.inputs;
      }
      for_each_segment(member, [&](const WeightSegment& part) {
        multiply_by_library(member, activations, part, y + part.first_output, y_stride);
      });
      return;
    }
    case Method::widened_blocks:
      for_each_segment(member, [&](const WeightSegment& part) {
        multiply_widened(member, {x, x_stride, m}, part, y + part.first_output, y_stride);
      });
      return;
  }
}

void RowMajorLinear::multiply_by_library(int member, const Activations& x, const WeightSegment& part, float* y,
                                         std::int64_t y_stride) const {
  const auto matmul = product(shape_of(x, part.rows, y_stride));
  matmul->multiply(x.data, part.data, bias_of(part.first_output), y,
                   team_.workspace().scratch(member, matmul->scratch_bytes()));
}

void RowMajorLinear::multiply_widened(int member, const Activations& x, const WeightSegment& part, float* y,
                                      std::int64_t y_stride) const {
  const std::int64_t k = storage_.inputs;
  const std::int64_t rows_a_block = std::min(block_rows(), part.rows);
  const auto block_bytes = static_cast<std::size_t>(rows_a_block * row_bytes(DType::f32, k) + 63) / 64 * 64;
  for (std::int64_t row = 0; row < part.rows; row += rows_a_block) {
    const std::int64_t rows = std::min(rows_a_block, part.rows - row);
    const auto matmul = product(shape_of(x, rows, y_stride));
    std::byte* scratch = team_.workspace().scratch(member, block_bytes + matmul->scratch_bytes());
    auto* block = reinterpret_cast<float*>(scratch);
    convert_to_f32(storage_.dtype, part.data + row * row_bytes(storage_.dtype, k), rows * k, block);
    matmul->multiply(x.data, block, bias_of(part.first_output + row), y + row, scratch + block_bytes);
  }
}

std::int64_t RowMajorLinear::block_rows() const noexcept {
  const std::int64_t fitting = widened_block_bytes / row_bytes(DType::f32, storage_.inputs);
  return std::max<std::int64_t>(output_granule, fitting / output_granule * output_granule);
}

ProductShape RowMajorLinear::shape_of(const Activations& x, std::int64_t rows, std::int64_t y_stride) const noexcept {
  return {bf16_products_ ? ProductType::bf16 : ProductType::f32,
          x.m,
          rows,
          storage_.inputs,
          x.stride,
          y_stride,
          !storage_.bias.empty()};
}

std::shared_ptr<const OneDnnMatmul> RowMajorLinear::product(const ProductShape& shape) const {
  const std::lock_guard lock(products_mutex_);
  const auto found =
      std::find_if(products_.begin(), products_.end(), [&](const auto& p) { return p->shape() == shape; });
  if (found != products_.end()) return *found;
  if (products_.size() == max_products) products_.erase(products_.begin());
  return products_.emplace_back(std::make_shared<const OneDnnMatmul>(shape));
}

void RowMajorLinear::prepare(std::int64_t m) {
  const Method method = method_for(m);
  if (method == Method::own_kernel) return;
  if (bf16_products_) team_.workspace().reserve_bf16(m * storage_.inputs);
  team_.run([&](int member) {
    const Activations x{nullptr, storage_.inputs, m};
    for_each_segment(member, [&](const WeightSegment& part) {
      std::size_t scratch_bytes = 0;
      if (method == Method::library) {
        scratch_bytes = product(shape_of(x, part.rows, storage_.outputs))->scratch_bytes();
      } else {
        const std::int64_t rows = std::min(block_rows(), part.rows);
        scratch_bytes = product(shape_of(x, rows, storage_.outputs))->scratch_bytes() +
                        static_cast<std::size_t>(rows * row_bytes(DType::f32, storage_.inputs)) + 64;
      }
      team_.workspace().scratch(member, scratch_bytes);
    });
  });
}

}  // namespace stagebench::cpu
