#include "stagebench/metrics/request_timeline.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "request_fixture.h"
#include "stagebench/statistics/measurement_error.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::RequestFixture;
using std::chrono::nanoseconds;

namespace {

RequestTimeline timeline_of(const RequestFixture& fixture) {
  return {fixture.result, fixture.events, fixture.load_events};
}

}  // namespace

TEST_CASE("stages and residual sum to end-to-end, without load") {
  const auto timeline = timeline_of(RequestFixture());
  REQUIRE(timeline.end_to_end() == nanoseconds(2000));
  REQUIRE(timeline.residual() == nanoseconds(220));
  nanoseconds sum{};
  nanoseconds end_to_end{};
  for (const auto& row : timeline.rows()) {
    if (row.stage == TimelineStage::end_to_end) end_to_end = row.host;
    if (row.stage != TimelineStage::load && row.stage != TimelineStage::end_to_end) sum += row.host;
  }
  REQUIRE(sum == end_to_end);
  REQUIRE(end_to_end == nanoseconds(2000));
}

TEST_CASE("rows leave absent what has no meaning") {
  const auto timeline = timeline_of(RequestFixture());
  const auto rows = timeline.rows();
  REQUIRE(rows.size() == 13);

  const auto& load = rows[0];
  REQUIRE(load.stage == TimelineStage::load);
  REQUIRE(load.host == nanoseconds(4000));
  REQUIRE((!load.step && !load.depth && !load.tokens && load.begin == RequestFixture::at(-5000)));

  const auto& tokenize = rows[1];
  REQUIRE(tokenize.stage == TimelineStage::tokenize);
  REQUIRE((!tokenize.step && !tokenize.depth && tokenize.tokens == 5));

  const auto& prefill = rows[2];
  REQUIRE((!prefill.step && prefill.depth == 0 && prefill.tokens == 5));

  const auto& second_decode = rows[8];
  REQUIRE(second_decode.stage == TimelineStage::decode_step);
  REQUIRE((second_decode.step == 1 && second_decode.depth == 6 && second_decode.tokens == 1));
  REQUIRE((second_decode.begin == RequestFixture::at(1600) && second_decode.host == nanoseconds(300)));
  REQUIRE(!second_decode.device);

  const auto& residual = rows[11];
  REQUIRE(residual.stage == TimelineStage::residual);
  REQUIRE((!residual.step && !residual.depth && !residual.tokens && !residual.begin));

  const auto& end_to_end = rows[12];
  REQUIRE(end_to_end.stage == TimelineStage::end_to_end);
  REQUIRE((end_to_end.tokens == 3 && end_to_end.begin == RequestFixture::at(0)));
}

TEST_CASE("stages that follow each other without a gap leave no residual") {
  RequestFixture fixture;
  fixture.result.token_times = {RequestFixture::at(2000)};
  fixture.result.sequences.front().ids = {7};
  fixture.events = {{Stage::prefill, 0, 0, 5, RequestFixture::at(0), RequestFixture::at(1500), {}},
                    {Stage::sample, 0, 5, 1, RequestFixture::at(1500), RequestFixture::at(2000), {}}};
  REQUIRE(timeline_of(fixture).residual() == nanoseconds(0));
}

TEST_CASE("stages that overlap or leave the request are refused") {
  RequestFixture fixture;
  SECTION("overlap") {
    fixture.event(Stage::sample, 1).begin = RequestFixture::at(1499);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "sample 1", "1499 ns", "1500 ns");
  }
  SECTION("before the request") {
    fixture.event(Stage::tokenize).begin = RequestFixture::at(-1);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "tokenize", "-1 ns", "no earlier than 0 ns");
  }
  SECTION("after the request") {
    fixture.event(Stage::detokenize, 2).end = RequestFixture::at(2001);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "detokenize 2", "2001 ns", "2000 ns");
  }
  SECTION("load inside the request") {
    fixture.load_events.front().end = RequestFixture::at(1);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "load", "1 ns", "no later than 0 ns");
  }
  SECTION("load among the request's events") {
    fixture.event(Stage::tokenize).stage = Stage::load;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "load");
  }
  SECTION("another stage before the request") {
    fixture.load_events.front().stage = Stage::tokenize;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "only load", "tokenize");
  }
}

