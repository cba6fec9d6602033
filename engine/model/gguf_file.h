#pragma once

/// The container: header, key-value pairs and tensor table of a GGUF file, version 2 or 3, little-endian
/// (ggml: docs/gguf.md). What the keys and tensors mean is settled elsewhere.
///
///   const GgufFile file = parse_gguf(mapped.bytes(), path.string());
///   const GgufTensor* tensor = file.find("token_embd.weight");

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf_metadata.h"
#include "stagebench/contracts/dtype.h"

namespace stagebench {

/// [rows][columns] row-major of `dtype`; dimensions beyond the first are rows.
struct GgufTensor {
  std::string_view name;
  DType dtype{};
  std::array<std::int64_t, 4> dimensions{1, 1, 1, 1};  ///< the fastest first, as GGUF has them; 1 where there is none
  std::int64_t rows = 0;
  std::int64_t columns = 0;       ///< a multiple of the type's block
  std::uint64_t file_offset = 0;  ///< of `data` from the start of the file
  std::span<const std::byte> data;
};

struct GgufFile {
  std::string source;  ///< the file's name, for messages
  std::uint32_t version = 0;
  GgufMetadata metadata{""};
  std::vector<GgufTensor> tensors;  ///< as the file has them
  std::map<std::string_view, std::size_t> tensor_index;

  const GgufTensor* find(std::string_view name) const {
    const auto found = tensor_index.find(name);
    return found == tensor_index.end() ? nullptr : &tensors[found->second];
  }
};

/// Checks everything that can be checked without knowing the model: sizes, types, names, offsets, overlaps. Memory is
/// of the order of the header's size. The result views `bytes`. Throws InputError.
GgufFile parse_gguf(std::span<const std::byte> bytes, std::string source);

}  // namespace stagebench
