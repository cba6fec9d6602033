#include "stagebench/support/mapped_file.h"

#include <string>
#include <string_view>
#include <utility>

#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;

namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

TEST_CASE("A mapped file has the bytes of the file") {
  const test::TemporaryFolder folder;
  const std::string content = std::string(5000, 'x') + std::string("\0 end", 5);
  const MappedFile file(folder.write("a.bin", content));
  REQUIRE(text_of(file) == content);
  REQUIRE(file.path() == folder.path() / "a.bin");
}

TEST_CASE("The bytes of a mapped file stay where they are when their owner moves") {
  const test::TemporaryFolder folder;
  MappedFile first(folder.write("a.bin", "alpha"));
  MappedFile second(folder.write("b.bin", "beta"));
  const std::byte* place = first.bytes().data();
  MappedFile moved(std::move(first));
  REQUIRE(moved.bytes().data() == place);
  second = std::move(moved);
  REQUIRE(second.bytes().data() == place);
  REQUIRE(text_of(second) == "alpha");
  REQUIRE(second.path().filename() == "a.bin");
}

TEST_CASE("An empty file gives no bytes") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("empty", "");
  REQUIRE(MappedFile(path).bytes().empty());
  REQUIRE(read_text_file(path).empty());
}

TEST_CASE("What cannot be mapped is named") {
  const test::TemporaryFolder folder;
  REQUIRE_THROWS_SAYING(MappedFile(folder.path() / "absent"), InputError, "absent", "cannot be opened", "No such file");
  REQUIRE_THROWS_SAYING(MappedFile(folder.path()), InputError, folder.path().string(), "expected a file");
  REQUIRE_THROWS_SAYING(MappedFile("/dev/null"), InputError, "/dev/null", "expected a file");
}

TEST_CASE("read_text_file gives a file's bytes, zeros and all") {
  const test::TemporaryFolder folder;
  const std::string content("one\0two\n", 8);
  REQUIRE(read_text_file(folder.write("t.txt", content)) == content);
}