TEST_CASE("times of zero or less are refused") {
  RequestFixture fixture;
  SECTION("a stage that takes no time") {
    auto& event = fixture.event(Stage::decode_step, 1);
    event.end = event.begin;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "decode_step 1", "0 ns");
  }
  SECTION("a stage that ends before it begins") {
    fixture.event(Stage::decode_step, 1).end = RequestFixture::at(1595);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "decode_step 1", "-5 ns");
  }
  SECTION("no device time") {
    fixture.event(Stage::decode_step, 1).device_time = nanoseconds(0);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "device time", "0 ns");
  }
  SECTION("two tokens at once, as a bundled first chunk has") {
    fixture.result.token_times[1] = fixture.result.token_times[0];
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "token 2", "1270 ns");
  }
  SECTION("a first token at t0") {
    fixture.result.token_times[0] = fixture.result.accepted;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "token 1", "0 ns");
  }
  SECTION("finished before the last token") {
    fixture.result.finished = RequestFixture::at(1969);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "finished", "1969 ns");
  }
  SECTION("a clock that hands out anything") {
    fixture.event(Stage::decode_step, 1).end = Clock::time_point::min();
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "monotonic clock");
  }
  SECTION("a request that ends at no time") {
    fixture.result.finished = Clock::time_point::max();
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "finished", "monotonic clock");
  }
}

TEST_CASE("a token that comes before its work is done is refused") {
  RequestFixture fixture;
  SECTION("the first, before prefill ends") {
    fixture.result.token_times[0] = RequestFixture::at(1199);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "first token", "1199 ns", "prefill");
  }
  SECTION("a later one, before its decode step ends") {
    fixture.result.token_times[2] = RequestFixture::at(1899);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "token 3", "decode step 1", "1899 ns");
  }
}

TEST_CASE("counts that contradict each other are refused") {
  RequestFixture fixture(2);
  REQUIRE(timeline_of(fixture).output_tokens() == 6);
  SECTION("prefill of one sequence's tokens in a batch of two") {
    fixture.event(Stage::prefill).tokens = 5;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "prefill", "5 tokens x 2 sequences");
  }
  SECTION("a prompt length that overflows") {
    fixture.result.prompt_tokens = std::int64_t{1} << 62;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "prefill");
  }
  SECTION("two prefills") {
    auto second = fixture.event(Stage::prefill);
    second.begin = RequestFixture::at(1200);
    second.end = RequestFixture::at(1205);
    fixture.events.insert(fixture.events.begin() + 2, second);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "one prefill", "found 2");
  }
  SECTION("a decode step that was not recorded") {
    fixture.events.erase(fixture.events.begin() + 7);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "2 decode steps for 3 tokens", "found 1");
  }
  SECTION("a decode step out of number") {
    fixture.event(Stage::decode_step, 1).step = 2;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "decode step 1", "step 2");
  }
  SECTION("a decode step of more tokens than sequences") {
    fixture.event(Stage::decode_step, 1).tokens = 3;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "3 tokens", "2 sequences");
  }
  SECTION("fewer ids than token times") {
    for (auto& sequence : fixture.result.sequences) sequence.ids.pop_back();
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "2 ids", "found 3");
  }
  SECTION("no output") {
    for (auto& sequence : fixture.result.sequences) sequence.ids.clear();
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "output token");
  }
  SECTION("no sequence") {
    fixture.result.sequences.clear();
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "sequence");
  }
  SECTION("no prompt") {
    fixture.result.prompt_tokens = 0;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "prompt");
  }
  SECTION("a negative count") {
    fixture.event(Stage::sample).tokens = -1;
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "sample", "-1");
  }
  SECTION("a stage outside the closed set") {
    fixture.event(Stage::sample).stage = static_cast<Stage>(17);
    REQUIRE_THROWS_SAYING(timeline_of(fixture), MeasurementError, "unknown stage 17");
  }
}

TEST_CASE("a sequence that stops early counts its own ids") {
  RequestFixture fixture(2);
  fixture.result.sequences[1].ids = {7};
  REQUIRE(timeline_of(fixture).output_tokens() == 4);
}
