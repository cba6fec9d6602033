#include "stagebench/report/environment.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <string>

#include "stagebench/contracts/error.h"
#include "stagebench/report/build_info.h"
#include "stagebench/support/json.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using stagebench::test::TemporaryFolder;

namespace {

RunEnvironment environment() {
  RunEnvironment environment;
  environment.run_id = "20261201T150000Z-ab12";
  environment.started = std::chrono::system_clock::from_time_t(1796137200);  // date -u -d @1796137200
  environment.command_line = {"stagebench", "generate", "--prompt", "say \"hi\"\n\\ \x01 µ \xFF"};
  environment.machine.cpu_model = "AMD EPYC 9B45";
  environment.machine.usable_cpus = 2;
  environment.machine.memory_bytes = 25276502016;
  environment.engine = {.engine = "reference",
                        .backend = "cpu",
                        .device = "CPU with AVX2",
                        .model_source = "m.gguf",
                        .dtype = DType::bf16,
                        .threads = 2};
  environment.model = {.source = "m.gguf", .files = {{"m.gguf", 3, "ba78"}}, .scheme = "sha256", .digest = "ba78"};
  environment.ceilings = Ceilings{.threads = 2, .dtype = DType::bf16, .read_bytes_per_s = 45.5e9, .flops_per_s = 9e11};
  environment.scope_overhead = RealNanoseconds(48.5);
  return environment;
}

}  // namespace

TEST_CASE("environment.json holds what was given, as two other readers read it") {
  const auto text = environment_json(environment());
  const auto json = nlohmann::json::parse(text);
  REQUIRE(json["schema"] == 1);
  REQUIRE(json["run_id"] == "20261201T150000Z-ab12");
  REQUIRE(json["started_utc"] == "2026-12-01T15:00:00Z");
  REQUIRE(json["machine"]["cpu_model"] == "AMD EPYC 9B45");
  REQUIRE(json["machine"]["memory_bytes"] == 25276502016);
  REQUIRE(json["engine"]["dtype"] == "bf16");
  REQUIRE(json["engine"]["threads"] == 2);
  REQUIRE(json["model"]["digest"] == "ba78");
  REQUIRE(json["model"]["files"][0]["bytes"] == 3);
  REQUIRE(json["ceilings"]["read_bytes_per_s"] == 45.5e9);
  REQUIRE(json["scope_overhead_ns"] == 48.5);
  const JsonDocument document(text, "environment.json");
  const auto arguments = document.root().at("command_line").as_array();
  REQUIRE(std::string(std::string_view(arguments.at(3))) == "say \"hi\"\n\\ \x01 µ \xEF\xBF\xBD");
}

TEST_CASE("what is absent is null") {
  const auto json = nlohmann::json::parse(environment_json({}));
  REQUIRE(json["ceilings"].is_null());
  REQUIRE(json["model"]["digest"].is_null());
  REQUIRE(json["machine"]["cpu_model"].is_null());
  for (const auto* key : {"gpu", "gpu_driver", "cuda"}) {
    REQUIRE(json["machine"].contains(key));
    REQUIRE(json["machine"][key].is_null());
  }
}

TEST_CASE("the build is named") {
  const auto& build = build_info();
  REQUIRE(!build.version.empty());
  REQUIRE(build.compiler.find(' ') != std::string_view::npos);
  REQUIRE(build.flags.find("-O") != std::string_view::npos);
  REQUIRE(build.commit.has_value() == build.modified.has_value());
  if (build.commit) REQUIRE(build.commit->size() == 40);
  for (const auto& library : build.libraries) {
    INFO(library.name);
    REQUIRE(library.version.find('.') != std::string_view::npos);
  }
}

TEST_CASE("environment.json is written whole or not at all") {
  const TemporaryFolder folder;
  write_environment(folder.path() / "environment.json", environment());
  REQUIRE(read_text_file(folder.path() / "environment.json") == environment_json(environment()));
  REQUIRE_THROWS_SAYING(write_environment(folder.path() / "none" / "environment.json", environment()), ResourceError,
                        "environment.json");
}
