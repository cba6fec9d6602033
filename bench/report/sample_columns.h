#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stagebench/report/samples_csv.h"

namespace stagebench {

/// One column: what it means, and how it is written and read.
struct SampleColumnCodec {
  SampleColumn column;
  /// Appends the field to a record; false where the row's value cannot be (a negative number).
  bool (*write)(const SampleRow& row, std::string& record);
  /// False where the field is not a value of this column.
  bool (*read)(std::string_view field, SampleRow& row);
};

/// The one table of columns, in the order of the file.
std::span<const SampleColumnCodec> sample_column_codecs();

}  // namespace stagebench
