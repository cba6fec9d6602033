#pragma once

/// y = x W^T + bias, the only way in which the CPU backend multiplies matrices. The seam behind which layouts, matrix
/// libraries and own kernels change: callers know shapes only.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/model.h"
#include "thread_team.h"

namespace stagebench::cpu {

/// One or several weight matrices that take the same input, stacked by rows (q, k and v; gate and up): n = sum of rows.
class Linear {
 public:
  virtual ~Linear() = default;
  virtual std::int64_t inputs() const noexcept = 0;   ///< k
  virtual std::int64_t outputs() const noexcept = 0;  ///< n
  virtual std::uint64_t bytes() const noexcept = 0;   ///< of weights in memory

  /// Inside ThreadTeam::run, called by every member: computes the member's slice of the outputs for all m rows.
  /// x is [m][k] f32 with stride x_stride, y is [m][n] f32 with stride y_stride, both in elements. x must be complete
  /// before (a barrier), y is complete after the caller's next barrier. prepare() must have been called for this m or a
  /// larger one. Allocates where m, x_stride and y_stride come together for the first time, except as prepare() says.
  virtual void multiply(int member, const float* x, std::int64_t x_stride, std::int64_t m, float* y,
                        std::int64_t y_stride) const = 0;
  /// Outside run(): creates what products of `m` rows with x_stride = k and y_stride = n need, and the scratch memory
  /// of up to `m` rows.
  virtual void prepare(std::int64_t m) = 0;
};

struct LinearSource {
  const TensorInfo* weight = nullptr;  ///< [rows][k]
  const TensorInfo* bias = nullptr;    ///< [1][rows], or nullptr
};

/// Reads `sources` from `model` on the whole team, converts to `dtype` and lays them out for this machine. Appends
/// one TensorPlacement a tensor. Call outside run(). `model` and `team` outlive the result: rows that the file has in
/// `dtype` are used in place, after their pages were read. Throws UsageError for any dtype but f32, f16 and bf16.
std::unique_ptr<Linear> load_linear(const Model& model, std::span<const LinearSource> sources, DType dtype,
                                    ThreadTeam& team, std::vector<TensorPlacement>& placements);

/// Bytes that load_linear will take for [rows][columns] in `dtype` on this machine.
std::uint64_t linear_bytes(std::int64_t rows, std::int64_t columns, DType dtype);

}  // namespace stagebench::cpu
