#include "stagebench/report/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "stagebench/contracts/error.h"
#include "utf8.h"

namespace stagebench {

void append_csv_field(std::string& record, std::string_view text) {
  const std::string clean = valid_utf8(text);
  if (clean.find_first_of(",\"\r\n") == std::string::npos) {
    record += clean;
    return;
  }
  record += '"';
  for (const char character : clean) {
    if (character == '"') record += '"';
    record += character;
  }
  record += '"';
}

bool CsvReader::next(std::vector<std::string>& fields) {
  fields.clear();
  if (position_ == text_.size()) return false;
  record_line_ = line_;
  while (true) {
    auto& field = fields.emplace_back();
    if (position_ < text_.size() && text_[position_] == '"') {
      read_quoted(field);
    } else {
      read_plain(field);
    }
    if (position_ == text_.size()) return true;
    const char separator = text_[position_++];
    if (separator == ',') continue;
    if (separator == '\r' && position_ < text_.size() && text_[position_] == '\n') ++position_;
    ++line_;
    return true;
  }
}

void CsvReader::read_quoted(std::string& field) {
  ++position_;
  while (true) {
    const auto quote = text_.find('"', position_);
    if (quote == std::string_view::npos) fail("a quoted field is not closed");
    const auto part = text_.substr(position_, quote - position_);
    line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    field += part;
    position_ = quote + 1;
    if (position_ == text_.size() || text_[position_] != '"') break;
    field += '"';
    ++position_;
  }
  if (position_ < text_.size() && std::string_view(",\r\n").find(text_[position_]) == std::string_view::npos) {
    fail("expected a comma or the end of the line after a closing quote");
  }
}

void CsvReader::read_plain(std::string& field) {
  const auto end = std::min(text_.find_first_of(",\r\n", position_), text_.size());
  field = text_.substr(position_, end - position_);
  if (field.find('"') != std::string::npos) fail("a quote inside a field that is not quoted");
  position_ = end;
}

void CsvReader::fail(std::string_view message) const {
  throw InputError(fmt::format("{}: line {}: {}", name_, record_line_, message));
}

}  // namespace stagebench
