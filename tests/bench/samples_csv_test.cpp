#include "stagebench/report/samples_csv.h"

#include <sys/resource.h>

#include <chrono>
#include <clocale>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <locale>
#include <map>
#include <string>

#include "request_fixture.h"
#include "stagebench/contracts/error.h"
#include "stagebench/statistics/measurement_error.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using stagebench::test::RequestFixture;
using stagebench::test::TemporaryFolder;
using std::chrono::nanoseconds;

namespace {

const std::string header =
    "schema,run_id,case_id,repetition,order,stage,step,depth,tokens,begin_ns,host_ns,device_ns,status\n";

SampleContext context() {
  return {.run_id = "run",
          .case_id = "engine=reference",
          .repetition = 2,
          .order = 3,
          .run_begin = RequestFixture::at(-6000)};
}

std::filesystem::path write_fixture(const TemporaryFolder& folder) {
  const RequestFixture fixture(2);
  const auto path = folder.path() / "samples.csv";
  SamplesCsvWriter writer(path);
  write_request(writer, context(), RequestTimeline(fixture.result, fixture.events, fixture.load_events));
  writer.commit();
  return path;
}

/// The largest file that this process may write, for the life of the object.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : previous_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{bytes, previous_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, previous_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*previous_handler_)(int);
  rlimit previous_{};
};

bool is_empty(const TemporaryFolder& folder) {
  return std::filesystem::is_empty(folder.path());
}

}  // namespace

TEST_CASE("a request becomes these lines") {
  const TemporaryFolder folder;
  REQUIRE(read_text_file(write_fixture(folder)) == header +
                                                       "1,run,engine=reference,2,3,load,,,,1000,4000,,ok\n"
                                                       "1,run,engine=reference,2,3,tokenize,,,5,6010,100,,ok\n"
                                                       "1,run,engine=reference,2,3,prefill,,0,10,6200,1000,,ok\n"
                                                       "1,run,engine=reference,2,3,sample,0,5,2,7210,50,,ok\n"
                                                       "1,run,engine=reference,2,3,detokenize,0,5,2,7280,10,,ok\n"
                                                       "1,run,engine=reference,2,3,decode_step,0,5,2,7300,200,,ok\n"
                                                       "1,run,engine=reference,2,3,sample,1,6,2,7510,50,,ok\n"
                                                       "1,run,engine=reference,2,3,detokenize,1,6,2,7580,10,,ok\n"
                                                       "1,run,engine=reference,2,3,decode_step,1,6,2,7600,300,,ok\n"
                                                       "1,run,engine=reference,2,3,sample,2,7,2,7910,50,,ok\n"
                                                       "1,run,engine=reference,2,3,detokenize,2,7,2,7980,10,,ok\n"
                                                       "1,run,engine=reference,2,3,residual,,,,,220,,ok\n"
                                                       "1,run,engine=reference,2,3,end_to_end,,,6,6000,2000,,ok\n");
}

TEST_CASE("in the file the stages and the residual sum to end_to_end") {
  const TemporaryFolder folder;
  std::map<TimelineStage, nanoseconds> sums;
  for (const auto& row : read_samples_csv(write_fixture(folder))) sums[row.stage] += *row.host;
  const auto end_to_end = sums.at(TimelineStage::end_to_end);
  sums.erase(TimelineStage::end_to_end);
  sums.erase(TimelineStage::load);
  nanoseconds sum{};
  for (const auto& [stage, time] : sums) sum += time;
  REQUIRE(sums.size() == 6);
  REQUIRE(sum == end_to_end);
}

TEST_CASE("a row is read as it was written, whatever is in its text") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "samples.csv";
  const SampleRow full{.run_id = "20261201T150000Z-ab12",
                       .case_id = "model=a,b/prompt=\"two\r\nlines\"/unit=µs",
                       .repetition = 1,
                       .order = 9223372036854775807,
                       .stage = TimelineStage::decode_step,
                       .step = 4,
                       .depth = 5,
                       .tokens = 6,
                       .begin = nanoseconds(7),
                       .host = nanoseconds(8),
                       .device = nanoseconds(9)};
  const SampleRow bare{.case_id = "model=llama-2-70b", .stage = TimelineStage::load, .status = SampleStatus::skipped};
  {
    SamplesCsvWriter writer(path);
    writer.write(full);
    writer.write(bare);
    writer.commit();
  }
  const auto rows = read_samples_csv(path);
  REQUIRE(rows.size() == 2);
  REQUIRE(rows[0].schema == samples_schema);
  REQUIRE(rows[0].run_id == full.run_id);
  REQUIRE(rows[0].case_id == full.case_id);
  REQUIRE((rows[0].repetition == full.repetition && rows[0].order == full.order && rows[0].stage == full.stage));
  REQUIRE((rows[0].step == full.step && rows[0].depth == full.depth && rows[0].tokens == full.tokens));
  REQUIRE((rows[0].begin == full.begin && rows[0].host == full.host && rows[0].device == full.device));
  REQUIRE(rows[0].status == SampleStatus::ok);
  REQUIRE((!rows[1].step && !rows[1].depth && !rows[1].tokens && !rows[1].begin && !rows[1].host && !rows[1].device));
  REQUIRE(rows[1].status == SampleStatus::skipped);
}

