#include "stagebench/contracts/dtype.h"

#include "support/catch.h"

using namespace stagebench;

// Block sizes as ggml-common.h has them (sizeof of each block struct).
TEST_CASE("a row's bytes follow from the block of its type") {
  REQUIRE(row_bytes(DType::f32, 512) == 2048);
  REQUIRE(row_bytes(DType::f16, 512) == 1024);
  REQUIRE(row_bytes(DType::bf16, 512) == 1024);
  REQUIRE(row_bytes(DType::q8_0, 512) == 16 * (2 + 32));
  REQUIRE(row_bytes(DType::q4_0, 512) == 16 * (2 + 16));
  REQUIRE(row_bytes(DType::q4_1, 512) == 16 * (4 + 16));
  REQUIRE(row_bytes(DType::q5_0, 512) == 16 * (2 + 4 + 16));
  REQUIRE(row_bytes(DType::q5_1, 512) == 16 * (4 + 4 + 16));
  REQUIRE(row_bytes(DType::q2_k, 512) == 2 * (16 + 64 + 4));
  REQUIRE(row_bytes(DType::q3_k, 512) == 2 * (32 + 64 + 12 + 2));
  REQUIRE(row_bytes(DType::q4_k, 512) == 2 * (4 + 12 + 128));
  REQUIRE(row_bytes(DType::q5_k, 512) == 2 * (4 + 12 + 32 + 128));
  REQUIRE(row_bytes(DType::q6_k, 512) == 2 * (128 + 64 + 16 + 2));
}

TEST_CASE("every type is found by its own name and nothing else is") {
  for (int i = 0; i < 13; ++i) {
    const auto type = static_cast<DType>(i);
    REQUIRE(dtype_from_name(name(type)) == type);
  }
  REQUIRE_FALSE(dtype_from_name("F32"));
  REQUIRE_FALSE(dtype_from_name(""));
  REQUIRE_FALSE(dtype_from_name("q4_k_m"));
}
