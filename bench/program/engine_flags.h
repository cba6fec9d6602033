#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "stagebench/generation/reference_engine.h"

namespace stagebench {

/// The flags that say which engine runs what, the same in every command.
struct EngineFlags {
  std::string backend = "auto";
  std::string dtype;
  int threads = 0;
};

void add_engine_flags(CLI::App& command, EngineFlags& flags);

/// Throws UsageError for a dtype that does not exist.
LoadOptions load_options(const EngineFlags& flags);

/// profiles/ of this checkout, or $STAGEBENCH_PROFILES where that is set.
std::filesystem::path profiles_folder();

}  // namespace stagebench
