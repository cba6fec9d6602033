#pragma once

/// Which tensor of a GGUF plays which role, where its rows lie and in what order.

#include <cstddef>
#include <vector>

#include "gguf_file.h"
#include "stagebench/contracts/model.h"

namespace stagebench {

/// How the rows of a matrix (of a bias: its values) lie in the file.
enum class GgufOrder : std::uint8_t {
  in_order,
  /// llama.cpp's converter turns each head of q and k from rotate-half to interleaved order (convert_hf_to_gguf.py,
  /// LlamaModel.permute): value j of half p, of head_dim / 2 values, lies at 2 j + p.
  interleaved_heads,
  /// A range of the rows of a fused tensor; in order within it.
  fused,
};

struct GgufStorage {
  const std::byte* data = nullptr;  ///< of this role's part
  GgufOrder order{};
};

struct GgufTensorTable {
  std::vector<TensorInfo> tensors;   ///< each role once; layer by layer
  std::vector<GgufStorage> storage;  ///< of the tensor at the same place
};

/// Throws InputError for a tensor that is missing, of the wrong shape, or not known: a model that has more than is
/// computed would give wrong results silently.
GgufTensorTable place_gguf_tensors(const GgufFile& file, const ModelConfig& config);

}  // namespace stagebench
