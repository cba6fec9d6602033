#include "engine_flags.h"

#include <fmt/format.h>

#include <cstdlib>

#include "stagebench/contracts/error.h"

namespace stagebench {

void add_engine_flags(CLI::App& command, EngineFlags& flags) {
  command.add_option("--backend", flags.backend, "Where to compute: auto or cpu")->capture_default_str();
  command.add_option("--dtype", flags.dtype,
                     "Type of the weights in memory: f32, bf16 or f16 [what the machine does best]");
  command.add_option("--threads", flags.threads, "[as many as there are usable CPUs]")->check(CLI::PositiveNumber);
}

LoadOptions load_options(const EngineFlags& flags) {
  LoadOptions options{.dtype = std::nullopt, .threads = flags.threads};
  if (flags.dtype.empty()) return options;
  options.dtype = dtype_from_name(flags.dtype);
  if (!options.dtype) {
    throw UsageError(fmt::format("--dtype: expected f32, bf16 or f16, found \"{}\"", flags.dtype));
  }
  return options;
}

std::filesystem::path profiles_folder() {
  if (const char* folder = std::getenv("STAGEBENCH_PROFILES"); folder != nullptr && *folder != '\0') return folder;
  return STAGEBENCH_PROFILES;
}

}  // namespace stagebench
