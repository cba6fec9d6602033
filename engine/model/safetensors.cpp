#include "safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "stagebench/contracts/error.h"
#include "stagebench/support/json.h"

namespace stagebench {
namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t largest_header = 100'000'000;  // the reference implementation's limit
constexpr std::size_t largest_rank = 64;

struct StoredType {
  std::string_view name;
  std::uint64_t bytes;
  std::optional<DType> dtype;
};

constexpr std::array<StoredType, 16> stored_types{{
    {"F32", 4, DType::f32},
    {"F16", 2, DType::f16},
    {"BF16", 2, DType::bf16},
    {"F64", 8, std::nullopt},
    {"I64", 8, std::nullopt},
    {"U64", 8, std::nullopt},
    {"C64", 8, std::nullopt},
    {"I32", 4, std::nullopt},
    {"U32", 4, std::nullopt},
    {"I16", 2, std::nullopt},
    {"U16", 2, std::nullopt},
    {"I8", 1, std::nullopt},
    {"U8", 1, std::nullopt},
    {"BOOL", 1, std::nullopt},
    {"F8_E4M3", 1, std::nullopt},
    {"F8_E5M2", 1, std::nullopt},
}};

const StoredType& find_type(std::string_view name, const JsonValue& place) {
  const auto* type = std::find_if(stored_types.begin(), stored_types.end(),
                                  [&](const StoredType& candidate) { return candidate.name == name; });
  if (type == stored_types.end()) {
    place.fail(fmt::format("expected a type like F32, F16 or BF16, found the unknown \"{}\"", name));
  }
  return *type;
}

std::uint64_t whole_number(simdjson::dom::element element, const JsonValue& place) {
  std::uint64_t value = 0;
  if (element.get(value) != simdjson::SUCCESS) place.fail("expected whole numbers of at least 0, found something else");
  return value;
}

std::uint64_t expected_bytes(const std::vector<std::int64_t>& shape, std::uint64_t element_bytes,
                             const JsonValue& place) {
  std::uint64_t bytes = element_bytes;
  for (const std::int64_t dimension : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dimension), &bytes)) {
      place.fail(
          fmt::format("expected a tensor of less than 2^64 bytes, found the shape [{}]", fmt::join(shape, ", ")));
    }
  }
  return bytes;
}

void read_shape(const JsonValue& value, std::vector<std::int64_t>& shape) {
  for (const simdjson::dom::element element : value.as_array()) {
    if (shape.size() == largest_rank)
      value.fail(fmt::format("expected at most {} dimensions, found more", largest_rank));
    const std::uint64_t dimension = whole_number(element, value);
    if (dimension > std::uint64_t{INT64_MAX}) value.fail(fmt::format("expected less than 2^63, found {}", dimension));
    shape.push_back(static_cast<std::int64_t>(dimension));
  }
}

/// The two data_offsets, checked against the `data_bytes` that follow the header.
std::pair<std::uint64_t, std::uint64_t> read_offsets(const JsonValue& value, std::uint64_t data_bytes) {
  std::vector<std::uint64_t> offsets;
  for (const simdjson::dom::element element : value.as_array()) {
    if (offsets.size() == 2) value.fail("expected [begin, end], found more than two numbers");
    offsets.push_back(whole_number(element, value));
  }
  if (offsets.size() != 2) value.fail(fmt::format("expected [begin, end], found {} numbers", offsets.size()));
  if (offsets[0] > offsets[1]) {
    value.fail(fmt::format("expected begin <= end, found [{}, {}]", offsets[0], offsets[1]));
  }
  if (offsets[1] > data_bytes) {
    value.fail(
        fmt::format("expected at most the {} bytes of data that the file has, found an end of {}: the file is "
                    "truncated, or the offset is wrong",
                    data_bytes, offsets[1]));
  }
  return {offsets[0], offsets[1]};
}

SafetensorsEntry read_entry(std::string_view name, const JsonValue& value, std::uint64_t data_begin,
                            std::uint64_t data_bytes) {
  for (const auto field : value.as_object()) {
    if (field.key != "dtype" && field.key != "shape" && field.key != "data_offsets") {
      value.fail(fmt::format("expected dtype, shape and data_offsets, found the key \"{}\"", field.key));
    }
  }
  const JsonValue type_value = value.at("dtype");
  const StoredType& type = find_type(type_value.as_string(), type_value);
  SafetensorsEntry entry{std::string(name), std::string(type.name), type.dtype, {}, 0, 0};
  read_shape(value.at("shape"), entry.shape);
  const auto [begin, end] = read_offsets(value.at("data_offsets"), data_bytes);
  entry.offset = data_begin + begin;
  entry.bytes = end - begin;
  const std::uint64_t expected = expected_bytes(entry.shape, type.bytes, value);
  if (expected != entry.bytes) {
    value.fail(fmt::format("expected {} bytes for the shape [{}] of {}, found data_offsets of {} bytes", expected,
                           fmt::join(entry.shape, ", "), type.name, entry.bytes));
  }
  return entry;
}

void check_layout(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_begin, std::uint64_t file_bytes,
                  const std::string& name) {
  std::uint64_t end = data_begin;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.offset != end) {
      throw InputError(fmt::format(
          "{}: {}: expected data at byte {}, where the tensor before it ends, found it at {}: "
          "tensors {}",
          name, entry.name, end, entry.offset, entry.offset < end ? "overlap" : "leave a hole between them"));
    }
    end += entry.bytes;
  }
  if (end != file_bytes) {
    throw InputError(fmt::format("{}: expected the file to end with its last tensor at byte {}, found {} bytes", name,
                                 end, file_bytes));
  }
}

std::string_view header_text(std::span<const std::byte> file, const std::string& name) {
  if (file.size() < length_bytes) {
    throw InputError(fmt::format("{}: expected a safetensors file, of 8 bytes at least, found {}", name, file.size()));
  }
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
  if (length > largest_header) {
    throw InputError(fmt::format("{}: expected a safetensors header of at most {} bytes, found a length of {}", name,
                                 largest_header, length));
  }
  if (length > file.size() - length_bytes) {
    throw InputError(fmt::format("{}: expected a header of {} bytes, found a file of {}: it is truncated", name, length,
                                 file.size()));
  }
  return {reinterpret_cast<const char*>(file.data()) + length_bytes, static_cast<std::size_t>(length)};
}

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file, const std::string& name) {
  const std::string_view header = header_text(file, name);
  const JsonDocument document(header, name + ": header");
  const std::uint64_t data_begin = length_bytes + header.size();
  std::vector<SafetensorsEntry> entries;
  std::set<std::string_view> names;
  for (const auto field : document.root().as_object()) {
    if (field.key == "__metadata__") continue;
    const std::string place = fmt::format("{}: {}", name, field.key);
    if (!names.insert(field.key).second) {
      throw InputError(fmt::format("{}: expected each tensor once, found it twice in the header", place));
    }
    entries.push_back(read_entry(field.key, JsonValue(field.value, place), data_begin, file.size() - data_begin));
  }
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  check_layout(entries, data_begin, file.size(), name);
  return entries;
}

}  // namespace stagebench
