#pragma once

/// The key-value pairs of a GGUF file, with getters that say which key is missing or has the wrong type.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gguf_cursor.h"

namespace stagebench {

/// GGUF's gguf_metadata_value_type.
enum class GgufType : std::uint32_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  string,
  array,
  uint64,
  int64,
  float64
};

/// Elements one behind the other as the file has them, checked to lie within it; strings with their lengths.
struct GgufArray {
  GgufType element_type{};
  std::uint64_t count = 0;
  std::span<const std::byte> payload;
};

using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray>;

/// Views into the file's bytes, which outlive it. Getters throw InputError for a value of another type; those called
/// `find_...` give nothing where the key is absent, the others throw then too.
class GgufMetadata {
 public:
  explicit GgufMetadata(std::string source) : source_(std::move(source)) {}

  /// Reads one pair. Throws InputError for an empty or repeated key and for an unknown type.
  void read_pair(GgufCursor& cursor);

  bool contains(std::string_view key) const { return values_.find(key) != values_.end(); }
  std::optional<std::int64_t> find_integer(std::string_view key) const;
  std::optional<double> find_number(std::string_view key) const;  ///< an integer or a float
  std::optional<bool> find_bool(std::string_view key) const;
  std::optional<std::string_view> find_string(std::string_view key) const;
  std::optional<std::vector<std::string>> find_strings(std::string_view key) const;
  std::optional<std::vector<float>> find_floats(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view key) const;

  /// Between `least` and `most`, both included.
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most) const;
  double number(std::string_view key) const;
  std::string_view string(std::string_view key) const;

  /// Throws InputError: "<source>: key '<key>': <message>".
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;

 private:
  const GgufValue* find(std::string_view key) const;
  [[noreturn]] void fail_missing(std::string_view key) const;
  [[noreturn]] void fail_type(std::string_view key, std::string_view expected, const GgufValue& found) const;

  std::string source_;
  std::map<std::string_view, GgufValue> values_;
};

}  // namespace stagebench
