#pragma once

/// JSON from untrusted files, with errors that say where: "config.json: rope_parameters.rope_theta: expected a number,
/// found a string". A thin layer on simdjson's DOM.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace stagebench {

/// A value and the path that led to it. Valid while its JsonDocument lives.
class JsonValue {
 public:
  JsonValue(simdjson::dom::element element, std::string where) : element_(element), where_(std::move(where)) {}

  bool is_object() const noexcept { return element_.is_object(); }
  bool is_array() const noexcept { return element_.is_array(); }
  bool is_string() const noexcept { return element_.is_string(); }
  bool is_bool() const noexcept { return element_.is_bool(); }
  bool is_integer() const noexcept { return element_.is_int64(); }
  bool is_number() const noexcept { return element_.is_number(); }
  bool is_null() const noexcept { return element_.is_null(); }

  /// The member, or nothing where it is absent or null. Throws InputError where this is not an object.
  std::optional<JsonValue> find(std::string_view key) const;
  /// The member; throws InputError where it is absent.
  JsonValue at(std::string_view key) const;

  // Each throws InputError where the value has another type or does not fit.
  std::string_view as_string() const;
  bool as_bool() const;
  std::int64_t as_int64() const;
  double as_double() const;
  /// For loops over large arrays and objects: simdjson's own view, without path strings.
  simdjson::dom::array as_array() const;
  simdjson::dom::object as_object() const;

  /// Throws InputError with this value's place before `message`.
  [[noreturn]] void fail(std::string_view message) const;
  const std::string& where() const noexcept { return where_; }

 private:
  [[noreturn]] void fail_type(std::string_view expected) const;

  simdjson::dom::element element_;
  std::string where_;
};

class JsonDocument {
 public:
  /// Parses `text`; `name` (a file's path) stands in messages. Throws InputError for anything that is not JSON.
  JsonDocument(std::string_view text, std::string name);
  static JsonDocument from_file(const std::filesystem::path& path);

  JsonValue root() const { return {root_, name_}; }

 private:
  std::string name_;
  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element root_;
};

}  // namespace stagebench
