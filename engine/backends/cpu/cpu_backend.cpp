#include "cpu/cpu_backend.h"

#include <utility>

#include <fmt/format.h>

#include "cpu/ceilings.h"
#include "cpu/loaded_model.h"
#include "cpu/machine.h"
#include "cpu/weights.h"
#include "stagebench/contracts/error.h"
#include "stagebench/instrument/nvtx_ranges.h"

namespace stagebench::cpu {
namespace {

DType checked_dtype(DType dtype) {
  if (dtype != DType::f32 && dtype != DType::bf16 && dtype != DType::f16) {
    throw UsageError(
        fmt::format("dtype: the cpu backend computes in f32, bf16 or f16, found {}", stagebench::name(dtype)));
  }
  return dtype;
}

int checked_threads(int threads, int default_threads) {
  if (threads < 0 || threads > kMaxThreads) {
    throw UsageError(
        fmt::format("threads: expected 1 to {}, or 0 for all usable CPUs, found {}", kMaxThreads, threads));
  }
  return threads == 0 ? default_threads : threads;
}

}  // namespace

std::string CpuBackend::device() const {
  const CpuDescription cpu = describe_this_cpu();
  return cpu.instruction_sets.empty() ? cpu.model : fmt::format("{} ({})", cpu.model, cpu.instruction_sets);
}

DType CpuBackend::default_dtype() const noexcept {
  return describe_this_cpu().multiplies_bf16 ? DType::bf16 : DType::f32;
}

int CpuBackend::default_threads() const noexcept {
  return usable_cpus();
}

std::uint64_t CpuBackend::available_memory_bytes() const {
  return cpu::available_memory_bytes();
}

MemoryPlan CpuBackend::plan(const Model& model, const LoadOptions& load, const SessionOptions& session) const {
  const DType dtype = checked_dtype(load.dtype.value_or(default_dtype()));
  const int threads = checked_threads(load.threads, default_threads());
  check_session_options(model.config(), session);
  MemoryPlan plan = plan_session(model.config(), dtype, threads, session);
  plan.weight_bytes = weight_bytes(model, dtype);
  return plan;
}

std::unique_ptr<LoadedModel> CpuBackend::load(std::shared_ptr<const Model> model, const LoadOptions& options) {
  const DType dtype = checked_dtype(options.dtype.value_or(default_dtype()));
  const int threads = checked_threads(options.threads, default_threads());
  const std::uint64_t bytes = weight_bytes(*model, dtype);
  require_memory(bytes, "the model's weights");
  auto state = std::make_shared<SharedState>();
  state->team = std::make_unique<ThreadTeam>(threads);
  const RangeScope range(stagebench::Range::convert, bytes);
  state->weights = load_weights(std::move(model), dtype, *state->team);
  return std::make_unique<CpuLoadedModel>(std::move(state));
}

Ceilings CpuBackend::measure_ceilings(DType dtype, int threads) {
  ThreadTeam team(checked_threads(threads, default_threads()));
  return cpu::measure_ceilings(checked_dtype(dtype), team);
}

}  // namespace stagebench::cpu
