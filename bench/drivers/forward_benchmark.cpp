/// Times prefill and decode of one model and prints one CSV row a sample: stage,tokens,repetition,ns.
///
/// Every repetition has a fresh KV cache and a prompt of its own (seeded random ids, warm-up prompts not among them),
/// as llama.cpp's llama-bench does it, so that the two can be set side by side. A decode sample is the time of `tokens`
/// steps from an empty cache with one token in it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "stagebench/contracts/error.h"
#include "stagebench/generation/reference_engine.h"
#include "stagebench/instrument/event_log.h"
#include "stagebench/support/philox.h"

namespace {

using stagebench::Clock;
using stagebench::TokenId;

struct Flags {
  std::string model;
  std::string dtype;
  int threads = 0;
  int repetitions = 5;
  std::vector<std::int64_t> prefill_tokens;
  std::vector<std::int64_t> decode_tokens;
};

std::vector<TokenId> random_ids(std::int64_t count, std::int64_t vocab_size, std::uint32_t prompt) {
  std::vector<TokenId> ids(static_cast<std::size_t>(count));
  for (std::uint32_t i = 0; auto& id : ids) {
    const auto words = stagebench::philox4x32_10({i++, prompt, 0, 0}, {17, 0});
    id = static_cast<TokenId>(words[0] % static_cast<std::uint64_t>(vocab_size));
  }
  return ids;
}

std::chrono::nanoseconds time_prefill(stagebench::Session& session, const std::vector<TokenId>& prompt) {
  session.reset();
  const auto begin = Clock::now();
  session.prefill(prompt);
  static_cast<void>(session.logits());
  return Clock::now() - begin;
}

std::chrono::nanoseconds time_decode(stagebench::Session& session, const std::vector<TokenId>& ids) {
  session.reset();
  session.prefill({ids.data(), 1});
  const auto begin = Clock::now();
  for (std::size_t i = 1; i < ids.size(); ++i) {
    session.decode_step({&ids[i], 1});
    static_cast<void>(session.logits());
  }
  return Clock::now() - begin;
}

template <typename TimeOne>
void run_case(const char* stage, std::int64_t tokens, std::int64_t ids, std::int64_t vocab_size, int repetitions,
              TimeOne&& time_one) {
  constexpr int warm_ups = 2;
  for (int repetition = -warm_ups; repetition < repetitions; ++repetition) {
    const auto elapsed = time_one(random_ids(ids, vocab_size, static_cast<std::uint32_t>(repetition + warm_ups)));
    if (repetition >= 0) fmt::print("{},{},{},{}\n", stage, tokens, repetition, elapsed.count());
  }
  std::fflush(stdout);
}

void run(const Flags& flags) {
  stagebench::EngineOptions options{.model = flags.model, .profile_folder = STAGEBENCH_PROFILES "/models"};
  if (!flags.dtype.empty()) {
    options.load.dtype = stagebench::dtype_from_name(flags.dtype);
    if (!options.load.dtype) throw stagebench::UsageError("--dtype: unknown type " + flags.dtype);
  }
  options.load.threads = flags.threads;
  stagebench::EventLog log(1);
  stagebench::ReferenceEngine engine(options, log);
  const auto vocab_size = engine.model_config().vocab_size;
  fmt::print("stage,tokens,repetition,ns\n");
  for (const auto tokens : flags.prefill_tokens) {
    const auto session = engine.new_session({.batch = 1, .context_tokens = tokens});
    run_case("prefill", tokens, tokens, vocab_size, flags.repetitions,
             [&](const std::vector<TokenId>& ids) { return time_prefill(*session, ids); });
  }
  for (const auto tokens : flags.decode_tokens) {
    const auto session = engine.new_session({.batch = 1, .context_tokens = tokens + 1});
    run_case("decode", tokens, tokens + 1, vocab_size, flags.repetitions,
             [&](const std::vector<TokenId>& ids) { return time_decode(*session, ids); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times prefill and decode of one model; CSV on stdout");
  Flags flags;
  app.add_option("--model", flags.model, "A profile's name, a Hugging Face folder or a GGUF file")->required();
  app.add_option("--dtype", flags.dtype, "f32, bf16 or f16; default: what the machine does best");
  app.add_option("--threads", flags.threads, "Default: as many as there are usable CPUs");
  app.add_option("--prefill", flags.prefill_tokens, "Prompt lengths in tokens")->delimiter(',');
  app.add_option("--decode", flags.decode_tokens, "Numbers of decode steps")->delimiter(',');
  app.add_option("--repetitions", flags.repetitions, "Samples a case")->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
    run(flags);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const stagebench::UsageError& error) {
    fmt::print(stderr, "stagebench-forward-benchmark: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stagebench-forward-benchmark: {}\n", error.what());
    return 1;
  }
  return 0;
}
