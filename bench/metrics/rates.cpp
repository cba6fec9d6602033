#include "stagebench/metrics/rates.h"

#include <fmt/format.h>

#include <cmath>

#include "stagebench/statistics/measurement_error.h"

namespace stagebench {
namespace {

Utilization utilization(double rate, double ceiling, const char* what) {
  if (!std::isfinite(ceiling) || ceiling <= 0) {
    throw MeasurementError(fmt::format("measured limit of {}: expected a number above 0, found {}", what, ceiling));
  }
  return {rate / ceiling};
}

}  // namespace

double rate_per_s(double amount, std::chrono::nanoseconds time) {
  if (time.count() <= 0)
    throw MeasurementError(fmt::format("a rate over {} ns: expected a time above 0", time.count()));
  if (!std::isfinite(amount) || amount < 0) {
    throw MeasurementError(fmt::format("a rate of {}: expected an amount of 0 or more", amount));
  }
  return amount / std::chrono::duration<double>(time).count();
}

Utilization model_flops_utilization(const Cost& cost, std::chrono::nanoseconds time, const Ceilings& ceilings) {
  return utilization(rate_per_s(cost.flops, time), ceilings.flops_per_s, "FLOP/s");
}

Utilization model_bandwidth_utilization(const Cost& cost, std::chrono::nanoseconds time, const Ceilings& ceilings) {
  return utilization(rate_per_s(cost.bytes(), time), ceilings.read_bytes_per_s, "bytes/s");
}

}  // namespace stagebench
