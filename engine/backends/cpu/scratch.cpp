#include "cpu/scratch.h"

#include <algorithm>
#include <numeric>

#include "cpu/attention.h"

namespace stagebench::cpu {
namespace {

/// Hands out regions one behind the other.
class Cutter {
 public:
  std::int64_t cut(std::int64_t floats) noexcept {
    const std::int64_t begin = end_;
    end_ += round_up(floats, kCacheLineFloats);
    return begin;
  }
  std::int64_t end() const noexcept { return end_; }

 private:
  static constexpr std::int64_t kCacheLineFloats = 16;
  std::int64_t end_ = 0;
};

/// Enough rows that keys and values, read once for all of them, cost little; few enough that their scores stay in L2.
std::int64_t positions_of_task(std::int64_t group) noexcept {
  constexpr std::int64_t kTaskRows = 96;
  return std::clamp<std::int64_t>(kTaskRows / group, 8, 64);
}

/// With many heads whole ones are shared out evenly enough; with few, each is cut so that all members get the same.
std::int64_t parts_of_context(std::int64_t heads, std::int64_t members) noexcept {
  constexpr std::int64_t kManyHeads = 8;
  return heads >= kManyHeads * members ? 1 : members / std::gcd(heads, members);
}

}  // namespace

ScratchLayout::ScratchLayout(const ModelConfig& config, int members, std::int64_t batch, std::int64_t capacity)
    : pass_tokens(std::clamp<std::int64_t>(kMaxPassRows / batch, 1, capacity)),
      rows(batch * pass_tokens),
      qkv_width((config.n_heads + 2 * config.n_kv_heads) * config.head_dim),
      mixed_width(config.n_heads * config.head_dim),
      ffn_width(config.architecture == Architecture::llama ? 2 * config.intermediate_size : config.intermediate_size) {
  const std::int64_t group = config.n_heads / config.n_kv_heads;
  query_positions = positions_of_task(group);
  context_parts = parts_of_context(batch * config.n_kv_heads, members);

  Cutter cutter;
  hidden = cutter.cut(rows * config.hidden_size);
  normed = cutter.cut(rows * config.hidden_size);
  qkv = cutter.cut(rows * qkv_width);
  mixed = cutter.cut(rows * mixed_width);
  projected = cutter.cut(rows * config.hidden_size);
  ffn = cutter.cut(rows * ffn_width);
  records = cutter.cut(batch * config.n_kv_heads * context_parts * group * record_stride(config.head_dim));
  logits = cutter.cut(batch * config.vocab_size);

  const std::int64_t query_rows = query_positions * group;
  Cutter own;
  own_hidden = own.cut(config.hidden_size);
  own_normed = own.cut(config.hidden_size);
  own_mixed = own.cut(mixed_width);
  own_activated = own.cut(config.intermediate_size);
  own_row = own.cut(std::max(config.hidden_size, config.head_dim));
  own_queries = own.cut(query_rows * config.head_dim);
  own_scores = own.cut(query_rows * kScoreColumns);
  own_records = own.cut(query_rows * record_stride(config.head_dim));
  member_stride = own.end();
  member_base = cutter.cut(members * member_stride);
  floats = cutter.end();
}

}  // namespace stagebench::cpu
