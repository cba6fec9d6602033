#include "stagebench/report/scope_overhead.h"

#include <algorithm>
#include <cstdint>

#include "stagebench/instrument/event_log.h"
#include "stagebench/instrument/stage_scope.h"

namespace stagebench {

RealNanoseconds measure_scope_overhead() {
  constexpr int batches = 16;
  constexpr std::int32_t scopes = 256;
  EventLog log(scopes);
  auto least = RealNanoseconds::max();
  for (int batch = 0; batch <= batches; ++batch) {
    log.clear();
    const auto begin = Clock::now();
    for (std::int32_t step = 0; step < scopes; ++step) {
      const StageScope scope(log, Stage::decode_step, {.step = step});
    }
    const RealNanoseconds time = Clock::now() - begin;
    const bool warm = batch > 0;
    if (warm) least = std::min(least, time / scopes);
  }
  return least;
}

}  // namespace stagebench
