#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace stagebench {

/// UTC time and four random hexadecimal digits, "20261201T150000Z-ab12": sorts by time, and two runs that begin in the
/// same second differ.
std::string make_run_id(std::chrono::system_clock::time_point started);

/// Makes the folder of a run, with the folders above it. Throws UsageError where it exists and is not empty (nothing is
/// ever overwritten) or is not a folder, ResourceError where it cannot be made or written to.
void create_run_folder(const std::filesystem::path& folder);

}  // namespace stagebench
