#include "stagebench/report/stage_table.h"

#include <string>

#include "request_fixture.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::RequestFixture;

namespace {

RequestTimeline timeline() {
  const RequestFixture fixture;
  return {fixture.result, fixture.events, fixture.load_events};
}

StageTableContext context() {
  StageTableContext context;
  context.load_cost = Cost{.flops = 0, .weight_bytes = 8000, .kv_bytes = 0};
  context.costs = RequestCosts{.prefill = {.flops = 4000, .weight_bytes = 2000, .kv_bytes = 0},
                               .decode_step = Cost{.flops = 1000, .weight_bytes = 4000, .kv_bytes = 1000}};
  context.ceilings = Ceilings{.threads = 2, .dtype = DType::bf16, .read_bytes_per_s = 12.5e9, .flops_per_s = 8e9};
  context.machine = "AMD EPYC 9B45, 2 CPUs, x86-64-v4";
  context.scope_overhead = RealNanoseconds(50);
  return context;
}

}  // namespace

// The request of request_fixture.h: every number can be computed by hand from the times given there.

TEST_CASE("the table shows stages, latencies, limits, machine and the harness's cost") {
  REQUIRE(stage_table(timeline(), context()) ==
          R"(stage        count    total   median      p99  tokens/s  GB/s  GFLOP/s  of measured limit
load             1  4.00 µs                              2.00
tokenize         1   100 ns                      50.0 M
prefill          1  1.00 µs                      5.00 M  2.00     4.00   50.0 % compute
decode_step      2   500 ns   250 ns   299 ns    4.00 M  10.0     2.00   80.0 % bandwidth
sample           3   150 ns  50.0 ns  50.0 ns    20.0 M
detokenize       3  30.0 ns  10.0 ns  10.0 ns     100 M
residual         1   220 ns
end-to-end       1  2.00 µs                      1.50 M

TTFT 1.27 µs   TPOT 350 ns   ITL 350 ns median, 399 ns p99
limits   12.5 GB/s read, 8.00 GFLOP/s bf16, measured in this run on 2 threads
machine  AMD EPYC 9B45, 2 CPUs, x86-64-v4
harness  50.0 ns a timed stage, 20.0 % of a decode step
)");
}

TEST_CASE("what is absent is blank or left out") {
  RequestFixture fixture;
  fixture.result.token_times.resize(1);
  fixture.result.sequences.front().ids.resize(1);
  fixture.result.finished = RequestFixture::at(1300);
  fixture.events.resize(4);
  fixture.events.erase(fixture.events.begin());
  REQUIRE(stage_table(RequestTimeline(fixture.result, fixture.events, {}), {}) ==
          R"(stage        count    total  median  p99  tokens/s  GB/s  GFLOP/s  of measured limit
load
tokenize
prefill          1  1.00 µs                 5.00 M
decode_step
sample           1  50.0 ns                 20.0 M
detokenize       1  10.0 ns                  100 M
residual         1   240 ns
end-to-end       1  1.30 µs                 769231

TTFT 1.27 µs
)");
}

TEST_CASE("a value above the measured limit is marked and explained") {
  auto above = context();
  above.ceilings->read_bytes_per_s = 9.9e9;
  const auto text = stage_table(timeline(), above);
  REQUIRE(text.find("101.0 % bandwidth !\n") != std::string::npos);
  REQUIRE(text.find("50.0 % compute\n") != std::string::npos);
  REQUIRE(text.find("\n!        above the measured limit") != std::string::npos);
}

TEST_CASE("the table has no colours and no blanks at the ends of lines") {
  const auto text = stage_table(timeline(), context());
  REQUIRE(text.find('\x1b') == std::string::npos);
  REQUIRE(text.find(" \n") == std::string::npos);
  REQUIRE(text.back() == '\n');
}
