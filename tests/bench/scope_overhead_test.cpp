#include "stagebench/report/scope_overhead.h"

#include "support/catch.h"

using namespace stagebench;

TEST_CASE("the cost of a scope is a time that the clock can see") {
  const auto overhead = measure_scope_overhead();
  REQUIRE(overhead.count() > 0);
  REQUIRE(overhead < std::chrono::seconds(1));
}
