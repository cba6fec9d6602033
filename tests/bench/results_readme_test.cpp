#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "stagebench/metrics/metric_table.h"
#include "stagebench/report/environment.h"
#include "stagebench/report/samples_csv.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"

using namespace stagebench;

namespace {

/// The rows of the table under "## heading", without its two lines of header.
std::vector<std::string> table_under(const std::string& heading) {
  const auto text = read_text_file(STAGEBENCH_SOURCE_DIR "/results/README.md");
  const auto section = text.find("\n## " + heading + "\n");
  REQUIRE(section != std::string::npos);
  const auto end = text.find("\n## ", section + 1);
  std::vector<std::string> rows;
  std::string_view rest = std::string_view(text).substr(section, end == std::string::npos ? end : end - section);
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.starts_with("|")) rows.emplace_back(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  REQUIRE(rows.size() > 2);
  rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

std::string table_row(const std::vector<std::string_view>& cells) {
  std::string row = "|";
  for (const auto cell : cells) row += " " + std::string(cell) + " |";
  return row;
}

}  // namespace

TEST_CASE("the README of the results has the columns of samples.csv, word for word") {
  std::vector<std::string> expected;
  for (const auto& column : sample_columns())
    expected.push_back(table_row({column.name, column.unit, column.description}));
  REQUIRE(table_under("samples.csv") == expected);
}

TEST_CASE("the README of the results has the metrics, word for word") {
  std::vector<std::string> expected;
  for (const auto& metric : metric_table) {
    expected.push_back(table_row({metric.name, metric.unit, metric.formula, metric.source}));
  }
  REQUIRE(table_under("Metrics") == expected);
}

TEST_CASE("the README of the results has the keys of environment.json") {
  const auto json = nlohmann::ordered_json::parse(environment_json({}));
  const auto rows = table_under("environment.json");
  REQUIRE(rows.size() == json.size());
  std::size_t i = 0;
  for (const auto& [key, value] : json.items()) {
    INFO(key);
    REQUIRE(rows[i++].starts_with("| " + key + " | "));
  }
}
