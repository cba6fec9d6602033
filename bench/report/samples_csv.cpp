#include "stagebench/report/samples_csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "sample_columns.h"
#include "stagebench/report/csv.h"
#include "stagebench/statistics/measurement_error.h"
#include "stagebench/support/text_file.h"

namespace stagebench {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

/// For each field of a record the column that it belongs to; nullptr for one that is passed over.
std::vector<const SampleColumnCodec*> read_header(CsvReader& reader) {
  std::vector<std::string> names;
  if (!reader.next(names)) reader.fail("expected a header, found nothing");
  std::vector<const SampleColumnCodec*> columns(names.size(), nullptr);
  for (const auto& codec : sample_column_codecs()) {
    const auto found = std::find(names.begin(), names.end(), codec.column.name);
    if (found == names.end()) reader.fail(fmt::format("the header has no column {}", codec.column.name));
    if (std::find(found + 1, names.end(), codec.column.name) != names.end()) {
      reader.fail(fmt::format("the header has the column {} twice", codec.column.name));
    }
    columns[static_cast<std::size_t>(found - names.begin())] = &codec;
  }
  return columns;
}

}  // namespace

SamplesCsvWriter::SamplesCsvWriter(const std::filesystem::path& path) : file_(path) {
  buffer_.reserve(2 * buffer_bytes);
  for (const auto& codec : sample_column_codecs()) {
    if (!buffer_.empty()) buffer_ += ',';
    buffer_ += codec.column.name;
  }
  buffer_ += '\n';
}

void SamplesCsvWriter::write(const SampleRow& row) {
  std::string record;
  for (const auto& codec : sample_column_codecs()) {
    if (&codec != sample_column_codecs().data()) record += ',';
    if (!codec.write(row, record)) {
      throw MeasurementError(fmt::format("{} of a {} row: expected 0 or more, found {}", codec.column.name,
                                         name(row.stage), record.substr(record.rfind(',') + 1)));
    }
  }
  record += '\n';
  buffer_ += record;
  if (buffer_.size() < buffer_bytes) return;
  file_.write(buffer_);
  buffer_.clear();
}

void SamplesCsvWriter::commit() {
  file_.write(buffer_);
  buffer_.clear();
  file_.commit();
}

void write_request(SamplesCsvWriter& writer, const SampleContext& context, const RequestTimeline& timeline) {
  for (const auto& row : timeline.rows()) {
    SampleRow sample{.run_id = context.run_id,
                     .case_id = context.case_id,
                     .repetition = context.repetition,
                     .order = context.order,
                     .stage = row.stage,
                     .step = row.step,
                     .depth = row.depth,
                     .tokens = row.tokens,
                     .host = row.host,
                     .device = row.device};
    if (row.begin) sample.begin = *row.begin - context.run_begin;
    writer.write(sample);
  }
}

std::vector<SampleRow> read_samples_csv(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  CsvReader reader(text, path.string());
  const auto columns = read_header(reader);
  std::vector<SampleRow> rows;
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    if (fields.size() != columns.size()) {
      reader.fail(fmt::format("expected {} fields, found {}", columns.size(), fields.size()));
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (columns[i] == nullptr || columns[i]->read(fields[i], row)) continue;
      reader.fail(fmt::format("{}: \"{}\" is not a value of this column", columns[i]->column.name, fields[i]));
    }
  }
  return rows;
}

}  // namespace stagebench
