#include "stagebench/report/run_folder.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "stagebench/contracts/error.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using stagebench::test::TemporaryFolder;

TEST_CASE("a run id is the UTC time and four random digits") {
  const auto started = std::chrono::system_clock::from_time_t(1796137200);
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    const auto id = make_run_id(started);
    INFO(id);
    REQUIRE(id.size() == 21);
    REQUIRE(id.starts_with("20261201T150000Z-"));
    REQUIRE(id.find_first_not_of("0123456789abcdef", 17) == std::string::npos);
    ids.insert(id);
  }
  REQUIRE(ids.size() > 1);
}

TEST_CASE("a run folder is made with those above it, and an empty one is taken") {
  const TemporaryFolder folder;
  const auto run = folder.path() / "results" / "run";
  create_run_folder(run);
  REQUIRE(std::filesystem::is_directory(run));
  create_run_folder(run);
}

TEST_CASE("a folder that holds something is refused and left alone") {
  const TemporaryFolder folder;
  folder.write("run/samples.csv", "old");
  REQUIRE_THROWS_SAYING(create_run_folder(folder.path() / "run"), UsageError, "run", "holds files");
  REQUIRE(std::filesystem::file_size(folder.path() / "run" / "samples.csv") == 3);
}

TEST_CASE("a file in the place of the folder, or above it, is refused") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "text");
  REQUIRE_THROWS_SAYING(create_run_folder(file), UsageError, "file", "found a file");
  REQUIRE_THROWS_SAYING(create_run_folder(file / "run"), ResourceError, "run", "Not a directory");
}

TEST_CASE("a folder that cannot be made or written to is an error") {
  REQUIRE_THROWS_SAYING(create_run_folder("/proc/run"), ResourceError, "/proc/run", "cannot be made");
  if (::geteuid() == 0) return;  // to root every folder is writable
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  REQUIRE_THROWS_SAYING(create_run_folder(folder.path()), ResourceError, "cannot be written to");
}
