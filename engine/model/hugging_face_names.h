#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// How a role's rows lie in the tensor of a Hugging Face file.
enum class StoredLayout : std::uint8_t {
  rows,        ///< [rows][columns], or [columns] of a vector
  transposed,  ///< [columns][rows]: gpt2's Conv1D
};

/// Where a role is found. c_attn of gpt2 holds q, k and v side by side: `part` of `n_parts` of its last dimension.
struct StoredName {
  std::string name;
  StoredLayout layout = StoredLayout::rows;
  std::int64_t part = 0;
  std::int64_t n_parts = 1;
};

/// The name in files of this architecture, with `prefix` ("model.", "transformer." or none) before all but lm_head.
/// `id` is one of tensor_shapes'.
StoredName hugging_face_name(Architecture architecture, TensorId id, std::string_view prefix);

/// The prefix that a whole model's files have, from the name of the embedding: "model." or "transformer.".
std::string_view usual_prefix(Architecture architecture);

/// True for what older files hold beside the weights and the model computes by itself: causal masks of gpt2
/// (h.0.attn.bias, h.0.attn.masked_bias), inverse frequencies of llama (rotary_emb.inv_freq).
bool is_buffer(Architecture architecture, std::string_view name);

}  // namespace stagebench
