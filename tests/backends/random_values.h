#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace stagebench::test {

/// Normally distributed, the same for a seed with the same standard library.
inline std::vector<float> random_values(std::size_t count, unsigned seed, float deviation = 1.0F, float mean = 0.0F) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

}  // namespace stagebench::test
