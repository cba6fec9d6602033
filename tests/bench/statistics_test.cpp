#include "stagebench/statistics/statistics.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stagebench/statistics/duration_summary.h"
#include "stagebench/statistics/measurement_error.h"
#include "support/catch.h"

using namespace stagebench;
using std::chrono::nanoseconds;

namespace {

const std::array<double, 11> odd{12.5, 7.25, 9.0, 101.75, 8.5, 7.5, 10.125, 9.875, 6.0, 55.0, 8.0};
const std::array<double, 4> even{4, 1, 3, 2};

}  // namespace

TEST_CASE("no samples have no statistics") {
  const std::vector<double> none;
  REQUIRE(!statistics::total(none));
  REQUIRE(!statistics::minimum(none));
  REQUIRE(!statistics::maximum(none));
  REQUIRE(!statistics::mean(none));
  REQUIRE(!statistics::median(none));
  REQUIRE(!statistics::median_absolute_deviation(none));
  REQUIRE(!statistics::percentile(none, 99));
  REQUIRE(!summarize({}));
}

TEST_CASE("statistics equal what was computed by hand") {
  REQUIRE(statistics::total(even) == 10.0);
  REQUIRE(statistics::minimum(even) == 1.0);
  REQUIRE(statistics::maximum(even) == 4.0);
  REQUIRE(statistics::mean(even) == 2.5);
  REQUIRE(statistics::median(even) == 2.5);
  // Distances from 2.5 are 1.5, 1.5, 0.5, 0.5.
  REQUIRE(statistics::median_absolute_deviation(even) == 1.0);
  // (4 - 1) * 0.25 = 0.75: three quarters of the way from 1 to 2.
  REQUIRE(statistics::percentile(even, 25) == 1.75);

  const std::array<double, 1> one{7};
  REQUIRE(statistics::median(one) == 7.0);
  REQUIRE(statistics::percentile(one, 99) == 7.0);
  REQUIRE(statistics::median_absolute_deviation(one) == 0.0);
}

TEST_CASE("statistics equal those of numpy 2") {
  REQUIRE(statistics::total(odd) == 235.5);
  REQUIRE(*statistics::mean(odd) == Approx(21.40909090909091).epsilon(1e-15));
  REQUIRE(statistics::median(odd) == 9.0);
  REQUIRE(statistics::median_absolute_deviation(odd) == 1.5);
  const std::array<std::array<double, 2>, 12> percentiles{{{0, 6.0},
                                                           {1, 6.125},
                                                           {10, 7.25},
                                                           {25, 7.75},
                                                           {33.3, 8.165},
                                                           {50, 9.0},
                                                           {75, 11.3125},
                                                           {90, 55.0},
                                                           {95, 78.375},
                                                           {99, 97.07500000000002},
                                                           {99.9, 101.2825000000001},
                                                           {100, 101.75}}};
  for (const auto& [percent, expected] : percentiles) {
    INFO(percent);
    REQUIRE(*statistics::percentile(odd, percent) == Approx(expected).epsilon(1e-14));
  }
  REQUIRE(*statistics::percentile(even, 90) == Approx(3.7).epsilon(1e-15));
  REQUIRE(*statistics::percentile(even, 99) == Approx(3.9699999999999998).epsilon(1e-15));
}

TEST_CASE("a sum loses nothing to the size of its terms") {
  const std::array<double, 4> samples{1.0, 1e100, 1.0, -1e100};
  REQUIRE(statistics::total(samples) == 2.0);
}

TEST_CASE("samples that are not finite are refused with their place") {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    const std::array<double, 3> samples{1, 2, bad};
    REQUIRE_THROWS_SAYING(statistics::total(samples), MeasurementError, "sample 2 of 3");
    REQUIRE_THROWS_SAYING(statistics::minimum(samples), MeasurementError, "sample 2 of 3");
    REQUIRE_THROWS_SAYING(statistics::maximum(samples), MeasurementError, "sample 2 of 3");
    REQUIRE_THROWS_SAYING(statistics::mean(samples), MeasurementError, "sample 2 of 3");
    REQUIRE_THROWS_SAYING(statistics::median(samples), MeasurementError, "sample 2 of 3");
    REQUIRE_THROWS_SAYING(statistics::median_absolute_deviation(samples), MeasurementError, "sample 2 of 3");
    REQUIRE_THROWS_SAYING(statistics::percentile(samples, 1), MeasurementError, "sample 2 of 3");
  }
}

TEST_CASE("a percentile outside 0 to 100 is refused") {
  for (const double bad : {-0.1, 100.1, std::numeric_limits<double>::quiet_NaN()}) {
    REQUIRE_THROWS_SAYING(statistics::percentile(even, bad), UsageError, "0 to 100");
  }
}

TEST_CASE("a summary of times equals that of numpy 2") {
  const std::vector<nanoseconds> samples{nanoseconds(1000003),   nanoseconds(999), nanoseconds(5000),
                                         nanoseconds(123456789), nanoseconds(42),  nanoseconds(77777)};
  const auto summary = summarize(samples);
  REQUIRE(summary);
  REQUIRE(summary->count == 6);
  REQUIRE(summary->total == nanoseconds(124540610));
  REQUIRE(summary->minimum == nanoseconds(42));
  REQUIRE(summary->maximum == nanoseconds(123456789));
  REQUIRE(summary->mean.count() == Approx(20756768.333333332).epsilon(1e-15));
  REQUIRE(summary->median.count() == 41388.5);
  REQUIRE(summary->median_absolute_deviation.count() == 40868.0);
  REQUIRE(summary->p99.count() == Approx(117333949.70000002).epsilon(1e-14));
}

TEST_CASE("a sum of times is exact where a double is not") {
  const std::vector<nanoseconds> samples{nanoseconds((std::int64_t{1} << 53) + 1), nanoseconds(2)};
  REQUIRE(summarize(samples)->total.count() == 9007199254740995);
}

TEST_CASE("negative times and sums that overflow are refused") {
  const std::vector<nanoseconds> negative{nanoseconds(5), nanoseconds(-1)};
  REQUIRE_THROWS_SAYING(summarize(negative), MeasurementError, "sample 1 of 2", "-1 ns");
  const std::vector<nanoseconds> huge{nanoseconds::max(), nanoseconds(1)};
  REQUIRE_THROWS_SAYING(summarize(huge), MeasurementError, "64 bits");
}
