#pragma once

#include <memory>
#include <utility>

#include "cpu/session.h"
#include "stagebench/contracts/backend.h"

namespace stagebench::cpu {

class CpuLoadedModel final : public LoadedModel {
 public:
  explicit CpuLoadedModel(std::shared_ptr<SharedState> state) : state_(std::move(state)) {}

  const ModelConfig& config() const noexcept override { return state_->weights.config(); }
  DType dtype() const noexcept override { return state_->weights.dtype; }
  DType kv_dtype() const noexcept override { return KvCache::dtype(dtype()); }
  int threads() const noexcept override { return state_->team->size(); }
  std::span<const TensorPlacement> placements() const noexcept override { return state_->weights.placements; }
  std::unique_ptr<Session> new_session(const SessionOptions& options) override;

 private:
  std::shared_ptr<SharedState> state_;
};

/// Throws UsageError where a batch or context makes no sense for this model.
void check_session_options(const ModelConfig& config, const SessionOptions& options);

/// Of a session's own memory; weight_bytes stays 0.
MemoryPlan plan_session(const ModelConfig& config, DType dtype, int threads, const SessionOptions& options);

/// Throws ResourceError where `needed` bytes for `what` are more than the machine has free.
void require_memory(std::uint64_t needed, const char* what);

}  // namespace stagebench::cpu
