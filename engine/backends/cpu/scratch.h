#pragma once

/// What a forward pass writes besides the KV cache: one allocation, cut by a layout that is known before anything is
/// loaded.

#include <cstdint>

#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/model.h"

namespace stagebench::cpu {

/// Tokens of all sequences in one pass. Longer prompts go through in several passes, so that scratch stays bounded;
/// matrix products are as fast with 512 rows as with more.
inline constexpr std::int64_t kMaxPassRows = 512;

/// Offsets and strides in floats; every region starts on a cache line of its own. R = rows, B = batch.
struct ScratchLayout {
  ScratchLayout(const ModelConfig& config, int members, std::int64_t batch, std::int64_t capacity);

  std::int64_t pass_tokens;  ///< of a sequence, in one pass
  std::int64_t rows;         ///< R, at most batch * pass_tokens
  std::int64_t qkv_width;
  std::int64_t mixed_width;      ///< n_heads * head_dim
  std::int64_t ffn_width;        ///< outputs of ffn_in
  std::int64_t query_positions;  ///< of one attention task in a pass of many tokens
  std::int64_t context_parts;    ///< into which the context of one key-value head is cut in decode

  // Shared between the members.
  std::int64_t hidden;     ///< [R][hidden_size], the residual stream
  std::int64_t normed;     ///< [R][hidden_size]
  std::int64_t qkv;        ///< [R][qkv_width]
  std::int64_t mixed;      ///< [R][mixed_width], what attention gives
  std::int64_t projected;  ///< [R][hidden_size], not yet added to hidden
  std::int64_t ffn;        ///< [R][ffn_width]
  std::int64_t records;    ///< [B * n_kv_heads][context_parts][group][record_stride]
  std::int64_t logits;     ///< [B][vocab_size]

  // One a member; `member_base` + member * `member_stride` + offset.
  std::int64_t member_base;
  std::int64_t member_stride;
  std::int64_t own_hidden;     ///< [hidden_size]; the own_ rows are for passes of one row
  std::int64_t own_normed;     ///< [hidden_size]
  std::int64_t own_mixed;      ///< [mixed_width]
  std::int64_t own_activated;  ///< [intermediate_size]
  std::int64_t own_row;        ///< [hidden_size], an embedding row; [head_dim], a key
  std::int64_t own_queries;    ///< [query rows][head_dim]
  std::int64_t own_scores;     ///< [query rows][kScoreColumns]
  std::int64_t own_records;    ///< [query rows][record_stride]

  std::int64_t floats;  ///< in all
  std::uint64_t bytes() const noexcept { return static_cast<std::uint64_t>(floats) * sizeof(float); }
};

}  // namespace stagebench::cpu
