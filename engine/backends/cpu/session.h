#pragma once

#include <memory>

#include "cpu/forward_pass.h"
#include "cpu/kv_cache.h"
#include "cpu/rope.h"
#include "cpu/thread_team.h"
#include "cpu/weights.h"
#include "stagebench/contracts/backend.h"

namespace stagebench::cpu {

/// What a loaded model and its sessions share; it lives as long as any of them.
struct SharedState {
  std::unique_ptr<ThreadTeam> team;
  Weights weights;
  std::shared_ptr<const RopeTable> rope;  ///< nullptr for gpt2 and before the first session
};

class CpuSession final : public Session {
 public:
  /// `options` were checked.
  CpuSession(std::shared_ptr<SharedState> state, const SessionOptions& options);

  std::int64_t batch() const noexcept override { return options_.batch; }
  std::int64_t capacity() const noexcept override { return options_.context_tokens; }
  std::int64_t depth() const noexcept override { return depth_; }
  void prefill(std::span<const TokenId> ids) override;
  void decode_step(std::span<const TokenId> ids) override;
  std::span<const float> logits() override { return forward_.logits(); }
  void reset() noexcept override { depth_ = 0; }

 private:
  void append(std::span<const TokenId> ids);

  std::shared_ptr<SharedState> state_;
  std::shared_ptr<const RopeTable> rope_;
  SessionOptions options_;
  KvCache cache_;
  ForwardPass forward_;
  std::int64_t depth_ = 0;
};

}  // namespace stagebench::cpu
