#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagebench {

/// Llama 3's RoPE scaling, with the names of Hugging Face's rope_parameters of rope_type "llama3".
struct Llama3RopeScaling {
  double factor = 0;
  double low_freq_factor = 0;
  double high_freq_factor = 0;
  std::int64_t original_max_position_embeddings = 0;
};

/// The first value that makes no sense, in words; nothing where all do: 1 <= factor and
/// 0 < low_freq_factor < high_freq_factor, all finite, and original_max_position_embeddings >= 1.
std::optional<std::string> llama3_scaling_problem(const Llama3RopeScaling& scaling);

/// What each of the head_dim / 2 inverse frequencies is divided by: 1 where the wavelength is below
/// original_max_position_embeddings / high_freq_factor, `factor` where it is above .../ low_freq_factor, and a blend
/// in between. Source: transformers, modeling_rope_utils.py, _compute_llama3_parameters.
/// The scaling has no problem and head_dim is even.
std::vector<float> llama3_frequency_divisors(const Llama3RopeScaling& scaling, double rope_theta,
                                             std::int64_t head_dim);

}  // namespace stagebench
