#include "stagebench/generation/reference_engine.h"

#include <algorithm>
#include <string>
#include <vector>

#include "stagebench/contracts/error.h"
#include "stagebench/instrument/event_log.h"
#include "stagebench/support/json.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;

namespace {

const std::string profiles = STAGEBENCH_SOURCE_DIR "/profiles/models";

ReferenceEngine tiny_llama(EventLog& log) {
  return ReferenceEngine({.model = "tiny-llama-botchan",
                          .profile_folder = profiles,
                          .backend = "cpu",
                          .load = {.dtype = DType::f32, .threads = 2}},
                         log);
}

std::vector<TokenId> ids_of(const JsonValue& array) {
  std::vector<TokenId> ids;
  for (const auto id : array.as_array()) ids.push_back(static_cast<TokenId>(std::int64_t(id)));
  return ids;
}

std::size_t count(const EventLog& log, Stage stage) {
  const auto events = log.events();
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [stage](const auto& event) { return event.stage == stage; }));
}

GenerationRequest greedy(std::string prompt, std::int64_t max_new_tokens) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.max_new_tokens = max_new_tokens;
  return request;
}

}  // namespace

TEST_CASE("text in, the text of transformers out") {
  EventLog log(4096);
  auto engine = tiny_llama(log);
  REQUIRE(count(log, Stage::load) == 1);
  const auto golden = JsonDocument::from_file(STAGEBENCH_TEST_DATA "/golden/tiny-llama-botchan.json");
  for (const auto element : golden.root().at("results").as_array()) {
    const JsonValue result(element, "golden");
    const std::string prompt(result.at("prompt").as_string());
    const auto expected_ids = ids_of(result.at("new_ids"));
    log.clear();
    std::string streamed;
    const auto generated = engine.generate(greedy(prompt, static_cast<std::int64_t>(expected_ids.size())), log,
                                           [&](std::string_view text) { streamed += text; });
    REQUIRE(generated.prompt_tokens == static_cast<std::int64_t>(ids_of(result.at("prompt_ids")).size()));
    REQUIRE(generated.sequences.size() == 1);
    const auto& sequence = generated.sequences.front();
    REQUIRE(sequence.ids == expected_ids);
    REQUIRE(prompt + sequence.text == result.at("text").as_string());
    REQUIRE(streamed == sequence.text);
    REQUIRE(sequence.stop_reason == StopReason::max_new_tokens);
  }
}

TEST_CASE("a request of N tokens has one tokenize, one prefill, N samples and N - 1 decode steps, one after another") {
  EventLog log(4096);
  auto engine = tiny_llama(log);
  log.clear();
  const auto result = engine.generate(greedy("Red Shirt", 8), log, {});
  REQUIRE(log.dropped() == 0);
  REQUIRE(count(log, Stage::tokenize) == 1);
  REQUIRE(count(log, Stage::prefill) == 1);
  REQUIRE(count(log, Stage::sample) == 8);
  REQUIRE(count(log, Stage::detokenize) == 8);
  REQUIRE(count(log, Stage::decode_step) == 7);
  REQUIRE(result.token_times.size() == 8);
  auto last_end = result.accepted;
  std::int32_t decode_step = 0;
  for (const auto& event : log.events()) {
    REQUIRE(event.begin >= last_end);
    REQUIRE(event.end >= event.begin);
    REQUIRE_FALSE(event.device_time);
    last_end = event.end;
    if (event.stage != Stage::decode_step) continue;
    REQUIRE(event.step == decode_step);
    REQUIRE(event.depth == result.prompt_tokens + decode_step);
    REQUIRE(event.tokens == 1);
    ++decode_step;
  }
  REQUIRE(result.finished >= last_end);
  REQUIRE(std::is_sorted(result.token_times.begin(), result.token_times.end()));
}

TEST_CASE("each sequence of a batch is the single run of its prompt") {
  EventLog log(4096);
  auto engine = tiny_llama(log);
  const auto single = engine.generate(greedy("Red Shirt", 12), log, {});
  auto request = greedy("Red Shirt", 12);
  request.batch = 3;
  log.clear();
  const auto batched = engine.generate(request, log, {});
  REQUIRE(batched.sequences.size() == 3);
  for (const auto& sequence : batched.sequences) REQUIRE(sequence.ids == single.sequences.front().ids);
  REQUIRE(log.events()[0].tokens == single.prompt_tokens);
  REQUIRE(log.events()[1].stage == Stage::prefill);
  REQUIRE(log.events()[1].tokens == 3 * single.prompt_tokens);
}

