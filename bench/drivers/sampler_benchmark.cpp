// Time of one sampled token by vocabulary and filter. Logits are normal with a standard deviation of 3, which is about
// what language models give; `flat` ones (0.1) keep nearly the whole vocabulary, the hardest case for top_p.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stagebench/sampling/sampler.h"

namespace {

using namespace stagebench;

struct Filter {
  const char* name;
  SamplingParams params;
};

const Filter filters[] = {
    {"greedy", {}},
    {"top_k=50/top_p=0.95", {.do_sample = true, .top_k = 50, .top_p = 0.95}},
    {"top_p=0.95", {.do_sample = true, .top_k = 0, .top_p = 0.95}},
    {"temperature=0.8", {.do_sample = true, .temperature = 0.8, .top_k = 0, .top_p = 1}},
};

std::vector<float> normal_logits(std::int64_t vocab_size, double deviation) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<float> logits(static_cast<std::size_t>(vocab_size));
  for (float& logit : logits) logit = static_cast<float>(normal(generator));
  return logits;
}

void sample_token(benchmark::State& state, const SamplingParams& params, std::int64_t vocab_size, double deviation) {
  const std::vector<float> logits = normal_logits(vocab_size, deviation);
  Sampler sampler(params, vocab_size);
  std::uint32_t step = 0;
  std::int64_t candidates = 0;
  for (auto _ : state) candidates = sampler.sample(logits, 0, step++).candidates;
  state.counters["candidates"] = static_cast<double>(candidates);
}

void register_benchmarks() {
  for (const std::int64_t vocab_size : {32'000, 49'152, 128'256}) {
    for (const auto& [shape, deviation] : {std::pair{"normal", 3.0}, std::pair{"flat", 0.1}}) {
      for (const Filter& filter : filters) {
        const std::string name =
            "sample/vocabulary=" + std::to_string(vocab_size) + "/" + shape + "/" + std::string(filter.name);
        benchmark::RegisterBenchmark(name.c_str(), sample_token, filter.params, vocab_size, deviation)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
