// Arbitrary bytes as a GGUF: either refused with an InputError, or every row of it can be read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gguf_file.h"
#include "gguf_model.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/row_conversion.h"

namespace {

using namespace stagebench;

constexpr DType targets[] = {DType::f32, DType::f16, DType::bf16};

/// The container alone, which accepts more than models.
void convert_all(std::span<const std::byte> bytes) {
  const GgufFile file = parse_gguf(bytes, "fuzz");
  std::vector<std::byte> row;
  for (const GgufTensor& tensor : file.tensors) {
    const auto stride = static_cast<std::size_t>(row_bytes(tensor.dtype, tensor.columns));
    row.resize(static_cast<std::size_t>(row_bytes(DType::f32, tensor.columns)));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(tensor.rows, 4); ++i) {
      const std::byte* data = tensor.data.data() + static_cast<std::size_t>(i) * stride;
      for (const DType target : targets) convert_row(tensor.dtype, data, tensor.columns, target, row.data());
    }
  }
}

void read_all(std::span<const std::byte> bytes) {
  const auto model = make_gguf_model(bytes, nullptr, "fuzz", "fuzz");
  std::vector<std::byte> rows;
  for (const TensorInfo& tensor : model->tensors()) {
    for (const DType target : targets) {
      rows.resize(static_cast<std::size_t>(tensor.rows * row_bytes(target, tensor.columns)));
      model->read_rows(tensor, 0, tensor.rows, target, rows.data());
    }
    const auto mapped = model->mapped(tensor);
    if (!mapped.empty() && mapped.size() != tensor.stored_bytes) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  for (const auto& reader : {convert_all, read_all}) {
    try {
      reader(bytes);
    } catch (const InputError&) {
    }
  }
  return 0;
}
