#include "stagebench/statistics/duration_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stagebench/statistics/measurement_error.h"
#include "stagebench/statistics/statistics.h"

namespace stagebench {
namespace {

std::chrono::nanoseconds exact_total(std::span<const std::chrono::nanoseconds> samples) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::int64_t count = samples[i].count();
    if (count < 0) {
      throw MeasurementError(
          fmt::format("sample {} of {}: expected a time of 0 ns or more, found {} ns", i, samples.size(), count));
    }
    if (__builtin_add_overflow(sum, count, &sum)) {
      throw MeasurementError(fmt::format("the sum of {} times does not fit in 64 bits of nanoseconds", samples.size()));
    }
  }
  return std::chrono::nanoseconds(sum);
}

}  // namespace

std::optional<DurationSummary> summarize(std::span<const std::chrono::nanoseconds> samples) {
  if (samples.empty()) return std::nullopt;
  DurationSummary summary;
  summary.count = static_cast<std::int64_t>(samples.size());
  summary.total = exact_total(samples);
  std::vector<double> numbers(samples.size());
  std::transform(samples.begin(), samples.end(), numbers.begin(),
                 [](std::chrono::nanoseconds sample) { return static_cast<double>(sample.count()); });
  const auto [minimum, maximum] = std::minmax_element(samples.begin(), samples.end());
  summary.minimum = *minimum;
  summary.maximum = *maximum;
  summary.mean = RealNanoseconds(static_cast<double>(summary.total.count()) / static_cast<double>(samples.size()));
  summary.median = RealNanoseconds(*statistics::median(numbers));
  summary.median_absolute_deviation = RealNanoseconds(*statistics::median_absolute_deviation(numbers));
  summary.p99 = RealNanoseconds(*statistics::percentile(numbers, 99));
  return summary;
}

}  // namespace stagebench
