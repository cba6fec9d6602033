#include "stagebench/report/human_units.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace stagebench {
namespace {

/// The bounds are those at which rounding would make a fourth digit.
std::string three_digits(double number) {
  const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", number, decimals);
}

}  // namespace

std::string human_duration(RealNanoseconds time) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, scale] : units) {
    const double value = time.count() / scale;
    if (value < 999.5 || unit == "s") return fmt::format("{} {}", three_digits(value), unit);
  }
  return "";
}

std::string human_number(double number) {
  if (number > 0 && number < 0.0995) return fmt::format("{:.2g}", number);
  if (number < 999'999.5) return three_digits(number);
  return three_digits(number / 1e6) + " M";
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array<std::string_view, 4> units{"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace stagebench
