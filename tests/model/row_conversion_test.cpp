#include "stagebench/model/row_conversion.h"

#include <hwy/targets.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "crc32.h"
#include "gguf_file.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/half.h"
#include "stagebench/support/json.h"
#include "stagebench/support/mapped_file.h"
#include "support/catch.h"

using namespace stagebench;

namespace {

/// Runs `check` once with each instruction set that was compiled and this machine has, then leaves the choice as it
/// was.
template <typename Check>
void on_each_instruction_set(Check check) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t left = supported; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    INFO("on " << hwy::TargetName(left & -left));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

std::vector<std::byte> converted(DType source_type, std::span<const std::byte> source, std::int64_t elements,
                                 DType target) {
  std::vector<std::byte> result(static_cast<std::size_t>(row_bytes(target, elements)));
  convert_row(source_type, source.data(), elements, target, result.data());
  return result;
}

/// As tests/data/make_gguf_checksums.py makes them.
std::vector<std::byte> random_blocks(DType type, std::uint64_t ggml_type, std::vector<std::size_t> scale_offsets) {
  const auto block_bytes = static_cast<std::size_t>(traits(type).block_bytes);
  std::vector<std::byte> blocks(64 * block_bytes);
  std::uint64_t x = ggml_type;
  for (std::byte& byte : blocks) {
    x = 6364136223846793005U * x + 1442695040888963407U;
    byte = static_cast<std::byte>(x >> 56);
  }
  for (std::size_t block = 0; block < blocks.size(); block += block_bytes) {
    for (const std::size_t offset : scale_offsets) blocks[block + offset + 1] &= std::byte{0xbf};
  }
  return blocks;
}

void require_checksums(DType type, std::span<const std::byte> source, std::int64_t elements,
                       const JsonValue& expected) {
  for (const DType target : {DType::f32, DType::f16, DType::bf16}) {
    INFO(expected.where() << " as " << name(target));
    const auto found = converted(type, source, elements, target);
    REQUIRE(static_cast<std::int64_t>(test::crc32(found)) == expected.at(name(target)).as_int64());
  }
}

void require_equal(const JsonValue& expected, const float* found) {
  std::size_t i = 0;
  for (const auto value : expected.as_array()) {
    INFO(expected.where() << " value " << i);
    REQUIRE(static_cast<float>(double(value)) == found[i]);
    ++i;
  }
  REQUIRE(i == 16);
}

}  // namespace

TEST_CASE("rows of every type dequantise to the golden values") {
  const std::string data = STAGEBENCH_TEST_DATA;
  const MappedFile mapped(data + "/models/gguf-types.gguf");
  const GgufFile file = parse_gguf(mapped.bytes(), "gguf-types.gguf");
  const auto golden = JsonDocument::from_file(data + "/golden/gguf-types.json");
  REQUIRE(file.tensors.size() == 13);
  for (const GgufTensor& tensor : file.tensors) {
    REQUIRE((tensor.rows == 3 && tensor.columns == 512));
    const auto expected = golden.root().at("tensors").at(tensor.name);
    const auto bytes = converted(tensor.dtype, tensor.data, 3 * 512, DType::f32);
    std::vector<float> values(3 * 512);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (std::size_t row = 0; row < 3; ++row) {
      const float* found = values.data() + row * 512;
      const auto pick = [&](std::string_view key) {
        return JsonValue(expected.at(key).as_array().at(row).value(),
                         std::string(tensor.name) + "." + std::string(key));
      };
      require_equal(pick("first16"), found);
      require_equal(pick("last16"), found + 496);
      double sum = 0;
      for (int i = 0; i < 512; ++i) sum += double{found[i]};
      INFO(tensor.name << " row " << row);
      REQUIRE(sum == Approx(pick("sum").as_double()).epsilon(1e-6).margin(1e-6));
    }
  }
}

TEST_CASE("rows of every type equal the gguf package bit for bit, also rounded to f16 and bf16") {
  const std::string data = STAGEBENCH_TEST_DATA;
  const MappedFile mapped(data + "/models/gguf-types.gguf");
  const GgufFile file = parse_gguf(mapped.bytes(), "gguf-types.gguf");
  const auto golden = JsonDocument::from_file(data + "/golden/gguf-checksums.json");
  for (const GgufTensor& tensor : file.tensors) {
    const auto expected = golden.root().at("tensors").at(tensor.name);
    on_each_instruction_set([&] { require_checksums(tensor.dtype, tensor.data, 3 * 512, expected); });
  }
}

TEST_CASE("blocks of arbitrary bits dequantise as the gguf package does") {
  struct BlockType {
    DType type;
    std::uint64_t ggml_type;
    std::vector<std::size_t> scale_offsets;
  };
  const std::vector<BlockType> types = {
      {DType::q8_0, 8, {0}},     {DType::q4_0, 2, {0}},       {DType::q4_1, 3, {0, 2}}, {DType::q5_0, 6, {0}},
      {DType::q5_1, 7, {0, 2}},  {DType::q2_k, 10, {80, 82}}, {DType::q3_k, 11, {108}}, {DType::q4_k, 12, {0, 2}},
      {DType::q5_k, 13, {0, 2}}, {DType::q6_k, 14, {208}},
  };
  const auto golden = JsonDocument::from_file(std::string(STAGEBENCH_TEST_DATA) + "/golden/gguf-checksums.json");
  for (const BlockType& block : types) {
    const auto bytes = random_blocks(block.type, block.ggml_type, block.scale_offsets);
    const auto expected = golden.root().at("random_blocks").at(name(block.type));
    const std::int64_t elements = 64 * traits(block.type).block_elements;
    on_each_instruction_set([&] { require_checksums(block.type, bytes, elements, expected); });
  }
}

