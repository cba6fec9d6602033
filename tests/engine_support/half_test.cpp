#include "stagebench/support/half.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/catch.h"

using namespace stagebench;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A half by its definition (IEEE 754-2019, section 3.4), in double arithmetic: finite ones only.
double half_by_definition(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1fU);
  const double fraction = static_cast<double>(bits & 0x3ffU) / 1024;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

bool is_half_nan(std::uint32_t bits) {
  return (bits & 0x7fffU) > 0x7c00U;
}
bool is_half_infinity(std::uint32_t bits) {
  return (bits & 0x7fffU) == 0x7c00U;
}

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

}  // namespace

TEST_CASE("Every half widens to its value and comes back as it was") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(bits));
    if (is_half_nan(bits)) {
      wrong += std::isnan(value) && is_half_nan(f32_to_f16(value)) ? 0 : 1;
    } else if (is_half_infinity(bits)) {
      wrong += value == (bits == 0x7c00U ? infinity : -infinity) && f32_to_f16(value) == bits ? 0 : 1;
    } else {
      wrong += static_cast<double>(value) == half_by_definition(bits) && f32_to_f16(value) == bits ? 0 : 1;
      wrong += std::signbit(value) == ((bits & 0x8000U) != 0) ? 0 : 1;
    }
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("Between two halves the nearest wins, and the even one at the middle") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x7bffU; ++bits) {
    const float low = f16_to_f32(static_cast<std::uint16_t>(bits));
    const float high = f16_to_f32(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;  // exact: a float has 13 bits more
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    wrong += f32_to_f16(middle) == even ? 0 : 1;
    wrong += f32_to_f16(std::nextafter(middle, 0.0F)) == bits ? 0 : 1;
    wrong += f32_to_f16(std::nextafter(middle, infinity)) == bits + 1 ? 0 : 1;
    wrong += f32_to_f16(-middle) == (even | 0x8000U) ? 0 : 1;
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("Known halves") {
  REQUIRE(f32_to_f16(1.0F) == 0x3c00);
  REQUIRE(f32_to_f16(-2.0F) == 0xc000);
  REQUIRE(f32_to_f16(65504.0F) == 0x7bff);    // the largest
  REQUIRE(f32_to_f16(65519.996F) == 0x7bff);  // the last that rounds to it
  REQUIRE(f32_to_f16(65520.0F) == 0x7c00);    // rounds to infinity
  REQUIRE(f32_to_f16(infinity) == 0x7c00);
  REQUIRE(f32_to_f16(0.1F) == 0x2e66);
  REQUIRE(f32_to_f16(0x1p-14F) == 0x0400);  // the smallest normal
  REQUIRE(f32_to_f16(0x1p-24F) == 0x0001);  // the smallest subnormal
  REQUIRE(f32_to_f16(0x1p-25F) == 0x0000);  // half of it: to even
  REQUIRE(f32_to_f16(-0.0F) == 0x8000);
  REQUIRE(f32_to_f16(std::numeric_limits<float>::denorm_min()) == 0x0000);
}

TEST_CASE("Every bfloat16 widens to the float whose upper half it is and comes back as it was") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const float value = bf16_to_f32(static_cast<std::uint16_t>(bits));
    wrong += bits_of(value) == bits << 16 ? 0 : 1;
    if (std::isnan(value)) {
      wrong += std::isnan(bf16_to_f32(f32_to_bf16(value))) ? 0 : 1;
    } else {
      wrong += f32_to_bf16(value) == bits ? 0 : 1;
    }
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("bfloat16 rounds to nearest even at every finite value") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x7f80U; ++bits) {
    const std::uint32_t middle = bits << 16 | 0x8000U;
    wrong += f32_to_bf16(std::bit_cast<float>(middle)) == bits + bits % 2 ? 0 : 1;
    wrong += f32_to_bf16(std::bit_cast<float>(middle - 1)) == bits ? 0 : 1;
    wrong += f32_to_bf16(std::bit_cast<float>(middle + 1)) == bits + 1 ? 0 : 1;
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("Known bfloat16 values") {
  REQUIRE(f32_to_bf16(1.0F) == 0x3f80);
  REQUIRE(f32_to_bf16(3.14159265F) == 0x4049);
  REQUIRE(f32_to_bf16(std::numeric_limits<float>::max()) == 0x7f80);  // rounds to infinity
  REQUIRE(f32_to_bf16(-infinity) == 0xff80);
  // A NaN whose payload lies in the lower half alone stays one.
  REQUIRE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7f800001U)))));
}
