#pragma once

/// Logits for tests: the same on every machine, from integers alone.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagebench::test {

/// Spread evenly over [-8, 8) in a scrambled order (Knuth's multiplicative hash), multiples of 2^-20.
inline std::vector<float> even_logits(std::size_t count) {
  std::vector<float> logits(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto hash = static_cast<std::uint32_t>(i * 2654435761U);
    logits[i] = static_cast<float>(hash >> 8) / 1048576.0F - 8.0F;
  }
  return logits;
}

/// The same rounded to multiples of 1 / `levels`, so that many are equal.
inline std::vector<float> tied_logits(std::size_t count, int levels) {
  std::vector<float> logits = even_logits(count);
  const auto scale = static_cast<float>(levels);
  for (float& logit : logits) logit = static_cast<float>(static_cast<int>(logit * scale)) / scale;
  return logits;
}

}  // namespace stagebench::test
