#include "stagebench/statistics/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "stagebench/statistics/measurement_error.h"

namespace stagebench::statistics {
namespace {

void check_finite(std::span<const double> samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::isfinite(samples[i])) continue;
    throw MeasurementError(
        fmt::format("sample {} of {}: expected a finite number, found {}", i, samples.size(), samples[i]));
  }
}

double percentile_of_sorted(std::span<const double> sorted, double percent) {
  const double rank = static_cast<double>(sorted.size() - 1) * (percent / 100);
  const double below = std::floor(rank);
  const auto index = static_cast<std::size_t>(below);
  if (index + 1 >= sorted.size()) return sorted.back();
  return sorted[index] + (rank - below) * (sorted[index + 1] - sorted[index]);
}

}  // namespace

std::optional<double> total(std::span<const double> samples) {
  check_finite(samples);
  if (samples.empty()) return std::nullopt;
  // Neumaier's compensated sum: the order of the samples and their number leave no trace.
  double sum = 0;
  double lost = 0;
  for (const double sample : samples) {
    const double next = sum + sample;
    lost += std::abs(sum) >= std::abs(sample) ? (sum - next) + sample : (sample - next) + sum;
    sum = next;
  }
  return sum + lost;
}

std::optional<double> minimum(std::span<const double> samples) {
  check_finite(samples);
  if (samples.empty()) return std::nullopt;
  return *std::min_element(samples.begin(), samples.end());
}

std::optional<double> maximum(std::span<const double> samples) {
  check_finite(samples);
  if (samples.empty()) return std::nullopt;
  return *std::max_element(samples.begin(), samples.end());
}

std::optional<double> mean(std::span<const double> samples) {
  const auto sum = total(samples);
  if (!sum) return std::nullopt;
  return *sum / static_cast<double>(samples.size());
}

std::optional<double> median(std::span<const double> samples) {
  return percentile(samples, 50);
}

std::optional<double> median_absolute_deviation(std::span<const double> samples) {
  const auto center = median(samples);
  if (!center) return std::nullopt;
  std::vector<double> distances(samples.size());
  std::transform(samples.begin(), samples.end(), distances.begin(),
                 [center](double sample) { return std::abs(sample - *center); });
  return median(distances);
}

std::optional<double> percentile(std::span<const double> samples, double percent) {
  if (!(percent >= 0 && percent <= 100)) {
    throw UsageError(fmt::format("percentile: expected 0 to 100, found {}", percent));
  }
  check_finite(samples);
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return percentile_of_sorted(sorted, percent);
}

}  // namespace stagebench::statistics
