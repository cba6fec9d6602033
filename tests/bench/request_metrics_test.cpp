#include "stagebench/metrics/request_metrics.h"

#include <chrono>
#include <vector>

#include "request_fixture.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::RequestFixture;
using std::chrono::nanoseconds;

namespace {

RequestMetrics metrics_of(const RequestFixture& fixture) {
  return request_metrics(RequestTimeline(fixture.result, fixture.events, fixture.load_events));
}

/// One output token: no decode step at all.
RequestFixture one_token() {
  RequestFixture fixture;
  fixture.result.token_times.resize(1);
  fixture.result.sequences.front().ids.resize(1);
  fixture.result.finished = RequestFixture::at(1295);
  fixture.events.resize(4);
  return fixture;
}

}  // namespace

TEST_CASE("request metrics equal what was computed by hand") {
  const auto metrics = metrics_of(RequestFixture());
  REQUIRE(metrics.ttft == nanoseconds(1270));
  REQUIRE(metrics.itl == std::vector{nanoseconds(300), nanoseconds(400)});
  REQUIRE(metrics.tpot->count() == 350.0);
  REQUIRE(metrics.e2e == nanoseconds(1970));
  REQUIRE(metrics.end_to_end == nanoseconds(2000));
  REQUIRE(metrics.prefill_tokens_per_s == Approx(5e6).epsilon(1e-15));  // 5 tokens in 1,000 ns
  REQUIRE(*metrics.decode_tokens_per_s == Approx(2e9 / 700).epsilon(1e-15));
}

TEST_CASE("TTFT has tokenization and prefill in it, ITL and TPOT neither") {
  RequestFixture slow;
  // Everything from the end of prefill on comes 100,000 ns later.
  const nanoseconds delay(100'000);
  slow.event(Stage::prefill).end += delay;
  for (auto& event : slow.events) {
    if (event.stage == Stage::tokenize || event.stage == Stage::prefill) continue;
    event.begin += delay;
    event.end += delay;
  }
  for (auto& time : slow.result.token_times) time += delay;
  slow.result.finished += delay;
  const auto metrics = metrics_of(slow);
  REQUIRE(metrics.ttft == nanoseconds(101'270));
  REQUIRE(metrics.itl == std::vector{nanoseconds(300), nanoseconds(400)});
  REQUIRE(metrics.tpot->count() == 350.0);
  REQUIRE(*metrics.decode_tokens_per_s == Approx(2e9 / 700).epsilon(1e-15));
}

TEST_CASE("TPOT, ITL and decode throughput are absent at one token") {
  const auto metrics = metrics_of(one_token());
  REQUIRE(!metrics.tpot);
  REQUIRE(!metrics.decode_tokens_per_s);
  REQUIRE(metrics.itl.empty());
  REQUIRE(metrics.ttft == nanoseconds(1270));
  REQUIRE(metrics.e2e == nanoseconds(1270));
}

TEST_CASE("a batch counts all prompts in prefill and one sequence in decode") {
  const auto metrics = metrics_of(RequestFixture(4));
  REQUIRE(metrics.prefill_tokens_per_s == Approx(20e6).epsilon(1e-15));
  REQUIRE(*metrics.decode_tokens_per_s == Approx(2e9 / 700).epsilon(1e-15));
  REQUIRE(metrics.tpot->count() == 350.0);
}
