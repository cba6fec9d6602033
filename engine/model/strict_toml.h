#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace stagebench {

/// A table of a TOML file that people write, read strictly: errors name file and line, e.g.
/// "profiles/models/a.toml:7: shape.n_heads: expected a whole number, found a string". They are InputErrors.
class StrictTable {
 public:
  /// `file` and `table` outlive it.
  StrictTable(const std::filesystem::path& file, const toml::table& table, std::string prefix);

  /// Refuses any key but these.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  // The value; nothing where the key is absent. Another type is refused.
  std::optional<std::string> find_string(std::string_view key) const;
  std::optional<std::int64_t> find_integer(std::string_view key) const;
  std::optional<double> find_number(std::string_view key) const;
  std::optional<bool> find_flag(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view key) const;
  std::optional<StrictTable> find_table(std::string_view key) const;

  // The value; an absent key is refused.
  std::string string(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  bool flag(std::string_view key) const;

  bool contains(std::string_view key) const { return table_->contains(key); }
  /// Throws with the place of `key`, or of the table where it is absent.
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;
  /// Throws with the place of the table itself.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  [[noreturn]] void fail_missing(std::string_view key, std::string_view expected) const;
  [[noreturn]] void fail_type(std::string_view key, std::string_view expected) const;

  const std::filesystem::path* file_;
  const toml::table* table_;
  std::string prefix_;  // "shape." before its keys
};

/// Parses a TOML file. Throws InputError with file, line and what the parser says.
toml::table parse_toml_file(const std::filesystem::path& file);

}  // namespace stagebench
