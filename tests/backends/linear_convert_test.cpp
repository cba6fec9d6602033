#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/convert_rows.h"
#include "stagebench/support/half.h"
#include "support/catch.h"

using namespace stagebench;

namespace {

/// Calls check(target) once for every instruction set of this machine.
template <typename Check>
void for_each_target(Check check) {
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    check(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// As convert_rows.h says, older ones do not know infinity and NaN in f16.
bool has_f16_instructions(std::int64_t target) {
  return target <= HWY_AVX2;
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

TEST_CASE("All values of both 16-bit types widen exactly") {
  std::vector<std::uint16_t> bits(65536 + 3);  // and a tail that fills no vector
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  for_each_target([&](std::int64_t target) {
    for (DType dtype : {DType::f16, DType::bf16}) {
      std::vector<float> values(bits.size());
      cpu::convert_to_f32(dtype, bits.data(), static_cast<std::int64_t>(bits.size()), values.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bits.size(); ++i) {
        if (dtype == DType::f16 && !std::isfinite(f16_to_f32(bits[i])) && !has_f16_instructions(target)) continue;
        const float expected = dtype == DType::f16 ? f16_to_f32(bits[i]) : bf16_to_f32(bits[i]);
        wrong += same(values[i], expected) ? 0U : 1U;
      }
      INFO(hwy::TargetName(target) << " " << name(dtype));
      REQUIRE(wrong == 0);
    }
  });
}

TEST_CASE("f32 narrows to bf16 to nearest even, NaN stays NaN") {
  std::vector<float> values{0.0F,
                            -0.0F,
                            1.0F,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::quiet_NaN(),
                            std::bit_cast<float>(0x7f800001U),
                            std::bit_cast<float>(0xff800001U),
                            std::bit_cast<float>(0x3f808000U),   // halfway, even below
                            std::bit_cast<float>(0x3f818000U),   // halfway, even above
                            std::bit_cast<float>(0x3f808001U)};  // just past halfway
  for (std::uint32_t i = 0; i < 100000; ++i) values.push_back(std::bit_cast<float>(i * 42949U));
  for_each_target([&](std::int64_t target) {
    std::vector<std::uint16_t> bits(values.size());
    cpu::convert_to_bf16(values.data(), static_cast<std::int64_t>(values.size()), bits.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) wrong += bits[i] == f32_to_bf16(values[i]) ? 0U : 1U;
    INFO(hwy::TargetName(target));
    REQUIRE(wrong == 0);
  });
}
