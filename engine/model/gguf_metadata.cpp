#include "gguf_metadata.h"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

/// Bytes of a value of fixed size; 0 for strings and arrays, nothing for a number that stands for no type.
std::optional<std::uint64_t> fixed_bytes(std::uint32_t type) {
  constexpr std::uint64_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  if (type >= std::size(bytes)) return std::nullopt;
  return bytes[type];
}

std::string_view type_name(GgufType type) {
  constexpr std::string_view names[] = {"uint8", "int8",   "uint16", "int16",  "uint32", "int32",  "float32",
                                        "bool",  "string", "array",  "uint64", "int64",  "float64"};
  return names[static_cast<std::size_t>(type)];
}

bool read_bool(GgufCursor& cursor, std::string_view source, std::string_view what) {
  const std::uint64_t at = cursor.offset();
  const auto value = cursor.read<std::uint8_t>(what);
  if (value > 1) {
    throw InputError(fmt::format("{}: {} at offset {}: expected a bool (0 or 1), found {}", source, what, at, value));
  }
  return value == 1;
}

GgufValue read_number(GgufCursor& cursor, GgufType type, std::string_view what) {
  switch (type) {
    case GgufType::uint8: return std::uint64_t{cursor.read<std::uint8_t>(what)};
    case GgufType::int8: return std::int64_t{cursor.read<std::int8_t>(what)};
    case GgufType::uint16: return std::uint64_t{cursor.read<std::uint16_t>(what)};
    case GgufType::int16: return std::int64_t{cursor.read<std::int16_t>(what)};
    case GgufType::uint32: return std::uint64_t{cursor.read<std::uint32_t>(what)};
    case GgufType::int32: return std::int64_t{cursor.read<std::int32_t>(what)};
    case GgufType::int64: return cursor.read<std::int64_t>(what);
    case GgufType::float32: return double{cursor.read<float>(what)};
    case GgufType::float64: return cursor.read<double>(what);
    default: return cursor.read<std::uint64_t>(what);
  }
}

GgufType read_type(GgufCursor& cursor, std::string_view source, std::string_view what) {
  const std::uint64_t at = cursor.offset();
  const auto type = cursor.read<std::uint32_t>(what);
  if (!fixed_bytes(type)) {
    throw InputError(
        fmt::format("{}: {} at offset {}: unknown value type {} (expected 0 to 12)", source, what, at, type));
  }
  return static_cast<GgufType>(type);
}

GgufArray read_array(GgufCursor& cursor, std::string_view source, const std::string& what) {
  GgufArray array;
  array.element_type = read_type(cursor, source, "the element type of " + what);
  if (array.element_type == GgufType::array) {
    throw InputError(fmt::format("{}: {}: arrays of arrays are not supported", source, what));
  }
  const std::uint64_t element_bytes = *fixed_bytes(static_cast<std::uint32_t>(array.element_type));
  const std::string count_name = "the number of elements of " + what;
  if (element_bytes != 0) {
    array.count = cursor.read_count(count_name, element_bytes);
    array.payload = cursor.read_bytes(array.count * element_bytes, what);
    return array;
  }
  array.count = cursor.read_count(count_name, sizeof(std::uint64_t));
  GgufCursor start = cursor;
  const std::uint64_t first = cursor.offset();
  const std::string string_name = "a string of " + what;
  for (std::uint64_t i = 0; i < array.count; ++i) cursor.read_string(string_name);
  array.payload = start.read_bytes(cursor.offset() - first, what);
  return array;
}

GgufValue read_value(GgufCursor& cursor, GgufType type, std::string_view source, const std::string& what) {
  if (type == GgufType::boolean) return read_bool(cursor, source, what);
  if (type == GgufType::string) return cursor.read_string(what);
  if (type == GgufType::array) return read_array(cursor, source, what);
  return read_number(cursor, type, what);
}

std::string describe(const GgufValue& value) {
  constexpr std::string_view names[] = {"an integer", "an integer", "a float", "a bool", "a string"};
  if (const auto* array = std::get_if<GgufArray>(&value)) {
    return fmt::format("an array of {}", type_name(array->element_type));
  }
  return std::string(names[value.index()]);
}

