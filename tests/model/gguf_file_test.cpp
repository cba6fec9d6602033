#include "gguf_file.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gguf_writer.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;
using test::GgufWriter;

namespace {

GgufFile parse(const std::string& bytes) {
  return parse_gguf(std::as_bytes(std::span(bytes)), "bad.gguf");
}

/// Two keys and two tensors: 'a' of 2 x 3 f32 at 0, 'b' of 32 q8_0 at 32.
GgufWriter small() {
  GgufWriter gguf;
  gguf.string("general.architecture", "none").u32("n", 7);
  gguf.tensor("a", {2, 3}, 0, std::string(24, '\1'));
  gguf.tensor("b", {32}, 8, std::string(34, '\2'));
  return gguf;
}

// Where small() has its counts.
constexpr std::size_t n_tensors_at = 8;
constexpr std::size_t n_pairs_at = 16;

std::string patched(std::string bytes, std::size_t at, std::uint64_t value) {
  return bytes.replace(at, 8, GgufWriter::bytes_of(value));
}

}  // namespace

TEST_CASE("keys and tensors of a file are found") {
  const std::string bytes = small().bytes();
  const GgufFile file = parse(bytes);
  REQUIRE(file.version == 3);
  REQUIRE(file.metadata.string("general.architecture") == "none");
  REQUIRE(file.metadata.integer("n", 0, 10) == 7);
  REQUIRE_FALSE(file.metadata.contains("m"));
  REQUIRE(file.tensors.size() == 2);
  REQUIRE(file.find("c") == nullptr);
  const GgufTensor& a = *file.find("a");
  REQUIRE((a.dtype == DType::f32 && a.rows == 3 && a.columns == 2 && a.data.size() == 24));
  REQUIRE(a.data[0] == std::byte{1});
  const GgufTensor& b = *file.find("b");
  REQUIRE((b.dtype == DType::q8_0 && b.rows == 1 && b.columns == 32 && b.data.size() == 34));
  REQUIRE(b.file_offset == a.file_offset + 32);
  REQUIRE(b.data.data() == reinterpret_cast<const std::byte*>(bytes.data()) + b.file_offset);
}

TEST_CASE("values of every type are read") {
  GgufWriter gguf;
  gguf.pair("u8", 0, "\xfe").pair("i8", 1, "\xfe").pair("u16", 2, GgufWriter::bytes_of(std::uint16_t{65534}));
  gguf.pair("i16", 3, GgufWriter::bytes_of(std::int16_t{-2})).u32("u32", 4294967294U).i32("i32", -2).f32("f32", 1.5F);
  gguf.boolean("yes", true).boolean("no", false).string("text", "t").u64("u64", 1);
  gguf.pair("i64", 11, GgufWriter::bytes_of(std::int64_t{-3})).pair("f64", 12, GgufWriter::bytes_of(0.1));
  gguf.strings("texts", {"x", "", "yz"}).f32s("floats", {1, -2}).i32s("numbers", {3, -4});
  const std::string bytes = gguf.bytes();
  const GgufFile file = parse(bytes);
  const GgufMetadata& metadata = file.metadata;
  REQUIRE(metadata.find_integer("u8") == 254);
  REQUIRE(metadata.find_integer("i8") == -2);
  REQUIRE(metadata.find_integer("u16") == 65534);
  REQUIRE(metadata.find_integer("i16") == -2);
  REQUIRE(metadata.find_integer("u32") == 4294967294);
  REQUIRE(metadata.find_integer("i32") == -2);
  REQUIRE(metadata.find_integer("u64") == 1);
  REQUIRE(metadata.find_integer("i64") == -3);
  REQUIRE(metadata.find_number("f32") == 1.5);
  REQUIRE(metadata.find_number("f64") == 0.1);
  REQUIRE(metadata.find_number("u32") == 4294967294.0);
  REQUIRE(metadata.find_bool("yes") == true);
  REQUIRE(metadata.find_bool("no") == false);
  REQUIRE(metadata.find_strings("texts") == std::vector<std::string>{"x", "", "yz"});
  REQUIRE(metadata.find_floats("floats") == std::vector<float>{1, -2});
  REQUIRE(metadata.find_integers("numbers") == std::vector<std::int64_t>{3, -4});
  REQUIRE_FALSE(metadata.find_bool("absent"));
}

