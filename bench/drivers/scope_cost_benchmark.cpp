// What instrumentation itself costs on this machine, a call: the clock, a bare NVTX range, a stage scope that records.
// The targets hold with no NVTX tool attached; with NVTX_INJECTION64_PATH set the figures are that tool's.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>

#include "stagebench/instrument/event_log.h"
#include "stagebench/instrument/nvtx_ranges.h"
#include "stagebench/instrument/stage_scope.h"

namespace {

using namespace stagebench;

void clock_now(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Clock::now());
}

void bare_range(benchmark::State& state) {
  std::uint64_t repetition = 0;
  for (auto _ : state) {
    RangeScope range(Range::measure, repetition++);
    benchmark::ClobberMemory();
  }
}

void recording_scope(benchmark::State& state) {
  EventLog log(4096);
  std::int32_t step = 0;
  for (auto _ : state) {
    {
      StageScope scope(log, Stage::decode_step, {.step = step, .depth = step, .tokens = 1, .payload = 1});
      benchmark::ClobberMemory();
    }
    if (++step == 4096) {
      log.clear();
      step = 0;
    }
  }
  if (log.dropped() != 0) state.SkipWithError("events were dropped");
}

void register_repeated(const char* name, void (*function)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name, function)->Repetitions(9)->ReportAggregatesOnly();
}

}  // namespace

int main(int argc, char** argv) {
  const char* tool = std::getenv("NVTX_INJECTION64_PATH");
  benchmark::AddCustomContext("nvtx_tool", tool == nullptr ? "none" : tool);
  benchmark::AddCustomContext("targets", "bare_range < 20 ns, recording_scope < 150 ns");
  register_repeated("clock_now", clock_now);
  register_repeated("bare_range", bare_range);
  register_repeated("recording_scope", recording_scope);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
