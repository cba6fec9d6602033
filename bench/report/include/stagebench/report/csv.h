#pragma once

/// RFC 4180, with lines that end in LF when written (both endings are read), so that line tools work on the files.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stagebench {

/// Appends `text` to `record` as one field: quoted where it holds a comma, a quote, CR or LF. What is not UTF-8, and
/// NUL, becomes U+FFFD.
void append_csv_field(std::string& record, std::string_view text);

/// Reads records one after another from text that outlives it.
class CsvReader {
 public:
  /// `name` (a file's path) stands in messages.
  CsvReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  /// Reads the next record into `fields`; false at the end. An empty line is a record of one empty field. Throws
  /// InputError for a quote inside an unquoted field, text after a closing quote and a quote that is not closed.
  bool next(std::vector<std::string>& fields);
  /// Throws InputError with the file and the line where the last record began before `message`.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  void read_quoted(std::string& field);
  void read_plain(std::string& field);

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;         ///< at position_
  std::size_t record_line_ = 1;  ///< where the last record began
};

}  // namespace stagebench
