#pragma once

#include <cstdint>
#include <span>

namespace stagebench {

/// What a synthetic tensor's values are a function of, beside their place.
struct SyntheticStream {
  std::uint64_t seed = 0;
  std::uint32_t role = 0;
  std::uint32_t layer = 0;
  float scale = 0;  ///< of the integers -65535, -65533, ... 65535
};

/// Writes values first ... first + values.size() - 1 of the tensor, by the formula in synthetic_model.h.
void fill_synthetic(const SyntheticStream& stream, std::uint64_t first, std::span<float> values);

}  // namespace stagebench
