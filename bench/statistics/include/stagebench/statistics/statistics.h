#pragma once

/// Samples to numbers.
///
///   const std::array samples{3.0, 1.0, 2.0};
///   statistics::median(samples);          // 2
///   statistics::percentile(samples, 99);  // 2.98
///
/// Absence is empty: of no samples every function gives nothing. A sample that is not finite is a MeasurementError that
/// says which one. The order of the samples does not matter.

#include <optional>
#include <span>

namespace stagebench::statistics {

std::optional<double> total(std::span<const double> samples);
std::optional<double> minimum(std::span<const double> samples);
std::optional<double> maximum(std::span<const double> samples);
std::optional<double> mean(std::span<const double> samples);

/// percentile(samples, 50).
std::optional<double> median(std::span<const double> samples);

/// The median distance from the median, not scaled to a standard deviation.
std::optional<double> median_absolute_deviation(std::span<const double> samples);

/// Linear interpolation between the closest ranks: with x_0 <= ... <= x_(n-1) and h = (n - 1) * percent / 100, it is
/// x_floor(h) + (h - floor(h)) * (x_(floor(h)+1) - x_floor(h)). Type 7 of Hyndman and Fan (1996), the default of numpy
/// and R; the one rule of the project. Throws UsageError where `percent` is outside 0 ... 100.
std::optional<double> percentile(std::span<const double> samples, double percent);

}  // namespace stagebench::statistics
