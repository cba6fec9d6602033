// Any bytes are either refused with an InputError or give tensors all of whose bytes can be read.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "safetensors.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/row_conversion.h"

namespace {

void read_everything(std::span<const std::byte> file, const stagebench::SafetensorsEntry& entry) {
  if (entry.offset > file.size() || entry.bytes > file.size() - entry.offset) std::abort();
  const auto data = file.subspan(static_cast<std::size_t>(entry.offset), static_cast<std::size_t>(entry.bytes));
  if (!entry.dtype) {
    unsigned sum = 0;
    for (const std::byte byte : data) sum += std::to_integer<unsigned>(byte);
    const volatile unsigned kept = sum;
    static_cast<void>(kept);
    return;
  }
  std::int64_t elements = 1;
  for (const std::int64_t dimension : entry.shape) elements *= dimension;
  if (stagebench::row_bytes(*entry.dtype, elements) != static_cast<std::int64_t>(data.size())) std::abort();
  std::vector<float> values(static_cast<std::size_t>(elements));
  stagebench::convert_row(*entry.dtype, data.data(), elements, stagebench::DType::f32, values.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span file(reinterpret_cast<const std::byte*>(data), size);
  try {
    for (const auto& entry : stagebench::parse_safetensors(file, "fuzz")) read_everything(file, entry);
  } catch (const stagebench::InputError&) {
  }
  return 0;
}
