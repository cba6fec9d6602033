#pragma once

/// Rows of an embedding matrix. A step needs one a token, so the matrix is not converted as a whole: rows come from the
/// model when they are needed, rounded to the compute type like every other weight.

#include <cstddef>
#include <cstdint>

#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/model.h"

namespace stagebench::cpu {

/// `row` is [size] of f32, f16 or bf16.
void widen_row(DType dtype, const void* row, std::int64_t size, float* out);

class Embedding {
 public:
  /// Both outlive this.
  Embedding(const Model& model, const TensorInfo& tensor, DType dtype)
      : model_(&model), tensor_(&tensor), dtype_(dtype) {}

  /// out[columns] = row `index`. `scratch` has columns * 4 bytes. Thread-safe.
  void read(std::int64_t index, void* scratch, float* out) const;

 private:
  const Model* model_;
  const TensorInfo* tensor_;
  DType dtype_;
};

}  // namespace stagebench::cpu