/// The integer, where the value is one and fits 64 signed bits.
std::optional<std::int64_t> as_integer(const GgufValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (*number <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

bool is_integer(GgufType type) {
  return type != GgufType::float32 && type != GgufType::float64 && type != GgufType::boolean &&
         type != GgufType::string && type != GgufType::array;
}

}  // namespace

void GgufMetadata::read_pair(GgufCursor& cursor) {
  const std::uint64_t at = cursor.offset();
  const std::string_view key = cursor.read_string("a key");
  if (key.empty()) throw InputError(fmt::format("{}: the key at offset {} is empty", source_, at));
  const std::string what = "key " + quoted(key);
  const GgufType type = read_type(cursor, source_, "the value type of " + what);
  if (!values_.emplace(key, read_value(cursor, type, source_, what)).second) {
    throw InputError(fmt::format("{}: {} is there twice, again at offset {}", source_, what, at));
  }
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> GgufMetadata::find_integer(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto integer = as_integer(*value);
  if (!integer) fail_type(key, "an integer below 2^63", *value);
  return integer;
}

std::optional<double> GgufMetadata::find_number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<double>(value)) return *number;
  const auto integer = as_integer(*value);
  if (!integer) fail_type(key, "a number", *value);
  return static_cast<double>(*integer);
}

std::optional<bool> GgufMetadata::find_bool(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* boolean = std::get_if<bool>(value)) return *boolean;
  fail_type(key, "a bool", *value);
}

std::optional<std::string_view> GgufMetadata::find_string(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string_view>(value)) return *text;
  fail_type(key, "a string", *value);
}

std::optional<std::vector<std::string>> GgufMetadata::find_strings(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr || array->element_type != GgufType::string) fail_type(key, "an array of strings", *value);
  GgufCursor cursor(array->payload, source_);
  std::vector<std::string> strings;
  strings.reserve(array->count);
  for (std::uint64_t i = 0; i < array->count; ++i) strings.emplace_back(cursor.read_string(key));
  return strings;
}

std::optional<std::vector<float>> GgufMetadata::find_floats(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr || array->element_type != GgufType::float32) fail_type(key, "an array of float32", *value);
  GgufCursor cursor(array->payload, source_);
  std::vector<float> floats(array->count);
  for (float& element : floats) element = cursor.read<float>(key);
  return floats;
}

std::optional<std::vector<std::int64_t>> GgufMetadata::find_integers(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr || !is_integer(array->element_type)) fail_type(key, "an array of integers", *value);
  GgufCursor cursor(array->payload, source_);
  std::vector<std::int64_t> integers(array->count);
  for (std::int64_t& element : integers) {
    const auto integer = as_integer(read_number(cursor, array->element_type, key));
    if (!integer) fail(key, "an element is 2^63 or more");
    element = *integer;
  }
  return integers;
}

std::int64_t GgufMetadata::integer(std::string_view key, std::int64_t least, std::int64_t most) const {
  const auto value = find_integer(key);
  if (!value) fail_missing(key);
  if (*value < least || *value > most) fail(key, fmt::format("expected {} to {}, found {}", least, most, *value));
  return *value;
}

double GgufMetadata::number(std::string_view key) const {
  const auto value = find_number(key);
  if (!value) fail_missing(key);
  return *value;
}

std::string_view GgufMetadata::string(std::string_view key) const {
  const auto value = find_string(key);
  if (!value) fail_missing(key);
  return *value;
}

void GgufMetadata::fail(std::string_view key, std::string_view message) const {
  throw InputError(fmt::format("{}: key {}: {}", source_, quoted(key), message));
}

void GgufMetadata::fail_missing(std::string_view key) const {
  fail(key, "is missing");
}

void GgufMetadata::fail_type(std::string_view key, std::string_view expected, const GgufValue& found) const {
  fail(key, fmt::format("expected {}, found {}", expected, describe(found)));
}

}  // namespace stagebench
