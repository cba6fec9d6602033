#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/engine.h"
#include "stagebench/report/machine.h"
#include "stagebench/report/model_identity.h"
#include "stagebench/statistics/duration_summary.h"

namespace stagebench {

/// What a run's numbers depend on; with build_info() the content of environment.json.
struct RunEnvironment {
  std::string run_id;
  std::chrono::system_clock::time_point started;
  std::vector<std::string> command_line;
  Machine machine;
  EngineInfo engine;
  ModelIdentity model;
  std::optional<Ceilings> ceilings;
  RealNanoseconds scope_overhead{};
};

/// JSON, UTF-8, indented; what is absent is null. results/README.md says what each key means.
std::string environment_json(const RunEnvironment& environment);

/// Throws ResourceError where it cannot be written; there is no partial file then.
void write_environment(const std::filesystem::path& path, const RunEnvironment& environment);

}  // namespace stagebench
