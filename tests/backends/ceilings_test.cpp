#include "cpu/ceilings.h"

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

#include "cpu/aligned_buffer.h"
#include "cpu/ceilings_read.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;

TEST_CASE("Ceilings name what they were measured with and are rates") {
  cpu::ThreadTeam team(2);
  const Ceilings ceilings = cpu::measure_ceilings(DType::f32, team);
  REQUIRE(ceilings.threads == 2);
  REQUIRE(ceilings.dtype == DType::f32);
  REQUIRE(ceilings.read_bytes_per_s > 0);
  REQUIRE(ceilings.flops_per_s > 0);
}

TEST_CASE("Ceilings of block types are refused") {
  cpu::ThreadTeam team(1);
  REQUIRE_THROWS_SAYING(cpu::measure_ceilings(DType::q4_0, team), UsageError, "q4_0");
}

TEST_CASE("The streaming read takes in every word once") {
  constexpr std::size_t count = 8192;
  cpu::AlignedBuffer buffer(count * sizeof(std::uint32_t));
  auto* words = reinterpret_cast<std::uint32_t*>(buffer.data());
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    INFO(hwy::TargetName(target));
    for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<std::uint32_t>(i);
    REQUIRE(cpu::sum_words(words, count) == count * (count - 1) / 2);
    REQUIRE(cpu::sum_words(words, 64) == 64 * 63 / 2);
    words[5] += 0xffffffffU - 5U;  // the sum wraps around
    REQUIRE(cpu::sum_words(words, 64) == static_cast<std::uint32_t>(64 * 63 / 2 - 6));
  }
  hwy::SetSupportedTargetsForTest(0);
}
