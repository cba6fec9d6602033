#include "stagebench/instrument/stage_scope.h"

#include <stdexcept>

#include "stagebench/instrument/event_log.h"
#include "stagebench/instrument/nvtx_ranges.h"
#include "support/allocation_counter.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::allocation_count;

TEST_CASE("a scope records one event with its attributes and the times of its block", "[instrument]") {
  EventLog log(4);
  const auto before = Clock::now();
  Clock::time_point inside_begin, inside_end;
  {
    StageScope scope(log, Stage::decode_step, {.step = 3, .depth = 17, .tokens = 2, .payload = 3});
    inside_begin = Clock::now();
    REQUIRE(log.events().empty());
    inside_end = Clock::now();
  }
  const auto after = Clock::now();
  REQUIRE(log.events().size() == 1);
  const StageEvent& event = log.events()[0];
  REQUIRE(event.stage == Stage::decode_step);
  REQUIRE(event.step == 3);
  REQUIRE(event.depth == 17);
  REQUIRE(event.tokens == 2);
  REQUIRE_FALSE(event.device_time.has_value());
  REQUIRE((before <= event.begin && event.begin <= inside_begin));
  REQUIRE((inside_end <= event.end && event.end <= after));
}

TEST_CASE("a scope takes a token count that is known only at its end", "[instrument]") {
  EventLog log(1);
  {
    StageScope scope(log, Stage::tokenize, {.payload = 11});
    scope.set_tokens(5);
  }
  REQUIRE(log.events()[0].tokens == 5);
}

TEST_CASE("a stage that an exception leaves is no sample", "[instrument]") {
  EventLog log(4);
  try {
    StageScope outer(log, Stage::load, {});
    { StageScope finished(log, Stage::tokenize, {}); }
    StageScope inner(log, Stage::prefill, {});
    throw std::runtime_error("aborted");
  } catch (const std::runtime_error&) {
    // A scope of its own inside a handler is whole.
    StageScope after(log, Stage::sample, {});
  }
  REQUIRE(log.events().size() == 2);
  REQUIRE(log.events()[0].stage == Stage::tokenize);
  REQUIRE(log.events()[1].stage == Stage::sample);
}

namespace {

/// Runs a whole stage while another exception unwinds the stack.
class StageInDestructor {
 public:
  explicit StageInDestructor(EventSink& sink) : sink_(sink) {}
  StageInDestructor(const StageInDestructor&) = delete;
  StageInDestructor& operator=(const StageInDestructor&) = delete;
  ~StageInDestructor() { StageScope scope(sink_, Stage::detokenize, {}); }

 private:
  EventSink& sink_;
};

}  // namespace

TEST_CASE("a stage that begins and ends while the stack unwinds is a sample", "[instrument]") {
  EventLog log(4);
  try {
    StageInDestructor cleanup(log);
    throw std::runtime_error("aborted");
  } catch (const std::runtime_error&) {
  }
  REQUIRE(log.events().size() == 1);
  REQUIRE(log.events()[0].stage == Stage::detokenize);
}

TEST_CASE("scopes, ranges and marks do not allocate", "[instrument]") {
  EventLog log(64);
  { StageScope first(log, Stage::load, {}); }  // registers the names
  const std::size_t before = allocation_count();
  for (std::int32_t step = 0; step < 100; ++step) {  // more than fit: dropping does not allocate either
    RequestRange request(1);
    RangeScope range(Range::measure, 0);
    StageScope scope(log, Stage::decode_step, {.step = step, .tokens = 1});
    mark(Mark::first_token, 0);
  }
  const std::size_t after = allocation_count();
  REQUIRE(after == before);
  REQUIRE(log.events().size() == 64);
  REQUIRE(log.dropped() == 37);
  operator delete(operator new(1));
  REQUIRE(allocation_count() == after + 1);  // the counter counts
}
