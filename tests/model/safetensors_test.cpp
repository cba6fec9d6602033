#include "safetensors.h"

#include <string>
#include <string_view>

#include "safetensors_builder.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;
using test::safetensors_bytes;

namespace {

std::vector<SafetensorsEntry> parse(std::string_view bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes)), "m.safetensors");
}

/// One tensor "w" with this entry, before `data`.
std::string one(const std::string& entry, const std::string& data) {
  return safetensors_bytes(R"({"w":)" + entry + "}", data);
}

}  // namespace

TEST_CASE("A safetensors header gives names, types, shapes and places in the order of the data") {
  const std::string bytes = safetensors_bytes(
      R"({"__metadata__":{"a":"b"},"second":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]},)"
      R"("first":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
      R"("scalar":{"dtype":"I64","shape":[],"data_offsets":[14,22]},"none":{"dtype":"F16","shape":[0,4],"data_offsets":[8,8]}})",
      std::string(22, 'd'));
  const auto entries = parse(bytes);
  REQUIRE(entries.size() == 4);
  const std::uint64_t begin = bytes.size() - 22;
  REQUIRE(entries[0].name == "first");
  REQUIRE(entries[0].dtype == DType::f32);
  REQUIRE(entries[0].shape == std::vector<std::int64_t>{1, 2});
  REQUIRE(entries[0].offset == begin);
  REQUIRE(entries[0].bytes == 8);
  REQUIRE(entries[1].name == "none");
  REQUIRE(entries[2].name == "second");
  REQUIRE(entries[2].dtype == DType::bf16);
  REQUIRE(entries[2].offset == begin + 8);
  REQUIRE(entries[3].name == "scalar");
  REQUIRE(entries[3].stored_type == "I64");
  REQUIRE_FALSE(entries[3].dtype);
}

TEST_CASE("A file without tensors is valid") {
  REQUIRE(parse(safetensors_bytes("{}", "")).empty());
  REQUIRE(parse(safetensors_bytes("{}      ", "")).empty());
}

TEST_CASE("A truncated safetensors file is refused wherever it ends") {
  const std::string bytes = one(R"({"dtype":"F16","shape":[2,2],"data_offsets":[0,8]})", std::string(8, 'd'));
  REQUIRE(parse(bytes).size() == 1);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO("bytes: " << size);
    REQUIRE_THROWS_SAYING(parse(bytes.substr(0, size)), InputError, "m.safetensors: ");
  }
  REQUIRE_THROWS_SAYING(parse(bytes.substr(0, 7)), InputError, "8 bytes at least, found 7");
  REQUIRE_THROWS_SAYING(parse(bytes.substr(0, 20)), InputError, "expected a header of", "found a file of 20",
                        "truncated");
  REQUIRE_THROWS_SAYING(parse(bytes.substr(0, bytes.size() - 1)), InputError,
                        "m.safetensors: w.data_offsets: ", "the 7 bytes of data", "found an end of 8", "truncated");
}

TEST_CASE("Bytes behind the last tensor are refused") {
  const std::string bytes = one(R"({"dtype":"F16","shape":[2,2],"data_offsets":[0,8]})", std::string(9, 'd'));
  REQUIRE_THROWS_SAYING(parse(bytes), InputError,
                        "end with its last tensor at byte " + std::to_string(bytes.size() - 1),
                        "found " + std::to_string(bytes.size()));
}

TEST_CASE("An absurd header length is refused before anything is allocated") {
  REQUIRE_THROWS_SAYING(parse(std::string(8, '\xff')), InputError, "at most 100000000 bytes",
                        "found a length of 18446744073709551615");
  REQUIRE_THROWS_SAYING(parse(std::string("\x00\xe1\xf5\x05\0\0\0\0", 8)), InputError, "header of 100000000 bytes",
                        "truncated");
}

TEST_CASE("A header that is not a JSON object is refused") {
  REQUIRE_THROWS_SAYING(parse(safetensors_bytes("not json", "")), InputError, "m.safetensors: header", "expected JSON");
  REQUIRE_THROWS_SAYING(parse(safetensors_bytes("", "")), InputError, "expected JSON");
  REQUIRE_THROWS_SAYING(parse(safetensors_bytes("[1]", "")), InputError, "header: expected an object, found an array");
  REQUIRE_THROWS_SAYING(parse(one("3", "")), InputError, "m.safetensors: w: expected an object, found a number");
}

