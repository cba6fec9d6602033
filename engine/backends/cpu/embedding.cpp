#include "cpu/embedding.h"

#include <algorithm>

#include "cpu/convert_rows.h"

namespace stagebench::cpu {

void widen_row(DType dtype, const void* row, std::int64_t size, float* out) {
  if (dtype == DType::f32) {
    std::copy_n(static_cast<const float*>(row), size, out);
  } else {
    convert_to_f32(dtype, row, size, out);
  }
}

void Embedding::read(std::int64_t index, void* scratch, float* out) const {
  model_->read_rows(*tensor_, index, 1, dtype_, scratch);
  widen_row(dtype_, scratch, tensor_->columns, out);
}

}  // namespace stagebench::cpu
