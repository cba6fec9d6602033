#include "cpu/loaded_model.h"

#include <fmt/format.h>

#include "cpu/checked_size.h"
#include "cpu/cpu_backend.h"
#include "cpu/machine.h"
#include "cpu/scratch.h"
#include "stagebench/contracts/error.h"

namespace stagebench::cpu {

void check_session_options(const ModelConfig& config, const SessionOptions& options) {
  if (options.batch < 1 || options.batch > kMaxBatch) {
    throw UsageError(fmt::format("batch: expected 1 to {} sequences, found {}", kMaxBatch, options.batch));
  }
  if (options.context_tokens < 1 || options.context_tokens > config.max_context) {
    throw UsageError(fmt::format("context: expected 1 to {} tokens, the most that {} was made for, found {}",
                                 config.max_context, config.name, options.context_tokens));
  }
}

MemoryPlan plan_session(const ModelConfig& config, DType dtype, int threads, const SessionOptions& options) {
  MemoryPlan plan;
  plan.kv_cache_bytes = KvCache::bytes(config, dtype, options.batch, options.context_tokens);
  const std::uint64_t rope_bytes =
      config.architecture == Architecture::llama ? RopeTable::bytes(config.head_dim, options.context_tokens) : 0;
  plan.scratch_bytes =
      saturating_sum({ScratchLayout(config, threads, options.batch, options.context_tokens).bytes(), rope_bytes});
  return plan;
}

void require_memory(std::uint64_t needed, const char* what) {
  const std::uint64_t available = available_memory_bytes();
  if (needed <= available) return;
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  throw ResourceError(fmt::format("{} need {:.2f} GiB ({} bytes), available are {:.2f} GiB ({} bytes)", what,
                                  static_cast<double>(needed) / kGib, needed, static_cast<double>(available) / kGib,
                                  available));
}

std::unique_ptr<Session> CpuLoadedModel::new_session(const SessionOptions& options) {
  check_session_options(config(), options);
  const MemoryPlan plan = plan_session(config(), dtype(), threads(), options);
  require_memory(saturating_sum({plan.kv_cache_bytes, plan.scratch_bytes}), "KV cache and scratch memory");
  return std::make_unique<CpuSession>(state_, options);
}

}  // namespace stagebench::cpu
