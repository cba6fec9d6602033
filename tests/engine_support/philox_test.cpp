#include "stagebench/support/philox.h"

#include "support/catch.h"

using namespace stagebench;
using Words = std::array<std::uint32_t, 4>;

// Random123's tests/kat_vectors, the lines "philox4x32 10 <counter> <key> <result>".
TEST_CASE("Philox gives the known answers of Random123") {
  static_assert(philox4x32_10({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5U);
  REQUIRE(philox4x32_10({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U});
  REQUIRE(philox4x32_10({0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU}, {0xffffffffU, 0xffffffffU}) ==
          Words{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU});
  REQUIRE(philox4x32_10({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}, {0xa4093822U, 0x299f31d0U}) ==
          Words{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U});
}
