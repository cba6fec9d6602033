#include "stagebench/report/csv.h"

#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;

namespace {

std::string field(std::string_view text) {
  std::string record;
  append_csv_field(record, text);
  return record;
}

std::vector<std::vector<std::string>> records(std::string_view text) {
  CsvReader reader(text, "f.csv");
  std::vector<std::vector<std::string>> all;
  std::vector<std::string> fields;
  while (reader.next(fields)) all.push_back(fields);
  return all;
}

}  // namespace

TEST_CASE("a field is quoted as RFC 4180 says, and only then") {
  REQUIRE(field("") == "");
  REQUIRE(field("plain text = 1.5") == "plain text = 1.5");
  REQUIRE(field("a,b") == "\"a,b\"");
  REQUIRE(field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  REQUIRE(field("two\nlines") == "\"two\nlines\"");
  REQUIRE(field("two\r\nlines") == "\"two\r\nlines\"");
  REQUIRE(field("cr\rcr") == "\"cr\rcr\"");
  REQUIRE(field("\"") == "\"\"\"\"");
  REQUIRE(field("µs, 日本") == "\"µs, 日本\"");
}

TEST_CASE("what is not UTF-8 becomes the replacement character") {
  REQUIRE(field("a\xFF"
                "b") ==
          "a\xEF\xBF\xBD"
          "b");
  REQUIRE(field("cut \xE6\x97") == "cut \xEF\xBF\xBD\xEF\xBF\xBD");
  REQUIRE(field(std::string_view("a\0b", 3)) ==
          "a\xEF\xBF\xBD"
          "b");
}

TEST_CASE("records are read as RFC 4180 says") {
  using Records = std::vector<std::vector<std::string>>;
  REQUIRE(records("") == Records{});
  REQUIRE(records("a,b\r\nc,d\r\n") == Records{{"a", "b"}, {"c", "d"}});
  REQUIRE(records("a,b\nc,d") == Records{{"a", "b"}, {"c", "d"}});
  REQUIRE(records("a,\n,b\n") == Records{{"a", ""}, {"", "b"}});
  REQUIRE(records("\n") == Records{{""}});
  // The examples of RFC 4180, section 2.
  REQUIRE(records("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx") ==
          Records{{"aaa", "b\r\nbb", "ccc"}, {"zzz", "yyy", "xxx"}});
  REQUIRE(records("\"aaa\",\"b\"\"bb\",\"ccc\"") == Records{{"aaa", "b\"bb", "ccc"}});
  REQUIRE(records("\"\"\n") == Records{{""}});
  REQUIRE(records("\"\"\"\"\n") == Records{{"\""}});
}

TEST_CASE("a damaged record is refused with its line") {
  REQUIRE_THROWS_SAYING(records("a\n\"b\nc"), InputError, "f.csv: line 2", "not closed");
  REQUIRE_THROWS_SAYING(records("a\n\"b\nc\"\nd\n\"e\"f\n"), InputError, "f.csv: line 5", "closing quote");
  REQUIRE_THROWS_SAYING(records("a,b\"c\n"), InputError, "f.csv: line 1", "not quoted");
  REQUIRE_THROWS_SAYING(records("\""), InputError, "line 1", "not closed");
}
