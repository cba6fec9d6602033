#pragma once

/// The transformer's forward pass on a thread team: one ThreadTeam::run a pass, every member in step through the same
/// ops on its own rows, heads or output columns, with a barrier where one op needs what another member wrote.

#include <atomic>
#include <cstdint>
#include <span>

#include "cpu/aligned_buffer.h"
#include "cpu/attention.h"
#include "cpu/kv_cache.h"
#include "cpu/rope.h"
#include "cpu/scratch.h"
#include "cpu/thread_team.h"
#include "cpu/weights.h"
#include "stagebench/contracts/token.h"

namespace stagebench::cpu {

/// `tokens` new tokens in each sequence, behind `depth` that are in the KV cache.
struct Pass {
  const TokenId* ids = nullptr;  ///< of sequence 0; sequence s begins at ids + s * ids_stride
  std::int64_t ids_stride = 0;
  std::int64_t tokens = 0;
  std::int64_t depth = 0;
  bool wants_logits = true;  ///< of the last token of each sequence
};

class ForwardPass {
 public:
  /// Allocates and touches scratch memory, and prepares the matrix products of every size that can come.
  /// `rope` is nullptr for gpt2. All outlive this.
  ForwardPass(Weights& weights, ThreadTeam& team, const RopeTable* rope, KvCache& cache, std::int64_t batch,
              std::int64_t capacity);

  /// Tokens of a sequence that one pass takes at most.
  std::int64_t max_tokens() const noexcept { return layout_.pass_tokens; }
  /// Fills the KV cache at [depth, depth + tokens) and, where wanted, logits(). Does not allocate.
  void run(const Pass& pass);
  std::span<const float> logits() const noexcept;  ///< [batch][vocab_size]

 private:
  struct Rows;

  void forward(int member);
  void embed(const Rows& rows) const;
  void add_and_norm(const Rows& rows, const float* addend, const NormWeights& norm) const;
  void activate(const Rows& rows) const;
  void store_keys_and_values(const Rows& rows, std::int64_t layer);
  void attend_all(const Rows& rows, std::int64_t layer);
  void attend_task(const Rows& rows, std::int64_t layer, std::int64_t task);
  void attend_last(const Rows& rows, std::int64_t layer);
  void compute_logits(const Rows& rows) const;

  Rows rows_of_pass(int member) const;
  Rows last_rows(int member) const;
  void synchronise(const Rows& rows) const;
  void store_position(int member, std::int64_t layer, std::int64_t sequence, std::int64_t kv_head,
                      std::int64_t token) const;
  void turn_and_scale(const float* head, std::int64_t position, float scale, float* out) const;
  const float* qkv_row(std::int64_t sequence, std::int64_t token) const;
  float* shared(std::int64_t offset) const noexcept { return reinterpret_cast<float*>(scratch_.data()) + offset; }
  float* own(int member, std::int64_t offset) const noexcept {
    return shared(layout_.member_base + member * layout_.member_stride + offset);
  }

  Weights& weights_;
  const ModelConfig& config_;
  ThreadTeam& team_;
  const RopeTable* rope_;
  KvCache& cache_;
  std::int64_t batch_;
  ScratchLayout layout_;
  AlignedBuffer scratch_;
  Pass pass_;
  std::atomic<std::int64_t> next_task_{0};
};

}  // namespace stagebench::cpu
