#include "stagebench/report/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include "stagebench/contracts/error.h"
#include "utc_time.h"

namespace stagebench {

std::string make_run_id(std::chrono::system_clock::time_point started) {
  std::random_device random;
  return fmt::format("{}-{:04x}", format_utc(started, "%Y%m%dT%H%M%SZ"), random() & 0xffff);
}

void create_run_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError(folder.string() + ": expected a folder for results, found a file");
  }
  fs::create_directories(folder, error);
  if (error) throw ResourceError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const bool empty = fs::is_empty(folder, error);
  if (error) throw ResourceError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  if (!empty) throw UsageError(folder.string() + ": holds files already, expected a new or empty folder for results");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw ResourceError(fmt::format("{}: cannot be written to: {}", folder.string(), std::strerror(errno)));
  }
}

}  // namespace stagebench