TEST_CASE("An entry without dtype, shape or offsets, or with something else, is refused") {
  REQUIRE_THROWS_SAYING(parse(one(R"({"shape":[1],"data_offsets":[0,2]})", "dd")), InputError, "w: ", "\"dtype\"");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","data_offsets":[0,2]})", "dd")), InputError, "w: ", "\"shape\"");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1]})", "dd")), InputError, "w: ", "\"data_offsets\"");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[0,2],"extra":1})", "dd")), InputError,
                        "w: ", "found the key \"extra\"");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":7,"shape":[1],"data_offsets":[0,2]})", "dd")), InputError,
                        "w.dtype: ", "expected a string, found a number");
}

TEST_CASE("An unknown type is refused by name") {
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F4","shape":[1],"data_offsets":[0,1]})", "d")), InputError,
                        "w.dtype: ", "found the unknown \"F4\"");
}

TEST_CASE("Offsets that make no sense are refused") {
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[2,0]})", "dd")), InputError,
                        "w.data_offsets: ", "begin <= end", "[2, 0]");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[0,4]})", "dd")), InputError,
                        "w.data_offsets: ", "the 2 bytes", "an end of 4");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[-2,0]})", "dd")), InputError,
                        "w.data_offsets: ", "whole numbers of at least 0");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[0,18446744073709551616]})", "dd")),
                        InputError, "m.safetensors");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[0]})", "dd")), InputError,
                        "[begin, end], found 1");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1],"data_offsets":[0,2,2]})", "dd")), InputError,
                        "[begin, end], found more");
}

TEST_CASE("Tensors that overlap or leave a hole are refused") {
  const auto two = [](const std::string& first, const std::string& second) {
    return safetensors_bytes(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                                 R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                             std::string(9, 'd'));
  };
  REQUIRE_THROWS_SAYING(parse(two("[0,4]", "[3,7]")), InputError, "m.safetensors: b: ", "tensors overlap");
  REQUIRE_THROWS_SAYING(parse(two("[0,4]", "[0,4]")), InputError, "m.safetensors: b: ", "tensors overlap");
  REQUIRE_THROWS_SAYING(parse(two("[0,4]", "[5,9]")), InputError, "m.safetensors: b: ", "leave a hole");
  REQUIRE_THROWS_SAYING(parse(two("[1,5]", "[5,9]")), InputError, "m.safetensors: a: ", "leave a hole");
}

TEST_CASE("A size that is not what shape and type say is refused") {
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F32","shape":[2,3],"data_offsets":[0,12]})", std::string(12, 'd'))),
                        InputError, "m.safetensors: w: ", "expected 24 bytes for the shape [2, 3] of F32",
                        "found data_offsets of 12 bytes");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[3],"data_offsets":[0,8]})", std::string(8, 'd'))),
                        InputError, "expected 6 bytes for the shape [3] of F16", "found data_offsets of 8 bytes");
}

TEST_CASE("Shapes that overflow, are negative or absurdly long are refused") {
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[4294967296,4294967296],"data_offsets":[0,0]})", "")),
                        InputError, "m.safetensors: w: ", "less than 2^64 bytes", "[4294967296, 4294967296]");
  // 2^63 elements of 2 bytes are 2^64 bytes, which would wrap to the 0 that the offsets say.
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[2,4611686018427387904],"data_offsets":[0,0]})", "")),
                        InputError, "less than 2^64 bytes");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[9223372036854775808],"data_offsets":[0,0]})", "")),
                        InputError, "w.shape: ", "less than 2^63");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[-1],"data_offsets":[0,0]})", "")), InputError,
                        "w.shape: ", "at least 0");
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"F16","shape":[1.5],"data_offsets":[0,0]})", "")), InputError,
                        "w.shape: ", "whole numbers");
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  REQUIRE_THROWS_SAYING(parse(one(R"({"dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,1]})", "d")), InputError,
                        "w.shape: ", "at most 64 dimensions");
}

TEST_CASE("A tensor that stands twice in the header is refused") {
  const std::string entry = R"("w":{"dtype":"F16","shape":[0],"data_offsets":[0,0]})";
  REQUIRE_THROWS_SAYING(parse(safetensors_bytes("{" + entry + "," + entry + "}", "")), InputError,
                        "m.safetensors: w: ", "found it twice");
}
