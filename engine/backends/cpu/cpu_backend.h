#pragma once

#include "stagebench/contracts/backend.h"

namespace stagebench::cpu {

/// Threads that a model can be loaded with; more is a typing error.
inline constexpr int kMaxThreads = 1024;
/// Sequences of a session.
inline constexpr std::int64_t kMaxBatch = 65536;

class CpuBackend final : public Backend {
 public:
  std::string_view name() const noexcept override { return "cpu"; }
  std::string device() const override;
  DType default_dtype() const noexcept override;
  int default_threads() const noexcept override;
  std::uint64_t available_memory_bytes() const override;
  MemoryPlan plan(const Model& model, const LoadOptions& load, const SessionOptions& session) const override;
  std::unique_ptr<LoadedModel> load(std::shared_ptr<const Model> model, const LoadOptions& options) override;
  Ceilings measure_ceilings(DType dtype, int threads) override;
};

}  // namespace stagebench::cpu
