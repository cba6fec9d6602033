#include "stagebench/metrics/rates.h"

#include <chrono>
#include <limits>

#include "stagebench/statistics/measurement_error.h"
#include "support/catch.h"

using namespace stagebench;
using std::chrono::nanoseconds;

namespace {

const Cost cost{.flops = 2e9, .weight_bytes = 300e6, .kv_bytes = 100e6};
const Ceilings ceilings{.threads = 2, .dtype = DType::f32, .read_bytes_per_s = 50e9, .flops_per_s = 400e9};

}  // namespace

TEST_CASE("a rate is an amount a second") {
  REQUIRE(rate_per_s(512, nanoseconds(250'000'000)) == Approx(2048).epsilon(1e-15));
  REQUIRE(rate_per_s(0, nanoseconds(1)) == 0);
}

TEST_CASE("a rate over no time or of no number is refused") {
  REQUIRE_THROWS_SAYING(rate_per_s(1, nanoseconds(0)), MeasurementError, "0 ns", "above 0");
  REQUIRE_THROWS_SAYING(rate_per_s(1, nanoseconds(-3)), MeasurementError, "-3 ns");
  REQUIRE_THROWS_SAYING(rate_per_s(-1, nanoseconds(1)), MeasurementError, "-1");
  REQUIRE_THROWS_SAYING(rate_per_s(std::numeric_limits<double>::quiet_NaN(), nanoseconds(1)), MeasurementError, "nan");
}

TEST_CASE("utilization is the part of the measured limit") {
  // 2 GFLOP in 10 ms are 200 GFLOP/s of 400; 0.4 GB in 10 ms are 40 GB/s of 50.
  REQUIRE(model_flops_utilization(cost, nanoseconds(10'000'000), ceilings).fraction == Approx(0.5).epsilon(1e-15));
  const auto bandwidth = model_bandwidth_utilization(cost, nanoseconds(10'000'000), ceilings);
  REQUIRE(bandwidth.fraction == Approx(0.8).epsilon(1e-15));
  REQUIRE(!bandwidth.above_limit());
}

TEST_CASE("a rate above the limit is marked") {
  const auto bandwidth = model_bandwidth_utilization(cost, nanoseconds(7'900'000), ceilings);
  REQUIRE(bandwidth.fraction > 1);
  REQUIRE(bandwidth.above_limit());
}

TEST_CASE("a limit that is not a positive number is refused") {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const Ceilings broken{.threads = 2, .dtype = DType::f32, .read_bytes_per_s = bad, .flops_per_s = bad};
    REQUIRE_THROWS_SAYING(model_flops_utilization(cost, nanoseconds(1), broken), MeasurementError, "limit of FLOP/s");
    REQUIRE_THROWS_SAYING(model_bandwidth_utilization(cost, nanoseconds(1), broken), MeasurementError,
                          "limit of bytes/s");
  }
}
