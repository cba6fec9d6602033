#include "request_fixture.h"

#include <chrono>
#include <stdexcept>

namespace stagebench::test {

Clock::time_point RequestFixture::at(std::int64_t ns_from_t0) {
  return Clock::time_point(std::chrono::nanoseconds(1'000'000 + ns_from_t0));
}

RequestFixture::RequestFixture(std::int64_t sequences) {
  result.prompt_tokens = 5;
  result.sequences.resize(static_cast<std::size_t>(sequences));
  for (auto& sequence : result.sequences) sequence.ids = {7, 8, 9};
  result.accepted = at(0);
  result.token_times = {at(1270), at(1570), at(1970)};
  result.finished = at(2000);
  const auto add = [this](Stage stage, int step, std::int64_t depth, std::int64_t tokens, int begin, int end) {
    events.push_back({stage, step, depth, tokens, at(begin), at(end), {}});
  };
  add(Stage::tokenize, 0, 0, 5, 10, 110);
  add(Stage::prefill, 0, 0, 5 * sequences, 200, 1200);
  add(Stage::sample, 0, 5, sequences, 1210, 1260);
  add(Stage::detokenize, 0, 5, sequences, 1280, 1290);
  add(Stage::decode_step, 0, 5, sequences, 1300, 1500);
  add(Stage::sample, 1, 6, sequences, 1510, 1560);
  add(Stage::detokenize, 1, 6, sequences, 1580, 1590);
  add(Stage::decode_step, 1, 6, sequences, 1600, 1900);
  add(Stage::sample, 2, 7, sequences, 1910, 1960);
  add(Stage::detokenize, 2, 7, sequences, 1980, 1990);
  load_events.push_back({Stage::load, 0, 0, 0, at(-5000), at(-1000), {}});
}

StageEvent& RequestFixture::event(Stage stage, std::size_t index) {
  for (auto& candidate : events) {
    if (candidate.stage == stage && index-- == 0) return candidate;
  }
  throw std::logic_error("the fixture has no such event");
}

}  // namespace stagebench::test
