#pragma once

/// The safetensors format: 8 bytes of header length (little-endian), a JSON header, then the tensors' bytes without
/// holes. Source: huggingface/safetensors, README "Format" and src/tensor.rs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stagebench/contracts/dtype.h"

namespace stagebench {

struct SafetensorsEntry {
  std::string name;
  std::string stored_type;     ///< as the file writes it: "F16", "I64"
  std::optional<DType> dtype;  ///< for F32, F16 and BF16; the other types are read over, and refused as weights
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  ///< of the data, from the start of the file
  std::uint64_t bytes = 0;
};

/// Reads the header of a whole file that lies in memory, and checks that every tensor lies inside it, has the size that
/// its shape and type say, that tensors neither overlap nor leave holes, and that nothing follows them. The entries are
/// in the order of their data. Throws InputError with `name`, the tensor, what was expected and what was found.
std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file, const std::string& name);

}  // namespace stagebench
