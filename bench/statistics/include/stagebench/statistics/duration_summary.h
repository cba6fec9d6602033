#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

namespace stagebench {

/// A time between two counts of the clock, as means and percentiles are.
using RealNanoseconds = std::chrono::duration<double, std::nano>;

/// What a set of times comes to. Sums are exact; percentiles follow statistics::percentile.
struct DurationSummary {
  std::int64_t count = 0;
  std::chrono::nanoseconds total{};
  std::chrono::nanoseconds minimum{};
  std::chrono::nanoseconds maximum{};
  RealNanoseconds mean{};
  RealNanoseconds median{};
  RealNanoseconds median_absolute_deviation{};
  RealNanoseconds p99{};
};

/// Nothing where there are no samples. Throws MeasurementError for a negative time, saying which sample, and for a sum
/// past the 292 years that nanoseconds hold.
std::optional<DurationSummary> summarize(std::span<const std::chrono::nanoseconds> samples);

}  // namespace stagebench