TEST_CASE("a seed decides the sampled tokens, and sequences of a batch draw apart") {
  EventLog log(4096);
  auto engine = tiny_llama(log);
  auto request = greedy("Red Shirt", 16);
  request.sampling = {.do_sample = true, .temperature = 1.0, .top_k = 0, .top_p = 1.0, .seed = 7};
  request.batch = 2;
  const auto first = engine.generate(request, log, {});
  const auto again = engine.generate(request, log, {});
  REQUIRE(first.sequences[0].ids == again.sequences[0].ids);
  REQUIRE(first.sequences[1].ids == again.sequences[1].ids);
  REQUIRE(first.sequences[0].ids != first.sequences[1].ids);
  request.sampling.seed = 8;
  REQUIRE(engine.generate(request, log, {}).sequences[0].ids != first.sequences[0].ids);
}

TEST_CASE("a stop id ends the output with it, unless ids are ignored") {
  EventLog log(4096);
  auto engine = tiny_llama(log);
  const auto free_run = engine.generate(greedy("Red Shirt", 12), log, {}).sequences.front().ids;
  auto request = greedy("Red Shirt", 12);
  request.stop_ids = {free_run[5]};
  const auto first_hit = std::find(free_run.begin(), free_run.end(), free_run[5]) - free_run.begin();
  const auto stopped = engine.generate(request, log, {}).sequences.front();
  REQUIRE(stopped.stop_reason == StopReason::eos);
  REQUIRE(stopped.ids == std::vector<TokenId>(free_run.begin(), free_run.begin() + first_hit + 1));
  request.ignore_eos = true;
  const auto ignored = engine.generate(request, log, {}).sequences.front();
  REQUIRE(ignored.ids == free_run);
  REQUIRE(ignored.stop_reason == StopReason::max_new_tokens);
}

TEST_CASE("the context ends a request that nothing else ends") {
  EventLog log(8192);
  auto engine = tiny_llama(log);
  auto request = greedy("Red Shirt", 100000);
  request.ignore_eos = true;
  const auto result = engine.generate(request, log, {});
  REQUIRE(result.sequences.front().stop_reason == StopReason::context_full);
  REQUIRE(result.prompt_tokens + static_cast<std::int64_t>(result.sequences.front().ids.size()) == 512);
}

TEST_CASE("prompts that cannot be run are refused before anything is computed") {
  EventLog log(4096);
  auto engine = tiny_llama(log);
  REQUIRE_THROWS_SAYING(engine.generate(greedy("", 4), log, {}), UsageError, "prompt is empty");
  std::string long_prompt;
  for (int i = 0; i < 600; ++i) long_prompt += "school ";
  REQUIRE_THROWS_SAYING(engine.generate(greedy(long_prompt, 4), log, {}), UsageError, "context of 512");
  GenerationRequest request;
  request.prompt = std::vector<TokenId>{1, 2, 3};
  request.batch = 2;
  REQUIRE_THROWS_SAYING(engine.generate(request, log, {}), UsageError, "[batch][n]", "3 ids", "batch of 2");
  request.batch = 0;
  REQUIRE_THROWS_SAYING(engine.generate(request, log, {}), UsageError, "batch", "1 or more");
  request.batch = 1;
  request.prompt = std::vector<TokenId>{1, 99999};
  REQUIRE_THROWS_SAYING(engine.generate(request, log, {}), UsageError, "99999");
  request.sampling = {.do_sample = true, .temperature = -1};
  REQUIRE_THROWS_SAYING(engine.generate(request, log, {}), UsageError, "temperature", "-1");
}

TEST_CASE("a tokenizer with more ids than the embedding has rows is refused") {
  const test::TemporaryFolder folder;
  const std::filesystem::path source = STAGEBENCH_TEST_DATA "/models/tiny-llama-botchan";
  for (const auto* file : {"config.json", "model.safetensors", "tokenizer_config.json"}) {
    std::filesystem::copy_file(source / file, folder.path() / file);
  }
  std::filesystem::copy_file(STAGEBENCH_TEST_DATA "/tokenizers/mistral-7b-v0.1.tokenizer.model",
                             folder.path() / "tokenizer.model");
  EventLog log(16);
  const EngineOptions options{.model = folder.path().string(), .profile_folder = profiles};
  REQUIRE_THROWS_SAYING(ReferenceEngine(options, log), InputError, "32000 ids", "2048 rows");
}

TEST_CASE("a model without a vocabulary speaks bytes") {
  EventLog log(64);
  ReferenceEngine engine({.model = "llama-10m", .profile_folder = profiles}, log);
  const auto result = engine.generate(greedy("abc", 4), log, {});
  REQUIRE(result.prompt_tokens == 3);
  REQUIRE(result.sequences.front().ids.size() == 4);
}