TEST_CASE("all 65536 values of f16 and bf16 convert to f32 as half.h does, and back") {
  std::vector<std::uint16_t> all(65536);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const auto* source = reinterpret_cast<const std::byte*>(all.data());
  on_each_instruction_set([&] {
    for (const DType type : {DType::f16, DType::bf16}) {
      std::vector<float> found(all.size());
      std::vector<std::uint16_t> back(all.size());
      convert_row(type, source, 65536, DType::f32, found.data());
      convert_row(DType::f32, reinterpret_cast<const std::byte*>(found.data()), 65536, type, back.data());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const float expected = type == DType::f16 ? f16_to_f32(all[i]) : bf16_to_f32(all[i]);
        const bool is_same = std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(expected);
        if (!is_same || (!std::isnan(expected) && back[i] != all[i])) FAIL(name(type) << " of bits " << i);
      }
    }
  });
}

TEST_CASE("f32 rounds to f16 and bf16 as half.h does, at ties, limits, subnormals, infinities and NaN") {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 65536; ++high) {
    for (const std::uint32_t low : {0x0000U, 0x0fffU, 0x1000U, 0x1001U, 0x3000U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      values.push_back(std::bit_cast<float>((high << 16) | low));
    }
  }
  const auto* source = reinterpret_cast<const std::byte*>(values.data());
  on_each_instruction_set([&] {
    for (const DType type : {DType::f16, DType::bf16}) {
      std::vector<std::uint16_t> found(values.size());
      convert_row(DType::f32, source, static_cast<std::int64_t>(values.size()), type, found.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t expected = type == DType::f16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
        if (found[i] != expected) FAIL(name(type) << " of bits " << std::bit_cast<std::uint32_t>(values[i]));
      }
    }
  });
}

TEST_CASE("f16 and bf16 convert into each other through f32") {
  const std::array<std::uint16_t, 5> halves{0x3c00, 0xc000, 0x7bff, 0x0001, 0x3c01};  // 1, -2, 65504, 2^-24, 1 + 2^-10
  std::array<std::uint16_t, 5> found{};
  convert_row(DType::f16, reinterpret_cast<const std::byte*>(halves.data()), 5, DType::bf16, found.data());
  REQUIRE(found == std::array<std::uint16_t, 5>{0x3f80, 0xc000, 0x4780, 0x3380, 0x3f80});
  const std::array<std::uint16_t, 3> brains{0x3f80, 0x4780, 0x3380};  // 1, 65536, 2^-24
  std::array<std::uint16_t, 3> back{};
  convert_row(DType::bf16, reinterpret_cast<const std::byte*>(brains.data()), 3, DType::f16, back.data());
  REQUIRE(back == std::array<std::uint16_t, 3>{0x3c00, 0x7c00, 0x0001});
}

TEST_CASE("conversion takes any length and unaligned pointers and writes nothing beyond its range") {
  for (const std::int64_t elements : {0, 1, 7, 15, 17, 31, 33, 2047, 2049, 4100}) {
    for (const DType source_type : {DType::f32, DType::f16, DType::bf16}) {
      for (const DType target : {DType::f32, DType::f16, DType::bf16}) {
        const auto source_bytes = static_cast<std::size_t>(row_bytes(source_type, elements));
        const auto target_bytes = static_cast<std::size_t>(row_bytes(target, elements));
        std::vector<std::byte> source(source_bytes + 1);
        for (std::int64_t i = 0; i < elements; ++i) {
          const float value = static_cast<float>(i % 251) / 4 - 20;  // exact in all three
          const std::uint16_t half = source_type == DType::f16 ? f32_to_f16(value) : f32_to_bf16(value);
          const auto at = 1 + static_cast<std::size_t>(row_bytes(source_type, i));
          if (source_type == DType::f32) {
            std::memcpy(source.data() + at, &value, 4);
          } else {
            std::memcpy(source.data() + at, &half, 2);
          }
        }
        std::vector<std::byte> found(target_bytes + 2, std::byte{0xa5});
        convert_row(source_type, source.data() + 1, elements, target, found.data() + 1);
        REQUIRE((found.front() == std::byte{0xa5} && found.back() == std::byte{0xa5}));
        std::vector<float> values(static_cast<std::size_t>(elements));
        convert_row(target, found.data() + 1, elements, DType::f32, values.data());
        for (std::int64_t i = 0; i < elements; ++i) {
          REQUIRE(values[static_cast<std::size_t>(i)] == static_cast<float>(i % 251) / 4 - 20);
        }
      }
    }
  }
}

TEST_CASE("a target that is a block type is refused") {
  std::array<std::byte, 128> bytes{};
  REQUIRE_THROWS_SAYING(convert_row(DType::f32, bytes.data(), 32, DType::q8_0, bytes.data()), UsageError, "q8_0");
}
