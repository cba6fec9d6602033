#include "sample_columns.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>

#include "stagebench/report/csv.h"

namespace stagebench {
namespace {

constexpr std::array<std::string_view, 3> status_names{"ok", "failed", "skipped"};

bool write_number(std::string& record, std::int64_t number) {
  fmt::format_to(std::back_inserter(record), "{}", number);
  return number >= 0;
}

bool write_number(std::string& record, const std::optional<std::int64_t>& number) {
  return !number || write_number(record, *number);
}

bool write_number(std::string& record, const std::optional<std::chrono::nanoseconds>& time) {
  return !time || write_number(record, time->count());
}

bool read_number(std::string_view field, std::int64_t& number) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size() && number >= 0;
}

bool read_number(std::string_view field, std::optional<std::int64_t>& number) {
  if (field.empty()) return true;
  return read_number(field, number.emplace());
}

bool read_number(std::string_view field, std::optional<std::chrono::nanoseconds>& time) {
  std::optional<std::int64_t> number;
  if (!read_number(field, number)) return false;
  if (number) time = std::chrono::nanoseconds(*number);
  return true;
}

template <auto member>
bool write_text_field(const SampleRow& row, std::string& record) {
  append_csv_field(record, row.*member);
  return true;
}

template <auto member>
bool read_text_field(std::string_view field, SampleRow& row) {
  row.*member = field;
  return true;
}

template <auto member>
bool write_number_field(const SampleRow& row, std::string& record) {
  return write_number(record, row.*member);
}

template <auto member>
bool read_number_field(std::string_view field, SampleRow& row) {
  return read_number(field, row.*member);
}

bool write_stage(const SampleRow& row, std::string& record) {
  record += name(row.stage);
  return true;
}

bool read_stage(std::string_view field, SampleRow& row) {
  const auto stage = timeline_stage_from_name(field);
  if (stage) row.stage = *stage;
  return stage.has_value();
}

bool write_status(const SampleRow& row, std::string& record) {
  record += status_names[static_cast<std::size_t>(row.status)];
  return true;
}

bool read_status(std::string_view field, SampleRow& row) {
  for (std::size_t i = 0; i < status_names.size(); ++i) {
    if (status_names[i] != field) continue;
    row.status = static_cast<SampleStatus>(i);
    return true;
  }
  return false;
}

template <auto member>
constexpr SampleColumnCodec text(SampleColumn column) {
  return {column, write_text_field<member>, read_text_field<member>};
}

template <auto member>
constexpr SampleColumnCodec number(SampleColumn column) {
  return {column, write_number_field<member>, read_number_field<member>};
}

const std::array<SampleColumnCodec, 13> codecs{{
    number<&SampleRow::schema>({"schema", "1", "version of this list of columns; columns are only ever added"}),
    text<&SampleRow::run_id>({"run_id", "", "the run: UTC time at which it began and four hexadecimal digits"}),
    text<&SampleRow::case_id>({"case_id", "", "what was run, as readable axes (`engine=.../model=.../...`)"}),
    number<&SampleRow::repetition>({"repetition", "1", "which repetition of the case, from 0"}),
    number<&SampleRow::order>({"order", "1", "which request of the run, in the order in which they ran, from 0"}),
    {{"stage", "",
      "load, tokenize, prefill, decode_step, sample, detokenize; of a whole request `residual` and `end_to_end`, where "
      "end_to_end is the sum of all stages but load and of the residual"},
     write_stage,
     read_stage},
    number<&SampleRow::step>(
        {"step", "1", "decode_step, sample, detokenize: which step of the request, from 0; else empty"}),
    number<&SampleRow::depth>(
        {"depth", "tokens",
         "tokens a sequence in the KV cache when the stage began; empty for load, tokenize, residual "
         "and end_to_end"}),
    number<&SampleRow::tokens>({"tokens", "tokens",
                                "tokens that the stage handled, all sequences together; of end_to_end the output "
                                "tokens; empty for load and residual"}),
    number<&SampleRow::begin>({"begin_ns", "ns", "when it began, since the run began; empty for residual"}),
    number<&SampleRow::host>({"host_ns", "ns", "time on the host's monotonic clock; empty where status is not ok"}),
    number<&SampleRow::device>({"device_ns", "ns", "time on the device's clock; empty where there is none (CPU)"}),
    {{"status", "", "`ok`, `failed` or `skipped`"}, write_status, read_status},
}};

}  // namespace

std::span<const SampleColumnCodec> sample_column_codecs() {
  return codecs;
}

std::vector<SampleColumn> sample_columns() {
  std::vector<SampleColumn> columns;
  columns.reserve(codecs.size());
  for (const auto& codec : codecs) columns.push_back(codec.column);
  return columns;
}

}  // namespace stagebench
