#include "stagebench/instrument/event_log.h"

#include "support/catch.h"

using namespace stagebench;

namespace {

StageEvent event_of_step(std::int32_t step) {
  StageEvent event;
  event.stage = Stage::decode_step;
  event.step = step;
  return event;
}

}  // namespace

TEST_CASE("an event log keeps events in order", "[instrument]") {
  EventLog log(3);
  REQUIRE(log.events().empty());
  for (std::int32_t step = 0; step < 3; ++step) log.record(event_of_step(step));
  REQUIRE(log.events().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) REQUIRE(log.events()[i].step == static_cast<std::int32_t>(i));
  REQUIRE(log.dropped() == 0);
}

TEST_CASE("an event log counts what no longer fits and keeps what came first", "[instrument]") {
  EventLog log(2);
  for (std::int32_t step = 0; step < 5; ++step) log.record(event_of_step(step));
  REQUIRE(log.events().size() == 2);
  REQUIRE(log.events()[1].step == 1);
  REQUIRE(log.dropped() == 3);
}

TEST_CASE("a cleared event log is as new and keeps its memory", "[instrument]") {
  EventLog log(1);
  log.record(event_of_step(7));
  log.record(event_of_step(8));
  const StageEvent* memory = log.events().data();
  log.clear();
  REQUIRE(log.events().empty());
  REQUIRE(log.dropped() == 0);
  log.record(event_of_step(9));
  REQUIRE(log.events().size() == 1);
  REQUIRE(log.events()[0].step == 9);
  REQUIRE(log.events().data() == memory);
}

TEST_CASE("an event log without room drops everything", "[instrument]") {
  EventLog log(0);
  log.record(event_of_step(0));
  REQUIRE(log.events().empty());
  REQUIRE(log.dropped() == 1);
}
