#pragma once

#include <chrono>
#include <string>

namespace stagebench {

/// `format` is strftime's.
std::string format_utc(std::chrono::system_clock::time_point time, const char* format);

}  // namespace stagebench
