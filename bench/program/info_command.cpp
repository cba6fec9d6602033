#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "engine_flags.h"
#include "model_layout.h"
#include "stagebench/backends/registry.h"
#include "stagebench/model/cost_model.h"
#include "stagebench/model/model_profile.h"
#include "stagebench/report/human_units.h"

namespace stagebench {
namespace {

struct InfoFlags {
  EngineFlags engine;
  std::string model;
};

void print_ceilings(Backend& backend, int threads) {
  fmt::print("\nMeasured now on {} thread{}, the best of several passes:\n", threads, threads == 1 ? "" : "s");
  for (const auto dtype : {DType::f32, DType::bf16, DType::f16}) {
    const auto ceilings = backend.measure_ceilings(dtype, threads);
    if (dtype == DType::f32)
      fmt::print("  {:<22}{:>10.1f} GB/s\n", "memory, streaming reads", ceilings.read_bytes_per_s / 1e9);
    fmt::print("  {:<22}{:>10.1f} GFLOP/s\n", fmt::format("matrix product, {}", name(dtype)),
               ceilings.flops_per_s / 1e9);
  }
}

void print_models() {
  fmt::print("\nModels (--model NAME, or a Hugging Face folder or a GGUF file):\n");
  for (const auto& profile : read_model_profiles(profiles_folder() / "models")) {
    fmt::print("  {:<20}{}\n", profile.name, profile.description);
  }
}

void print_machine(const EngineFlags& flags) {
  fmt::print("stagebench {}\n\nBackends:\n", STAGEBENCH_VERSION);
  for (const auto& backend_name : backend_names()) {
    fmt::print("  {:<10}{}\n", backend_name, make_backend(backend_name)->device());
  }
  const auto backend = make_backend(flags.backend);
  const int threads = flags.threads > 0 ? flags.threads : backend->default_threads();
  fmt::print("\n  {} is used by default, with {} weights and {} thread{}; {} are free for models.\n", backend->name(),
             name(backend->default_dtype()), threads, threads == 1 ? "" : "s",
             human_bytes(backend->available_memory_bytes()));
  print_ceilings(*backend, threads);
  print_models();
}

}  // namespace

void add_info_command(CLI::App& program) {
  auto* command = program.add_subcommand(
      "info", "Shows backends, machine, measured limits and models; with --model, a model's layout in memory");
  auto flags = std::make_shared<InfoFlags>();
  command->add_option("-m,--model", flags->model, "A profile's name, a Hugging Face folder or a GGUF file");
  add_engine_flags(*command, flags->engine);
  command->callback([flags] {
    if (flags->model.empty()) {
      print_machine(flags->engine);
    } else {
      print_model_layout(flags->model, flags->engine);
    }
  });
}

}  // namespace stagebench
