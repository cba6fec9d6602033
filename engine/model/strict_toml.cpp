#include "strict_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"

namespace stagebench {
namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a fraction";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

}  // namespace

StrictTable::StrictTable(const std::filesystem::path& file, const toml::table& table, std::string prefix)
    : file_(&file), table_(&table), prefix_(std::move(prefix)) {}

void StrictTable::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, node] : *table_) {
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
      fail(key.str(), fmt::format("expected one of the keys {}, found an unknown one", fmt::join(keys, ", ")));
    }
  }
}

std::optional<std::string> StrictTable::find_string(std::string_view key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) fail_type(key, "a string");
  return node->as_string()->get();
}

std::optional<std::int64_t> StrictTable::find_integer(std::string_view key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_integer()) fail_type(key, "a whole number");
  return node->as_integer()->get();
}

std::optional<double> StrictTable::find_number(std::string_view key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_number()) fail_type(key, "a number");
  return node->value<double>();
}

std::optional<bool> StrictTable::find_flag(std::string_view key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) fail_type(key, "true or false");
  return node->as_boolean()->get();
}

std::optional<std::vector<std::int64_t>> StrictTable::find_integers(std::string_view key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* array = node->as_array();
  if (array == nullptr) fail_type(key, "an array of whole numbers");
  std::vector<std::int64_t> values;
  for (const toml::node& element : *array) {
    if (!element.is_integer()) {
      fail(key, fmt::format("expected an array of whole numbers, found {} in it", type_name(element)));
    }
    values.push_back(element.as_integer()->get());
  }
  return values;
}

std::optional<StrictTable> StrictTable::find_table(std::string_view key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) fail_type(key, "a table");
  return StrictTable(*file_, *node->as_table(), fmt::format("{}{}.", prefix_, key));
}

std::string StrictTable::string(std::string_view key) const {
  auto value = find_string(key);
  if (!value) fail_missing(key, "a string");
  return *std::move(value);
}

std::int64_t StrictTable::integer(std::string_view key) const {
  const auto value = find_integer(key);
  if (!value) fail_missing(key, "a whole number");
  return *value;
}

double StrictTable::number(std::string_view key) const {
  const auto value = find_number(key);
  if (!value) fail_missing(key, "a number");
  return *value;
}

bool StrictTable::flag(std::string_view key) const {
  const auto value = find_flag(key);
  if (!value) fail_missing(key, "true or false");
  return *value;
}

void StrictTable::fail(std::string_view key, std::string_view message) const {
  const auto found = table_->find(key);
  const auto line = found == table_->end() ? table_->source().begin.line : found->first.source().begin.line;
  throw InputError(fmt::format("{}:{}: {}{}: {}", file_->string(), line, prefix_, key, message));
}

void StrictTable::fail(std::string_view message) const {
  const std::string_view table_name = std::string_view(prefix_).substr(0, prefix_.empty() ? 0 : prefix_.size() - 1);
  throw InputError(fmt::format("{}:{}: {}{}{}", file_->string(), table_->source().begin.line, table_name,
                               table_name.empty() ? "" : ": ", message));
}

void StrictTable::fail_missing(std::string_view key, std::string_view expected) const {
  fail(key, fmt::format("expected {}, found no such key", expected));
}

void StrictTable::fail_type(std::string_view key, std::string_view expected) const {
  fail(key, fmt::format("expected {}, found {}", expected, type_name(*table_->get(key))));
}

toml::table parse_toml_file(const std::filesystem::path& file) {
  try {
    return toml::parse(read_text_file(file), file.string());
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: expected TOML, found something else: {}", file.string(),
                                 error.source().begin.line, error.description()));
  }
}

}  // namespace stagebench
