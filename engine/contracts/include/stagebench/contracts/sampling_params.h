#pragma once

#include <cstdint>

namespace stagebench {

/// How the next token is chosen, with the names, defaults and meaning of Hugging Face transformers' generate:
/// logits / temperature, then top_k, then top_p, then a draw from what is kept.
struct SamplingParams {
  bool do_sample = false;    ///< false: greedy, the arg max
  double temperature = 1.0;  ///< >= 0; 0 is greedy
  std::int64_t top_k = 50;   ///< >= 0; 0 keeps all
  double top_p = 0.95;       ///< in (0, 1]; 1 keeps all
  std::uint64_t seed = 0;    ///< the same tokens for a seed on every machine and backend

  constexpr bool greedy() const noexcept { return !do_sample || temperature == 0.0; }
  friend bool operator==(const SamplingParams&, const SamplingParams&) = default;
};

}  // namespace stagebench
