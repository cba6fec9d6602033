#include "model_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "stagebench/backends/registry.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/cost_model.h"
#include "stagebench/model/model_profile.h"
#include "stagebench/report/human_units.h"

namespace stagebench {
namespace {

/// 68976648192 -> "68,976,648,192"
std::string grouped(std::int64_t number) {
  auto digits = fmt::format("{}", number);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

void print_shape(const Model& model) {
  const auto& config = model.config();
  fmt::print("{}\n  from {}\n", config.name, model.source());
  fmt::print(
      "  {}: {} parameters, {} layers, hidden {}, {} heads of {} ({} for keys and values), intermediate {}, "
      "vocabulary {}, context {}, output {}\n",
      name(config.architecture), grouped(parameter_count(config)), config.n_layers, config.hidden_size, config.n_heads,
      config.head_dim, config.n_kv_heads, config.intermediate_size, config.vocab_size, config.max_context,
      config.tied_embeddings ? "tied to the embedding" : "of its own");
}

void print_memory_plan(const Backend& backend, const Model& model, const LoadOptions& options) {
  std::vector<std::int64_t> contexts;
  for (const std::int64_t context : {512, 2048, 8192, 32768, 131072}) {
    if (context < model.config().max_context) contexts.push_back(context);
  }
  contexts.push_back(model.config().max_context);
  fmt::print("\nMemory by context, one sequence ({} are free):\n  {:>8}  {:>12}  {:>12}  {:>12}  {:>12}\n",
             human_bytes(backend.available_memory_bytes()), "context", "weights", "KV cache", "scratch", "total");
  for (const auto context : contexts) {
    const auto plan = backend.plan(model, options, {.batch = 1, .context_tokens = context});
    fmt::print("  {:>8}  {:>12}  {:>12}  {:>12}  {:>12}\n", context, human_bytes(plan.weight_bytes),
               human_bytes(plan.kv_cache_bytes), human_bytes(plan.scratch_bytes), human_bytes(plan.total()));
  }
}

std::size_t name_width(const Model& model) {
  std::size_t width = 6;
  for (const auto& tensor : model.tensors()) width = std::max(width, tensor.source_name.size());
  return width;
}

void print_stored(const TensorInfo& tensor, std::size_t width) {
  fmt::print("  {:<{}}  {:>16}  {:>5}  {:>10}  {:>14}", tensor.source_name, width,
             fmt::format("{} x {}", tensor.rows, tensor.columns), name(tensor.dtype), human_bytes(tensor.stored_bytes),
             tensor.file_offset);
}

void print_header(std::size_t width) {
  fmt::print("\n  {:<{}}  {:>16}  {:>5}  {:>10}  {:>14}  {:>9}  {:>9}  {:>10}  {:>9}\n", "tensor", width,
             "rows x columns", "file", "bytes", "offset", "in memory", "came by", "bytes", "took");
}

void print_placements(const LoadedModel& loaded, std::size_t width) {
  struct Sum {
    std::uint64_t tensors = 0;
    std::uint64_t bytes = 0;
    std::chrono::nanoseconds duration{};
  };
  std::map<Placement, Sum> sums;
  print_header(width);
  for (const auto& placement : loaded.placements()) {
    print_stored(*placement.tensor, width);
    fmt::print("  {:>9}  {:>9}  {:>10}  {:>9}\n", name(placement.dtype), name(placement.placement),
               human_bytes(placement.bytes), human_duration(placement.duration));
    auto& sum = sums[placement.placement];
    ++sum.tensors;
    sum.bytes += placement.bytes;
    sum.duration += placement.duration;
  }
  fmt::print("\n");
  for (const auto& [placement, sum] : sums) {
    fmt::print("  {:<10}{:>5} tensors  {:>10}  {:>9}\n", name(placement), sum.tensors, human_bytes(sum.bytes),
               human_duration(sum.duration));
  }
}

void print_plan_only(const Model& model, std::size_t width) {
  fmt::print("\n  {:<{}}  {:>16}  {:>5}  {:>10}  {:>14}\n", "tensor", width, "rows x columns", "file", "bytes",
             "offset");
  for (const auto& tensor : model.tensors()) {
    print_stored(tensor, width);
    fmt::print("\n");
  }
}

}  // namespace

void print_model_layout(const std::string& model_name, const EngineFlags& flags) {
  const auto backend = make_backend(flags.backend);
  const auto options = load_options(flags);
  const auto model = resolve_model(model_name, profiles_folder() / "models");
  const auto width = name_width(*model);
  print_shape(*model);
  print_memory_plan(*backend, *model, options);
  try {
    const auto loaded = backend->load(model, options);
    print_placements(*loaded, width);
  } catch (const ResourceError& error) {
    print_plan_only(*model, width);
    fmt::print("\n  not loaded: {}\n", error.what());
  }
}

}  // namespace stagebench
