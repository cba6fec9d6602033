#include "stagebench/metrics/stage_metrics.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "request_fixture.h"
#include "stagebench/statistics/measurement_error.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::RequestFixture;
using std::chrono::nanoseconds;

namespace {

RequestTimeline timeline() {
  const RequestFixture fixture;
  return {fixture.result, fixture.events, fixture.load_events};
}

}  // namespace

TEST_CASE("stage metrics equal what was computed by hand") {
  const auto request = timeline();
  const Cost cost{.flops = 1000, .weight_bytes = 4000, .kv_bytes = 1000};
  const Ceilings ceilings{.threads = 1, .dtype = DType::f32, .read_bytes_per_s = 20e9, .flops_per_s = 8e9};
  const auto metrics = stage_metrics(TimelineStage::decode_step, request.rows(), cost, ceilings);
  REQUIRE(metrics.stage == TimelineStage::decode_step);
  REQUIRE(metrics.host->count == 2);
  REQUIRE(metrics.host->total == nanoseconds(500));
  REQUIRE(metrics.host->median.count() == 250.0);
  REQUIRE(metrics.host->p99.count() == Approx(299).epsilon(1e-15));
  REQUIRE(metrics.tokens == 2);
  REQUIRE(*metrics.tokens_per_s == Approx(4e6).epsilon(1e-15));
  REQUIRE(metrics.flops == 1000.0);
  REQUIRE(metrics.bytes == 5000.0);
  REQUIRE(*metrics.flops_per_s == Approx(2e9).epsilon(1e-15));
  REQUIRE(*metrics.bytes_per_s == Approx(10e9).epsilon(1e-15));
  REQUIRE(metrics.mfu->fraction == Approx(0.25).epsilon(1e-15));
  REQUIRE(metrics.mbu->fraction == Approx(0.5).epsilon(1e-15));
}

TEST_CASE("throughput is total tokens over total time, not a mean of rates") {
  // 100 tokens in 1 us and 100 in 3 us: 200 in 4 us are 50 M/s; the mean of 100 M/s and 33.3 M/s would be 66.7 M/s.
  const std::vector<TimelineRow> rows{{.stage = TimelineStage::prefill, .tokens = 100, .host = nanoseconds(1000)},
                                      {.stage = TimelineStage::prefill, .tokens = 100, .host = nanoseconds(3000)}};
  const auto metrics = stage_metrics(TimelineStage::prefill, rows, {}, {});
  REQUIRE(*metrics.tokens_per_s == Approx(50e6).epsilon(1e-15));
}

TEST_CASE("what was not measured or not given is absent") {
  const auto request = timeline();
  SECTION("no cost") {
    const auto metrics = stage_metrics(TimelineStage::prefill, request.rows(), {}, Ceilings{});
    REQUIRE((!metrics.flops && !metrics.bytes && !metrics.flops_per_s && !metrics.bytes_per_s));
    REQUIRE((!metrics.mfu && !metrics.mbu));
  }
  SECTION("no ceilings") {
    const auto metrics = stage_metrics(TimelineStage::prefill, request.rows(), Cost{1, 1, 1}, {});
    REQUIRE((metrics.flops_per_s && metrics.bytes_per_s && !metrics.mfu && !metrics.mbu));
  }
  SECTION("a load only reads") {
    const auto metrics = stage_metrics(TimelineStage::load, request.rows(), Cost{0, 8000, 0}, {});
    REQUIRE((!metrics.tokens && !metrics.tokens_per_s && !metrics.flops && !metrics.flops_per_s));
    REQUIRE(*metrics.bytes_per_s == Approx(2e9).epsilon(1e-15));
  }
  SECTION("a stage that did not run") {
    const auto metrics = stage_metrics(TimelineStage::tokenize, {}, {}, {});
    REQUIRE((!metrics.host && !metrics.tokens && !metrics.tokens_per_s));
  }
}

TEST_CASE("costs and counts that cannot be are refused") {
  const auto request = timeline();
  REQUIRE_THROWS_SAYING(stage_metrics(TimelineStage::prefill, {}, Cost{1, 1, 1}, {}), MeasurementError, "prefill",
                        "did not run");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_THROWS_SAYING(stage_metrics(TimelineStage::prefill, request.rows(), Cost{nan, 1, 1}, {}), MeasurementError,
                        "nan");
  REQUIRE_THROWS_SAYING(stage_metrics(TimelineStage::prefill, request.rows(), Cost{1, -2, 0}, {}), MeasurementError,
                        "-2");
  const auto most = std::numeric_limits<std::int64_t>::max();
  const std::vector<TimelineRow> rows{{.stage = TimelineStage::sample, .tokens = most, .host = nanoseconds(1)},
                                      {.stage = TimelineStage::sample, .tokens = 1, .host = nanoseconds(1)}};
  REQUIRE_THROWS_SAYING(stage_metrics(TimelineStage::sample, rows, {}, {}), MeasurementError, "64 bits");
}