TEST_CASE("a value of another type than is asked for is refused by key") {
  GgufWriter gguf;
  gguf.string("text", "t").f32("float", 1).u64("huge", ~std::uint64_t{0}).f32s("floats", {1}).boolean("bool", true);
  gguf.i32s("integers", {1});
  const std::string bytes = gguf.bytes();
  const GgufFile file = parse(bytes);
  const GgufMetadata& metadata = file.metadata;
  REQUIRE_THROWS_SAYING(metadata.find_integer("text"), InputError, "bad.gguf", "'text'", "an integer", "a string");
  REQUIRE_THROWS_SAYING(metadata.find_integer("float"), InputError, "an integer", "a float");
  REQUIRE_THROWS_SAYING(metadata.find_integer("huge"), InputError, "2^63");
  REQUIRE_THROWS_SAYING(metadata.find_number("bool"), InputError, "a number", "a bool");
  REQUIRE_THROWS_SAYING(metadata.find_bool("float"), InputError, "a bool", "a float");
  REQUIRE_THROWS_SAYING(metadata.find_string("floats"), InputError, "a string", "an array of float32");
  REQUIRE_THROWS_SAYING(metadata.find_strings("floats"), InputError, "an array of strings", "an array of float32");
  REQUIRE_THROWS_SAYING(metadata.find_floats("text"), InputError, "an array of float32", "a string");
  REQUIRE_THROWS_SAYING(metadata.find_floats("integers"), InputError, "an array of float32", "an array of int32");
  REQUIRE_THROWS_SAYING(metadata.find_integers("floats"), InputError, "an array of integers", "an array of float32");
  REQUIRE_THROWS_SAYING(metadata.integer("absent", 0, 1), InputError, "'absent'", "missing");
  REQUIRE_THROWS_SAYING(metadata.string("absent"), InputError, "'absent'", "missing");
  REQUIRE_THROWS_SAYING(metadata.number("absent"), InputError, "'absent'", "missing");
}

TEST_CASE("what is no GGUF of version 2 or 3 is refused") {
  REQUIRE_THROWS_SAYING(parse(""), InputError, "bad.gguf", "truncated", "4 bytes", "offset 0", "found 0");
  REQUIRE_THROWS_SAYING(parse("PK\x03\x04 and more"), InputError, "not a GGUF", "'GGUF'", "PK\\x03\\x04");
  auto gguf = small();
  gguf.version = 1;
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "version 1 ", "2 or 3");
  gguf.version = 4;
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "version 4 ");
  gguf.version = 0x03000000;
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "big-endian");
}

TEST_CASE("a file that ends early is refused wherever it ends") {
  const std::string bytes = small().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO("first " << size << " bytes");
    REQUIRE_THROWS_SAYING(parse(bytes.substr(0, size)), InputError, "bad.gguf");
  }
  REQUIRE_NOTHROW(parse(bytes));
}

TEST_CASE("counts and lengths that the file cannot hold are refused before anything is allocated") {
  const std::string bytes = small().bytes();
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    REQUIRE_THROWS_SAYING(parse(patched(bytes, n_tensors_at, count)), InputError, "number of tensors",
                          std::to_string(count), "at most");
    REQUIRE_THROWS_SAYING(parse(patched(bytes, n_pairs_at, count)), InputError, "number of keys",
                          std::to_string(count));
    REQUIRE_THROWS_SAYING(parse(patched(bytes, 24, count)), InputError, "a key at offset 24", "past the end");
    auto gguf = small();
    gguf.pair("text", 8, GgufWriter::bytes_of(count) + "abc");
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'text'", "past the end");
    for (const std::uint32_t type : {0U, 5U, 8U, 12U}) {
      gguf.pair("text", 9, GgufWriter::bytes_of(type) + GgufWriter::bytes_of(count));
      REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "elements of key 'text'", std::to_string(count));
    }
  }
}

TEST_CASE("a string inside an array that goes past the end is refused") {
  auto gguf = small();
  gguf.pair("texts", 9,
            GgufWriter::bytes_of(std::uint32_t{8}) + GgufWriter::bytes_of(std::uint64_t{2}) + GgufWriter::sized("ok") +
                GgufWriter::bytes_of(std::uint64_t{1} << 50));
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "a string of key 'texts'", "past the end");
}

