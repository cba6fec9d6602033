#include "stagebench/support/json.h"

#include <utility>

#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"

namespace stagebench {
namespace {

std::string_view type_name(simdjson::dom::element element) {
  switch (element.type()) {
    case simdjson::dom::element_type::ARRAY: return "an array";
    case simdjson::dom::element_type::OBJECT: return "an object";
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
    case simdjson::dom::element_type::DOUBLE: return "a number";
    case simdjson::dom::element_type::STRING: return "a string";
    case simdjson::dom::element_type::BOOL: return "true or false";
    case simdjson::dom::element_type::NULL_VALUE: return "null";
  }
  return "something else";
}

}  // namespace

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  simdjson::dom::element member;
  if (as_object().at_key(key).get(member) != simdjson::SUCCESS || member.is_null()) return std::nullopt;
  return JsonValue(member, where_ + (where_.find(": ") == std::string::npos ? ": " : ".") + std::string(key));
}

JsonValue JsonValue::at(std::string_view key) const {
  auto member = find(key);
  if (!member) fail("expected a member \"" + std::string(key) + "\", found none");
  return *std::move(member);
}

std::string_view JsonValue::as_string() const {
  std::string_view value;
  if (element_.get(value) != simdjson::SUCCESS) fail_type("a string");
  return value;
}

bool JsonValue::as_bool() const {
  bool value = false;
  if (element_.get(value) != simdjson::SUCCESS) fail_type("true or false");
  return value;
}

std::int64_t JsonValue::as_int64() const {
  std::int64_t value = 0;
  if (element_.get(value) != simdjson::SUCCESS) fail_type("a whole number of 64 bits");
  return value;
}

double JsonValue::as_double() const {
  double value = 0;
  if (element_.get(value) != simdjson::SUCCESS) fail_type("a number");
  return value;
}

simdjson::dom::array JsonValue::as_array() const {
  simdjson::dom::array value;
  if (element_.get(value) != simdjson::SUCCESS) fail_type("an array");
  return value;
}

simdjson::dom::object JsonValue::as_object() const {
  simdjson::dom::object value;
  if (element_.get(value) != simdjson::SUCCESS) fail_type("an object");
  return value;
}

void JsonValue::fail(std::string_view message) const {
  throw InputError(where_ + ": " + std::string(message));
}

void JsonValue::fail_type(std::string_view expected) const {
  fail("expected " + std::string(expected) + ", found " + std::string(type_name(element_)));
}

JsonDocument::JsonDocument(std::string_view text, std::string name)
    : name_(std::move(name)), parser_(std::make_unique<simdjson::dom::parser>()) {
  const auto error = parser_->parse(simdjson::padded_string(text)).get(root_);
  if (error != simdjson::SUCCESS) {
    throw InputError(name_ + ": expected JSON, found something else: " + simdjson::error_message(error));
  }
}

JsonDocument JsonDocument::from_file(const std::filesystem::path& path) {
  return JsonDocument(read_text_file(path), path.string());
}

}  // namespace stagebench
