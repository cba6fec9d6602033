#include "stagebench/support/atomic_file.h"

#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// The name under which AtomicFile writes before commit().
fs::path partial_name(const fs::path& file) {
  return file.string() + ".partial." + std::to_string(::getpid());
}

}  // namespace

TEST_CASE("A file appears under its name with commit, complete, and not before") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "out.csv";
  AtomicFile file(path);
  file.write("one,");
  file.write("two\n");
  REQUIRE_FALSE(fs::exists(path));
  file.commit();
  REQUIRE(read_text_file(path) == "one,two\n");
  REQUIRE(entries_in(folder.path()) == 1);
}

TEST_CASE("Without a commit the old file stays and nothing is left beside it") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("out.csv", "old");
  {
    AtomicFile file(path);
    file.write("new");
    REQUIRE(entries_in(folder.path()) == 2);
  }
  REQUIRE(read_text_file(path) == "old");
  REQUIRE(entries_in(folder.path()) == 1);
}

TEST_CASE("commit replaces what was there") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("out.csv", "old and longer");
  AtomicFile file(path);
  file.write("new");
  file.commit();
  REQUIRE(read_text_file(path) == "new");
}

TEST_CASE("A folder that is not there is a ResourceError") {
  const test::TemporaryFolder folder;
  REQUIRE_THROWS_SAYING(AtomicFile(folder.path() / "absent" / "out.csv"), ResourceError, "absent/out.csv",
                        "cannot be created");
}

TEST_CASE("A full disk is a ResourceError and leaves nothing") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "out.csv";
  // What is written goes to a device that is always full.
  fs::create_symlink("/dev/full", partial_name(path));
  {
    AtomicFile file(path);
    REQUIRE_THROWS_SAYING(file.write("row\n"), ResourceError, "out.csv", "cannot be written", "No space left");
  }
  REQUIRE(entries_in(folder.path()) == 0);
}

TEST_CASE("A name that cannot be replaced is a ResourceError and leaves nothing") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "taken";
  fs::create_directory(path);
  {
    AtomicFile file(path);
    file.write("row\n");
    REQUIRE_THROWS_SAYING(file.commit(), ResourceError, "taken", "cannot be put in place");
  }
  REQUIRE(entries_in(folder.path()) == 1);
  REQUIRE(fs::is_directory(path));
}
