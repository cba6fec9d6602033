#pragma once

/// samples.csv: one row a sample, the file that all other results derive from.
///
///   SamplesCsvWriter samples(folder / "samples.csv");
///   write_request(samples, {.run_id = run_id, .case_id = case_id, .run_begin = run_begin}, timeline);
///   samples.commit();

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/metrics/request_timeline.h"
#include "stagebench/metrics/timeline_stage.h"
#include "stagebench/support/atomic_file.h"

namespace stagebench {

/// Columns are only ever added; the version says which are there.
inline constexpr std::int64_t samples_schema = 1;

enum class SampleStatus : std::uint8_t { ok, failed, skipped };

struct SampleRow {
  std::int64_t schema = samples_schema;
  std::string run_id{};
  std::string case_id{};
  std::int64_t repetition = 0;
  std::int64_t order = 0;
  TimelineStage stage{};
  std::optional<std::int64_t> step{};
  std::optional<std::int64_t> depth{};
  std::optional<std::int64_t> tokens{};
  std::optional<std::chrono::nanoseconds> begin{};  ///< since the run began
  std::optional<std::chrono::nanoseconds> host{};   ///< absent where status is not ok
  std::optional<std::chrono::nanoseconds> device{};
  SampleStatus status = SampleStatus::ok;
};

/// The dictionary that results/README.md repeats.
struct SampleColumn {
  std::string_view name;
  std::string_view unit;  ///< empty for text
  std::string_view description;
};

/// In the order of the file.
std::vector<SampleColumn> sample_columns();

/// Collects rows and puts the file in place in commit(); without it there is no file.
class SamplesCsvWriter {
 public:
  /// Writes the header. Throws ResourceError where the folder does not exist or is not writable.
  explicit SamplesCsvWriter(const std::filesystem::path& path);

  /// Throws ResourceError where the disk is full, MeasurementError for a negative number.
  void write(const SampleRow& row);
  /// Throws ResourceError.
  void commit();

 private:
  AtomicFile file_;
  std::string buffer_;
};

/// What the rows of one request share.
struct SampleContext {
  std::string run_id;
  std::string case_id;
  std::int64_t repetition = 0;
  std::int64_t order = 0;
  Clock::time_point run_begin;  ///< begin_ns counts from here; not after the first event
};

/// All rows of a request, in their order.
void write_request(SamplesCsvWriter& writer, const SampleContext& context, const RequestTimeline& timeline);

/// Reads a file as SamplesCsvWriter writes it; columns that it does not know are passed over. Throws InputError with
/// file, line and column.
std::vector<SampleRow> read_samples_csv(const std::filesystem::path& path);

}  // namespace stagebench
