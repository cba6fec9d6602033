/// Times encode and decode of one text with one tokenizer, in Google Benchmark's own table or JSON:
///
///   stagebench-tokenizer-benchmark --tokenizer PATH --text FILE [--benchmark_...]
///
/// PATH is a folder as load_tokenizer takes it. Special tokens are neither added nor skipped. A repeated text finds its
/// words known, as it does in the `tokenizers` package, which keeps a cache of words; the first pass is not measured.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"
#include "stagebench/tokenizer/load_tokenizer.h"

namespace {

constexpr std::string_view usage =
    "usage: stagebench-tokenizer-benchmark --tokenizer PATH --text FILE [--benchmark_...]\n";

struct Flags {
  std::string tokenizer;
  std::string text;
};

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    std::string* const value = flag == "--tokenizer" ? &flags.tokenizer : flag == "--text" ? &flags.text : nullptr;
    if (value == nullptr) throw stagebench::UsageError(fmt::format("unknown flag {}", flag));
    if (i + 1 == argc) throw stagebench::UsageError(fmt::format("{}: expected a value, found none", flag));
    *value = argv[i + 1];
  }
  if (flags.tokenizer.empty()) throw stagebench::UsageError("--tokenizer is missing");
  if (flags.text.empty()) throw stagebench::UsageError("--text is missing");
  return flags;
}

void set_counters(benchmark::State& state, std::size_t tokens) {
  state.counters["tokens"] = static_cast<double>(tokens);
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsIterationInvariantRate);
}

void run(const Flags& flags) {
  const auto tokenizer = stagebench::load_tokenizer(flags.tokenizer);
  const std::string text = stagebench::read_text_file(flags.text);
  const std::vector<stagebench::TokenId> ids = tokenizer->encode(text, false);
  benchmark::RegisterBenchmark("encode", [&](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(tokenizer->encode(text, false));
    set_counters(state, ids.size());
  });
  benchmark::RegisterBenchmark("decode", [&](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(tokenizer->decode(ids, stagebench::SpecialTokens::keep));
    set_counters(state, ids.size());
  });
  benchmark::RegisterBenchmark("decode_streaming", [&](benchmark::State& state) {
    for (auto _ : state) {
      const auto decoder = tokenizer->streaming_decoder(stagebench::SpecialTokens::keep);
      for (const stagebench::TokenId id : ids) benchmark::DoNotOptimize(decoder->push(id));
      benchmark::DoNotOptimize(decoder->finish());
    }
    set_counters(state, ids.size());
  });
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own flags out of argv
  try {
    run(parse_flags(argc, argv));
    return 0;
  } catch (const stagebench::UsageError& error) {
    fmt::print(stderr, "stagebench-tokenizer-benchmark: {}\n{}", error.what(), usage);
    return 2;
  } catch (const stagebench::Error& error) {
    fmt::print(stderr, "stagebench-tokenizer-benchmark: {}\n", error.what());
    return 1;
  }
}
