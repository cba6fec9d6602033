#include "stagebench/metrics/metric_table.h"

#include <cstddef>
#include <set>
#include <string_view>

#include "support/catch.h"

using namespace stagebench;

TEST_CASE("the metric table is complete, in order and without repetition") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < metric_table.size(); ++i) {
    const auto& entry = metric_table[i];
    INFO(entry.name);
    REQUIRE(static_cast<std::size_t>(entry.metric) == i);
    REQUIRE(&definition(entry.metric) == &entry);
    REQUIRE(names.insert(entry.name).second);
    REQUIRE(!entry.unit.empty());
    REQUIRE(!entry.formula.empty());
    REQUIRE(!entry.source.empty());
  }
  REQUIRE(static_cast<std::size_t>(Metric::decode_throughput) + 1 == metric_table.size());
}