TEST_CASE("numbers do not follow the locale") {
  struct Grouped final : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const auto previous = std::locale::global(std::locale(std::locale::classic(), new Grouped));
  const TemporaryFolder folder;
  const auto text = read_text_file(write_fixture(folder));
  std::locale::global(previous);
  REQUIRE(text.find(",load,,,,1000,4000,,ok\n") != std::string::npos);
}

TEST_CASE("a row with a negative number is refused") {
  const TemporaryFolder folder;
  SamplesCsvWriter writer(folder.path() / "samples.csv");
  REQUIRE_THROWS_SAYING(writer.write({.stage = TimelineStage::prefill, .host = nanoseconds(-7)}), MeasurementError,
                        "host_ns", "prefill", "-7");
  const RequestFixture fixture;
  auto late = context();
  late.run_begin = RequestFixture::at(-4999);
  REQUIRE_THROWS_SAYING(
      write_request(writer, late, RequestTimeline(fixture.result, fixture.events, fixture.load_events)),
      MeasurementError, "begin_ns", "load", "-1");
}

TEST_CASE("without a commit there is no file") {
  const TemporaryFolder folder;
  { SamplesCsvWriter writer(folder.path() / "samples.csv"); }
  REQUIRE(is_empty(folder));
}

TEST_CASE("a folder that is not there is refused") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_SAYING(SamplesCsvWriter(folder.path() / "none" / "samples.csv"), ResourceError, "samples.csv");
}

TEST_CASE("a disk that is full is an error and leaves no file") {
  const TemporaryFolder folder;
  const SampleRow row{.case_id = std::string(1000, 'x'), .stage = TimelineStage::sample, .host = nanoseconds(1)};
  const auto write_rows = [&](int count) {
    SamplesCsvWriter writer(folder.path() / "samples.csv");
    for (int i = 0; i < count; ++i) writer.write(row);
    writer.commit();
  };
  const FileSizeLimit limit(100'000);
  SECTION("while rows are written") {
    REQUIRE_THROWS_SAYING(write_rows(1000), ResourceError, "samples.csv");
  }
  SECTION("at the end") {
    REQUIRE_THROWS_SAYING(write_rows(110), ResourceError, "samples.csv");
  }
  REQUIRE(is_empty(folder));
}

TEST_CASE("columns that are not known are passed over, ones that are missing or twice are refused") {
  const TemporaryFolder folder;
  const auto more = folder.write(
      "more.csv",
      "new,schema,run_id,case_id,repetition,order,stage,step,depth,tokens,begin_ns,host_ns,device_ns,status\n"
      "?,2,r,c,0,0,sample,1,,,,5,,ok\n");
  const auto rows = read_samples_csv(more);
  REQUIRE(rows.size() == 1);
  REQUIRE((rows[0].schema == 2 && rows[0].step == 1 && rows[0].host == nanoseconds(5)));

  REQUIRE_THROWS_SAYING(read_samples_csv(folder.write("less.csv", "schema,run_id\n")), InputError, "less.csv: line 1",
                        "no column case_id");
  REQUIRE_THROWS_SAYING(read_samples_csv(folder.write("twice.csv", header.substr(0, header.size() - 1) + ",stage\n")),
                        InputError, "stage twice");
  REQUIRE_THROWS_SAYING(read_samples_csv(folder.write("empty.csv", "")), InputError, "empty.csv", "header");
}

TEST_CASE("a damaged row is refused with line and column") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& row) {
    return read_samples_csv(folder.write("samples.csv", header + "1,r,c,0,0,load,,,,1,2,,ok\n" + row));
  };
  REQUIRE(read("").size() == 1);
  REQUIRE_THROWS_SAYING(read("1,r,c,0,0,load,,,,1,2,\n"), InputError, "line 3", "13 fields", "found 12");
  REQUIRE_THROWS_SAYING(read("1,r,c,0,0,load,,,,1,2.5,,ok\n"), InputError, "line 3", "host_ns", "2.5");
  REQUIRE_THROWS_SAYING(read("1,r,c,0,0,load,,,,1,-2,,ok\n"), InputError, "line 3", "host_ns", "-2");
  REQUIRE_THROWS_SAYING(read("1,r,c,0,0,load,,,,1,99999999999999999999,,ok\n"), InputError, "line 3", "host_ns");
  REQUIRE_THROWS_SAYING(read("1,r,c,,0,load,,,,1,2,,ok\n"), InputError, "line 3", "repetition");
  REQUIRE_THROWS_SAYING(read("1,r,c,0,0,lunch,,,,1,2,,ok\n"), InputError, "line 3", "stage", "lunch");
  REQUIRE_THROWS_SAYING(read("1,r,c,0,0,load,,,,1,2,,fine\n"), InputError, "line 3", "status", "fine");
}
