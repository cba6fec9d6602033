#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "program_process.h"
#include "stagebench/support/json.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using stagebench::test::run_program;
using stagebench::test::TemporaryFolder;

namespace {

const std::string tiny = STAGEBENCH_TEST_DATA "/models/tiny-llama-botchan";

/// The rows of a samples.csv without quotes in it, by column name.
std::vector<std::map<std::string, std::string>> read_rows(const std::filesystem::path& file) {
  std::istringstream stream(read_text_file(file));
  const auto split = [](std::string line) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    return fields;
  };
  std::string line;
  std::getline(stream, line);
  const auto columns = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(stream, line)) {
    const auto fields = split(line);
    REQUIRE(fields.size() == columns.size());
    for (auto& row = rows.emplace_back(); const auto& column : columns) {
      row[column] = fields[row.size()];
    }
  }
  return rows;
}

std::filesystem::path only_entry(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) entries.push_back(entry.path());
  REQUIRE(entries.size() == 1);
  return entries.front();
}

}  // namespace

TEST_CASE("text goes to stdout and the stage table to stderr") {
  const auto result = run_program({"generate", "--model", tiny, "--dtype", "f32", "--max-new-tokens", "16",
                                   "The future of AI systems engineering is"});
  REQUIRE(result.exit_code == 0);
  REQUIRE(result.out == " made in silence for about twenty one, but then they think about it b\n");
  for (const auto* word : {"load", "tokenize", "prefill", "decode_step", "sample", "detokenize", "residual",
                           "end-to-end", "TTFT", "TPOT", "median", "p99", "tokens/s", "GB/s"}) {
    INFO("expected word: " << word);
    REQUIRE(result.err.find(word) != std::string::npos);
  }
}

TEST_CASE("the stages and the residual of every samples.csv sum to end-to-end") {
  const TemporaryFolder folder;
  const auto result = run_program({"generate", "--model", tiny, "--max-new-tokens", "12", "--ignore-eos", "--batch",
                                   "2", "--out", folder.path().string(), "Red Shirt"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto run = only_entry(folder.path());
  long long stages = 0;
  long long end_to_end = 0;
  std::map<std::string, int> counts;
  for (auto& row : read_rows(run / "samples.csv")) {
    const auto stage = row.at("stage");
    ++counts[stage];
    REQUIRE(row.at("status") == "ok");
    REQUIRE(row.at("device_ns").empty());
    REQUIRE(row.at("run_id") == run.filename().string());
    if (stage == "end_to_end") {
      end_to_end += std::stoll(row.at("host_ns"));
    } else if (stage != "load") {
      stages += std::stoll(row.at("host_ns"));
    }
  }
  REQUIRE(stages == end_to_end);
  REQUIRE(counts == std::map<std::string, int>{{"load", 1},
                                               {"tokenize", 1},
                                               {"prefill", 1},
                                               {"sample", 12},
                                               {"decode_step", 11},
                                               {"detokenize", 12},
                                               {"residual", 1},
                                               {"end_to_end", 1}});
  const auto environment = JsonDocument::from_file(run / "environment.json");
  REQUIRE(environment.root().is_object());
}

TEST_CASE("a seed gives the same text again, whatever the number of threads") {
  const auto text = [](const char* seed, const char* threads) {
    return run_program({"generate", "--model", tiny, "--dtype", "f32", "--threads", threads, "--do-sample", "--top-k",
                        "0", "--top-p", "1", "--seed", seed, "--max-new-tokens", "24", "Red Shirt"})
        .out;
  };
  REQUIRE(text("5", "1") == text("5", "2"));
  REQUIRE(text("5", "1") != text("6", "1"));
}

TEST_CASE("a flag that changes nothing is pointed out") {
  const auto result =
      run_program({"generate", "--model", tiny, "--max-new-tokens", "2", "--top-p", "0.5", "Red Shirt"});
  REQUIRE(result.exit_code == 0);
  REQUIRE(result.err.find("--top-p has no effect without --do-sample") != std::string::npos);
}

TEST_CASE("each command has help, and no command is wrong usage") {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"generate", "--help"}, {"info", "--help"}}) {
    const auto result = run_program(arguments);
    REQUIRE(result.exit_code == 0);
    REQUIRE(result.out.find("Usage") != std::string::npos);
  }
  REQUIRE(run_program({}).exit_code == 2);
  REQUIRE(run_program({"generate", "--no-such-flag"}).exit_code == 2);
}
