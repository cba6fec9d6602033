#include "rope_scaling.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace stagebench {

std::optional<std::string> llama3_scaling_problem(const Llama3RopeScaling& scaling) {
  if (!(std::isfinite(scaling.factor) && scaling.factor >= 1)) {
    return fmt::format("factor: expected a number of at least 1, found {}", scaling.factor);
  }
  if (!(std::isfinite(scaling.low_freq_factor) && scaling.low_freq_factor > 0)) {
    return fmt::format("low_freq_factor: expected a number above 0, found {}", scaling.low_freq_factor);
  }
  if (!(std::isfinite(scaling.high_freq_factor) && scaling.high_freq_factor > scaling.low_freq_factor)) {
    return fmt::format("high_freq_factor: expected a number above low_freq_factor ({}), found {}",
                       scaling.low_freq_factor, scaling.high_freq_factor);
  }
  if (scaling.original_max_position_embeddings < 1) {
    return fmt::format("original_max_position_embeddings: expected at least 1, found {}",
                       scaling.original_max_position_embeddings);
  }
  return std::nullopt;
}

std::vector<float> llama3_frequency_divisors(const Llama3RopeScaling& scaling, double rope_theta,
                                             std::int64_t head_dim) {
  const auto original_context = static_cast<double>(scaling.original_max_position_embeddings);
  std::vector<float> divisors;
  for (std::int64_t i = 0; i < head_dim; i += 2) {
    const double wavelength =
        2 * std::numbers::pi * std::pow(rope_theta, static_cast<double>(i) / static_cast<double>(head_dim));
    double divisor = 1;
    if (wavelength > original_context / scaling.low_freq_factor) {
      divisor = scaling.factor;
    } else if (wavelength >= original_context / scaling.high_freq_factor) {
      const double smooth = (original_context / wavelength - scaling.low_freq_factor) /
                            (scaling.high_freq_factor - scaling.low_freq_factor);
      divisor = 1 / ((1 - smooth) / scaling.factor + smooth);
    }
    divisors.push_back(static_cast<float>(divisor));
  }
  return divisors;
}

}  // namespace stagebench
