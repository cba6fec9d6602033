#pragma once

#include <cstdint>
#include <string>

#include "stagebench/statistics/duration_summary.h"

namespace stagebench {

/// Three digits and the unit that suits: "123 ns", "12.3 µs", "1.00 ms", "61.5 s".
std::string human_duration(RealNanoseconds time);

/// Three digits or all before the point; from a million on in millions: "0.05", "9.87", "76.1", "1440", "1.40 M".
std::string human_number(double number);

/// In powers of 1024: "576 B", "1.50 KiB", "256 GiB".
std::string human_bytes(std::uint64_t bytes);

}  // namespace stagebench
