#pragma once

/// The Linear of all machines: weights stay row-major as files have them, so that they can be used in place and lie in
/// memory once.
///
/// Few rows of activations (decode, small batches) go through own kernels that stream the weights at the memory's rate
/// (gemv_row_major.h); many go through oneDNN on each member's slice of the outputs. Layouts that the library packs by
/// itself gain 5 to 10 % there and would cost a second copy or a slow load. 16-bit weights that the machine cannot
/// multiply are widened block by block in the cache and multiplied as f32.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/aligned_buffer.h"
#include "cpu/linear.h"
#include "cpu/onednn_matmul.h"

namespace stagebench::cpu {

/// Consecutive outputs whose weights lie close behind each other.
struct WeightSegment {
  std::int64_t first_output = 0;
  std::int64_t rows = 0;
  const std::byte* data = nullptr;
};

struct RowMajorStorage {
  DType dtype{};
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  std::vector<WeightSegment> segments;  ///< cover the outputs in order
  AlignedBuffer converted;              ///< holds the segments that are not used in place
  std::vector<float> bias;              ///< [outputs] or empty
};

class RowMajorLinear final : public Linear {
 public:
  RowMajorLinear(RowMajorStorage storage, ThreadTeam& team);

  std::int64_t inputs() const noexcept override { return storage_.inputs; }
  std::int64_t outputs() const noexcept override { return storage_.outputs; }
  std::uint64_t bytes() const noexcept override;
  void multiply(int member, const float* x, std::int64_t x_stride, std::int64_t m, float* y,
                std::int64_t y_stride) const override;
  void prepare(std::int64_t m) override;

 private:
  enum class Method : std::uint8_t { own_kernel, library, widened_blocks };

  struct Activations {
    const void* data = nullptr;
    std::int64_t stride = 0;
    std::int64_t m = 0;
  };

  Method method_for(std::int64_t m) const noexcept;
  template <typename Visit>
  void for_each_segment(int member, Visit visit) const;
  std::int64_t block_rows() const noexcept;
  ProductShape shape_of(const Activations& x, std::int64_t rows, std::int64_t y_stride) const noexcept;
  std::shared_ptr<const OneDnnMatmul> product(const ProductShape& shape) const;
  const float* bias_of(std::int64_t output) const noexcept;

  void multiply_by_library(int member, const Activations& x, const WeightSegment& part, float* y,
                           std::int64_t y_stride) const;
  void multiply_widened(int member, const Activations& x, const WeightSegment& part, float* y,
                        std::int64_t y_stride) const;

  RowMajorStorage storage_;
  ThreadTeam& team_;
  bool bf16_products_;
  mutable std::mutex products_mutex_;
  mutable std::vector<std::shared_ptr<const OneDnnMatmul>> products_;  ///< newest last
};

}  // namespace stagebench::cpu