TEST_CASE("unknown value types, nested arrays and bools that are none are refused") {
  auto gguf = small();
  gguf.pair("odd", 13, "1234");
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'odd'", "value type 13");
  gguf.pair("odd", 9, GgufWriter::bytes_of(std::uint32_t{77}) + GgufWriter::bytes_of(std::uint64_t{0}));
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'odd'", "value type 77");
  gguf.pair("odd", 9, GgufWriter::bytes_of(std::uint32_t{9}) + GgufWriter::bytes_of(std::uint64_t{0}));
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'odd'", "arrays of arrays");
  gguf.pair("odd", 7, "\2");
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'odd'", "a bool", "found 2");
}

TEST_CASE("keys and tensors that are there twice or have no name are refused") {
  auto gguf = small();
  gguf.pair_again("n", 4, "1234");
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "key 'n'", "twice");
  gguf = small();
  gguf.tensors[1].name = "a";
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'a'", "twice");
  gguf = small();
  gguf.pair("", 4, "1234");
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "key at offset", "empty");
  gguf = small();
  gguf.tensors[1].name = "";
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor name at offset", "empty");
}

TEST_CASE("tensor types that are not read are refused by number") {
  for (const std::uint32_t type : {4U, 5U, 9U, 15U, 16U, 24U, 31U, 1000U, 0xffffffffU}) {
    auto gguf = small();
    gguf.tensors[0].type = type;
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'a'", "type " + std::to_string(type) + " ");
  }
}

TEST_CASE("dimensions that are zero, overflow, are too many or split a block are refused") {
  auto gguf = small();
  GgufWriter::Tensor& tensor = gguf.tensors[0];
  const std::uint64_t half = std::uint64_t{1} << 32;
  const std::uint64_t most = std::uint64_t{1} << 63;
  for (const auto& dimensions : std::vector<std::vector<std::uint64_t>>{{0, 3}, {2, 0}, {most, 1}, {2, ~half}}) {
    tensor.dimensions = dimensions;
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'a'", "dimension ", "1 to 2^63 - 1");
  }
  for (const auto& dimensions :
       std::vector<std::vector<std::uint64_t>>{{half, half}, {most - 1, 1}, {half, 1, 1, half}, {2, half, half}}) {
    tensor.dimensions = dimensions;
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'a'", "overflow");
  }
  tensor.dimensions = {half, half / 8};  // 2^63 bytes less a little, were there room
  tensor.dimensions[1] -= 1;
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'a'", "past the end");
  for (const auto& dimensions : std::vector<std::vector<std::uint64_t>>{{}, {1, 1, 1, 1, 1}}) {
    tensor.dimensions = dimensions;
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'a'", "1 to 4 dimensions");
  }
  gguf = small();
  gguf.tensors[1].dimensions = {16, 2};
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'b'", "16", "32 values", "q8_0");
}

TEST_CASE("alignments that are no power of two are refused") {
  for (const std::uint32_t alignment : {0U, 24U, 33U, 0xffffffffU}) {
    auto gguf = small();
    gguf.u32("general.alignment", alignment);
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'general.alignment'", "power of two",
                          std::to_string(alignment));
  }
  auto gguf = small();
  gguf.string("general.alignment", "32");
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "'general.alignment'", "an integer", "a string");
}

TEST_CASE("tensor offsets that are misaligned, out of range or overlap are refused") {
  auto gguf = small();
  gguf.tensors[1].offset = 40;
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'b'", "40", "alignment 32");
  for (const std::int64_t offset : {std::int64_t{64}, std::int64_t{1} << 40, std::int64_t{0x7fffffffffffffe0}}) {
    gguf.tensors[1].offset = offset;
    REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'b'", "34 bytes", "past the end");
  }
  gguf.tensors[1].offset = 0;
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "inside tensor");
  gguf = small();
  gguf.tensors[0].dimensions = {3, 3};  // 36 bytes, where 'b' begins at 32
  REQUIRE_THROWS_SAYING(parse(gguf.bytes()), InputError, "tensor 'b'", "inside tensor 'a'");
}

TEST_CASE("names out of the file are made fit for a message") {
  auto gguf = small();
  gguf.tensors[0].name = std::string("\x1b[31m\n") + std::string(5000, 'x');
  gguf.tensors[0].type = 99;
  try {
    parse(gguf.bytes());
    FAIL("accepted type 99");
  } catch (const InputError& error) {
    const std::string message = error.what();
    REQUIRE(message.find("'\\x1b[31m\\x0ax") != std::string::npos);
    REQUIRE(message.find('\n') == std::string::npos);
    REQUIRE(message.size() < 400);
  }
}
