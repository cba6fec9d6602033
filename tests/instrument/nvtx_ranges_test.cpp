#include "stagebench/instrument/nvtx_ranges.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "stagebench/instrument/event_log.h"
#include "stagebench/instrument/stage_scope.h"
#include "support/catch.h"
#include "support/nvtx_recorder_log.h"

using namespace stagebench;
using stagebench::test::NvtxEvent;
using stagebench::test::NvtxRange;

namespace {

std::vector<NvtxEvent> recording() {
  const char* path = std::getenv("STAGEBENCH_NVTX_RECORDING");
  if (path == nullptr) throw std::runtime_error("run by ctest, which sets STAGEBENCH_NVTX_RECORDING");
  return stagebench::test::read_nvtx_recording(path);
}

/// Runs `block` and gives the events that it caused.
template <typename Block>
std::vector<NvtxEvent> events_of(Block block) {
  { RangeScope opens_the_recording(Range::measure, 0); }
  const std::size_t before = recording().size();
  block();
  std::vector<NvtxEvent> events = recording();
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(before));
  return events;
}

std::int64_t nanoseconds(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

std::map<std::int64_t, std::string> category_names(const std::vector<NvtxEvent>& events) {
  std::map<std::int64_t, std::string> names;
  for (const NvtxEvent& event : events) {
    if (event.kind == "category") names[event.category] = event.name;
  }
  return names;
}

void every_name_once(std::int64_t payload) {
  EventLog log(all_stages.size());
  const auto value = static_cast<std::uint64_t>(payload);
  for (const Stage stage : all_stages) StageScope(log, stage, {.payload = value});
  for (std::size_t i = 0; i < range_count; ++i) RangeScope(static_cast<Range>(i), value);
  for (std::size_t i = 0; i < mark_count; ++i) mark(static_cast<Mark>(i), value);
  RequestRange request(value);
}

}  // namespace

TEST_CASE("there is one domain, with named categories and strings registered once", "[nvtx]") {
  every_name_once(1);
  every_name_once(2);
  const auto events = recording();
  REQUIRE_FALSE(events.empty());
  std::vector<std::string> domains, strings;
  for (const NvtxEvent& event : events) {
    REQUIRE(event.domain == "stagebench");
    if (event.kind == "domain") domains.push_back(event.domain);
    if (event.kind == "string") strings.push_back(event.name);
  }
  REQUIRE(domains.size() == 1);
  REQUIRE(strings == std::vector<std::string>{"load", "tokenize", "prefill", "decode_step", "sample", "detokenize",
                                              "measure", "map", "convert", "upload", "wait_gpu", "graph_capture",
                                              "graph_replay", "request", "first_token", "eos", "throttled"});
  REQUIRE(category_names(events) ==
          std::map<std::int64_t, std::string>{
              {1, "request"}, {2, "stage"}, {3, "step"}, {4, "op"}, {5, "transfer"}, {6, "harness"}});
}

TEST_CASE("every range and mark has a registered name, its category, an opaque colour and a u64 payload", "[nvtx]") {
  constexpr std::int64_t payload = 0x7123456789ABCDEF;  // all eight bytes arrive
  const auto events = events_of([] { every_name_once(payload); });
  const auto categories = category_names(recording());
  std::vector<std::string> seen;
  std::map<std::int64_t, std::set<std::uint32_t>> colours;
  for (const NvtxEvent& event : events) {
    if (event.kind != "push" && event.kind != "start" && event.kind != "mark") continue;
    INFO(event.name);
    seen.push_back(event.kind + " " + categories.at(event.category) + " " + event.name);
    REQUIRE(event.registered);
    REQUIRE((event.argb >> 24) == 0xFF);
    REQUIRE(event.payload_kind == "u64");
    REQUIRE(event.payload == std::to_string(payload));
    colours[event.category].insert(event.argb);
  }
  REQUIRE(seen == std::vector<std::string>{"push stage load", "push stage tokenize", "push stage prefill",
                                           "push step decode_step", "push step sample", "push stage detokenize",
                                           "push harness measure", "push transfer map", "push transfer convert",
                                           "push transfer upload", "push transfer wait_gpu", "push step graph_capture",
                                           "push step graph_replay", "mark request first_token", "mark request eos",
                                           "mark harness throttled", "start request request"});
  std::set<std::uint32_t> distinct;
  for (const auto& [category, argbs] : colours) {
    REQUIRE(argbs.size() == 1);
    distinct.insert(*argbs.begin());
  }
  REQUIRE(distinct.size() == colours.size());
}

TEST_CASE("the recorded event lies within the range", "[nvtx]") {
  EventLog log(1);
  const auto events = events_of([&] { StageScope scope(log, Stage::decode_step, {.step = 4, .payload = 4}); });
  REQUIRE(events.size() == 2);
  REQUIRE(events[0].kind == "push");
  REQUIRE(events[1].kind == "pop");
  REQUIRE(events[0].time_ns <= nanoseconds(log.events()[0].begin));
  REQUIRE(log.events()[0].begin <= log.events()[0].end);
  REQUIRE(nanoseconds(log.events()[0].end) <= events[1].time_ns);
}

TEST_CASE("ranges nest and come back to depth 0 on every thread", "[nvtx]") {
  const auto events = events_of([] {
    const auto nested = [] {
      EventLog log(64);
      for (std::int32_t step = 0; step < 20; ++step) {
        RangeScope measured(Range::measure, 0);
        StageScope scope(log, Stage::decode_step, {.step = step});
        RangeScope wait(Range::wait_gpu, 0);
      }
    };
    std::thread other(nested);
    nested();
    other.join();
  });
  REQUIRE(events.size() == 2 * 20 * 6);
  std::map<std::int64_t, std::int64_t> depth;  // by thread
  for (const NvtxEvent& event : events) {
    depth[event.thread] += event.kind == "push" ? 1 : -1;
    REQUIRE(event.depth == depth[event.thread]);
    REQUIRE((depth[event.thread] >= 0 && depth[event.thread] <= 3));
  }
  REQUIRE(depth.size() == 2);
  for (const auto& [thread, final_depth] : depth) REQUIRE(final_depth == 0);
  const auto ranges = stagebench::test::paired_ranges(events);
  REQUIRE(ranges.size() == 2 * 20 * 3);
  for (const NvtxRange& range : ranges) REQUIRE(range.begin.time_ns <= range.end_ns);
}

TEST_CASE("an exception closes the range of the stage that it leaves", "[nvtx]") {
  EventLog log(1);
  const auto events = events_of([&] {
    try {
      StageScope scope(log, Stage::prefill, {});
      throw std::runtime_error("aborted");
    } catch (const std::runtime_error&) {
    }
  });
  REQUIRE(log.events().empty());
  REQUIRE(events.size() == 2);
  REQUIRE(events[1].kind == "pop");
  REQUIRE(events[1].depth == 0);
}

TEST_CASE("requests overlap and may end on another thread", "[nvtx]") {
  const auto events = events_of([] {
    auto first = std::make_unique<RequestRange>(1);
    const RequestRange second(2);
    std::thread([&] { first.reset(); }).join();
  });
  REQUIRE(events.size() == 4);
  REQUIRE(events[2].kind == "end");
  REQUIRE(events[2].thread != events[0].thread);
  REQUIRE(events[2].range_id == events[0].range_id);
  REQUIRE(events[3].range_id == events[1].range_id);
  REQUIRE(events[0].payload == "1");
  REQUIRE(events[1].payload == "2");
}
