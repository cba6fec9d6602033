#include "cpu/forward_pass.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "cpu/activation.h"
#include "cpu/norm.h"

namespace stagebench::cpu {

/// The rows of a pass that a member computes in the row-wise ops, and where. A pass of one row is computed by every
/// member for itself: that is cheaper than a barrier for the result of one.
struct ForwardPass::Rows {
  int member = 0;
  bool alone = false;      ///< every member has all rows, in memory of its own
  std::int64_t count = 0;  ///< of all members
  Range range;             ///< of this member
  // Row r of the pass is row r * hidden_step + hidden_first of `hidden`; the others have `count` rows.
  std::int64_t hidden_step = 1;
  std::int64_t hidden_first = 0;
  float* hidden = nullptr;
  float* normed = nullptr;
  float* mixed = nullptr;
  float* activated = nullptr;
  std::int64_t activated_stride = 0;
};

ForwardPass::ForwardPass(Weights& weights, ThreadTeam& team, const RopeTable* rope, KvCache& cache, std::int64_t batch,
                         std::int64_t capacity)
    : weights_(weights),
      config_(weights.config()),
      team_(team),
      rope_(rope),
      cache_(cache),
      batch_(batch),
      layout_(config_, team.size(), batch, capacity),
      scratch_(static_cast<std::size_t>(layout_.bytes())) {
  std::memset(scratch_.data(), 0, scratch_.size());  // page faults belong here
  for (LayerWeights& layer : weights_.layers) {
    layer.qkv->prepare(layout_.rows);
    layer.attention_output->prepare(layout_.rows);
    layer.ffn_in->prepare(layout_.rows);
    layer.ffn_down->prepare(layout_.rows);
  }
  weights_.output->prepare(batch);
}

std::span<const float> ForwardPass::logits() const noexcept {
  return {shared(layout_.logits), static_cast<std::size_t>(batch_ * config_.vocab_size)};
}

void ForwardPass::run(const Pass& pass) {
  pass_ = pass;
  team_.run([this](int member) { forward(member); });
}

void ForwardPass::forward(int member) {
  Rows rows = rows_of_pass(member);
  embed(rows);
  const float* addend = nullptr;
  for (std::int64_t i = 0; i < config_.n_layers; ++i) {
    const LayerWeights& layer = weights_.layers[static_cast<std::size_t>(i)];
    add_and_norm(rows, addend, layer.attention_norm);
    layer.qkv->multiply(member, rows.normed, config_.hidden_size, rows.count, shared(layout_.qkv), layout_.qkv_width);
    team_.barrier();
    if (pass_.tokens > 1) {
      store_keys_and_values(rows, i);
      if (i + 1 < config_.n_layers) {
        attend_all(rows, i);
      } else {
        // Nothing behind the last layer's keys and values reads any but the last token of each sequence.
        if (!pass_.wants_logits) return;
        rows = last_rows(member);
      }
    }
    if (pass_.tokens == 1 || i + 1 == config_.n_layers) attend_last(rows, i);
    layer.attention_output->multiply(member, rows.mixed, layout_.mixed_width, rows.count, shared(layout_.projected),
                                     config_.hidden_size);
    team_.barrier();
    add_and_norm(rows, shared(layout_.projected), layer.ffn_norm);
    layer.ffn_in->multiply(member, rows.normed, config_.hidden_size, rows.count, shared(layout_.ffn),
                           layout_.ffn_width);
    team_.barrier();
    activate(rows);
    layer.ffn_down->multiply(member, rows.activated, rows.activated_stride, rows.count, shared(layout_.projected),
                             config_.hidden_size);
    team_.barrier();
    addend = shared(layout_.projected);
  }
  if (pass_.wants_logits) compute_logits(rows);
}

ForwardPass::Rows ForwardPass::rows_of_pass(int member) const {
  Rows rows;
  rows.member = member;
  rows.count = batch_ * pass_.tokens;
  rows.alone = rows.count == 1;
  if (rows.alone) {
    rows.range = {0, 1};
    rows.hidden = own(member, layout_.own_hidden);
    rows.normed = own(member, layout_.own_normed);
    rows.mixed = own(member, layout_.own_mixed);
    rows.activated = own(member, layout_.own_activated);
    rows.activated_stride = config_.intermediate_size;
    return rows;
  }
  rows.range = share(rows.count, 1, member, team_.size());
  rows.hidden = shared(layout_.hidden);
  rows.normed = shared(layout_.normed);
  rows.mixed = shared(layout_.mixed);
  rows.activated = shared(layout_.ffn);  // in place: over the gate, or over gpt2's only matrix
  rows.activated_stride = layout_.ffn_width;
  return rows;
}

/// One row a sequence, its last token's, once the others are not needed any more.
ForwardPass::Rows ForwardPass::last_rows(int member) const {
  Rows rows = rows_of_pass(member);
  rows.count = batch_;
  rows.range = share(batch_, 1, member, team_.size());
  rows.hidden_step = pass_.tokens;
  rows.hidden_first = pass_.tokens - 1;
  return rows;
}

void ForwardPass::synchronise(const Rows& rows) const {
  if (!rows.alone) team_.barrier();
}

void ForwardPass::embed(const Rows& rows) const {
  void* scratch = own(rows.member, layout_.own_row);
  for (std::int64_t row = rows.range.begin; row < rows.range.end; ++row) {
    const std::int64_t sequence = row / pass_.tokens;
    const std::int64_t token = row % pass_.tokens;
    float* hidden = rows.hidden + row * config_.hidden_size;
    weights_.token_embedding->read(pass_.ids[sequence * pass_.ids_stride + token], scratch, hidden);
    if (!weights_.position_embedding) continue;
    float* place = rows.normed + row * config_.hidden_size;  // not in use before the first norm
    weights_.position_embedding->read(pass_.depth + token, scratch, place);
    std::transform(hidden, hidden + config_.hidden_size, place, hidden, std::plus<>());
  }
}

void ForwardPass::add_and_norm(const Rows& rows, const float* addend, const NormWeights& norm) const {
  const std::int64_t size = config_.hidden_size;
  NormRow task{.weight = norm.weight.data(),
               .bias = norm.bias.empty() ? nullptr : norm.bias.data(),
               .size = size,
               .epsilon = static_cast<float>(config_.norm_epsilon)};
  for (std::int64_t row = rows.range.begin; row < rows.range.end; ++row) {
    task.hidden = rows.hidden + (row * rows.hidden_step + rows.hidden_first) * size;
    task.addend = addend != nullptr ? addend + row * size : nullptr;
    task.normed = rows.normed + row * size;
    config_.architecture == Architecture::llama ? add_rms_norm(task) : add_layer_norm(task);
  }
  synchronise(rows);
}

void ForwardPass::activate(const Rows& rows) const {
  const std::int64_t size = config_.intermediate_size;
  for (std::int64_t row = rows.range.begin; row < rows.range.end; ++row) {
    const float* in = shared(layout_.ffn) + row * layout_.ffn_width;
    float* out = rows.activated + row * rows.activated_stride;
    config_.architecture == Architecture::llama ? swiglu(in, in + size, size, out) : gelu_tanh(in, size, out);
  }
  synchronise(rows);
}

const float* ForwardPass::qkv_row(std::int64_t sequence, std::int64_t token) const {
  return shared(layout_.qkv) + (sequence * pass_.tokens + token) * layout_.qkv_width;
}

void ForwardPass::turn_and_scale(const float* head, std::int64_t position, float scale, float* out) const {
  if (rope_ != nullptr) {
    rotate_half(head, rope_->cosines(position), rope_->sines(position), config_.head_dim, scale, out);
  } else {
    std::transform(head, head + config_.head_dim, out, [scale](float x) { return x * scale; });
  }
}

void ForwardPass::store_position(int member, std::int64_t layer, std::int64_t sequence, std::int64_t kv_head,
                                 std::int64_t token) const {
  const std::int64_t head_dim = config_.head_dim;
  const float* keys = qkv_row(sequence, token) + config_.n_heads * head_dim;
  const float* values = keys + config_.n_kv_heads * head_dim;
  float* key = own(member, layout_.own_row);
  turn_and_scale(keys + kv_head * head_dim, pass_.depth + token, 1.0F, key);
  cache_.head(layer, sequence, kv_head).store(pass_.depth + token, key, values + kv_head * head_dim);
}

void ForwardPass::store_keys_and_values(const Rows& rows, std::int64_t layer) {
  if (rows.member == 0) next_task_.store(0, std::memory_order_relaxed);  // the barrier below publishes it
  for (std::int64_t row = rows.range.begin; row < rows.range.end; ++row) {
    for (std::int64_t kv_head = 0; kv_head < config_.n_kv_heads; ++kv_head) {
      store_position(rows.member, layer, row / pass_.tokens, kv_head, row % pass_.tokens);
    }
  }
  team_.barrier();
}

/// Every token of the pass. A task is some neighbouring positions in the heads of one group; members take the next one
/// when they are done, the longest (latest positions) first.
void ForwardPass::attend_all(const Rows& rows, std::int64_t layer) {
  const std::int64_t blocks = (pass_.tokens + layout_.query_positions - 1) / layout_.query_positions;
  const std::int64_t tasks = batch_ * config_.n_kv_heads * blocks;
  while (true) {
    const std::int64_t task = next_task_.fetch_add(1, std::memory_order_relaxed);
    if (task >= tasks) break;
    attend_task(rows, layer, tasks - 1 - task);
  }
  team_.barrier();
}

void ForwardPass::attend_task(const Rows& rows, std::int64_t layer, std::int64_t task) {
  const std::int64_t head_dim = config_.head_dim;
  const std::int64_t group = config_.n_heads / config_.n_kv_heads;
  const std::int64_t heads = batch_ * config_.n_kv_heads;
  const std::int64_t sequence = task % heads / config_.n_kv_heads;
  const std::int64_t kv_head = task % config_.n_kv_heads;
  const std::int64_t first = task / heads * layout_.query_positions;
  const std::int64_t positions = std::min(layout_.query_positions, pass_.tokens - first);

  float* q = own(rows.member, layout_.own_queries);
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
  for (std::int64_t i = 0; i < positions; ++i) {
    const float* heads_of_group = qkv_row(sequence, first + i) + kv_head * group * head_dim;
    for (std::int64_t g = 0; g < group; ++g) {
      turn_and_scale(heads_of_group + g * head_dim, pass_.depth + first + i, scale, q + (i * group + g) * head_dim);
    }
  }
  const Queries queries{.q = q, .rows = positions * group, .group = group, .first_position = pass_.depth + first};
  float* records = own(rows.member, layout_.own_records);
  attend(queries, cache_.head(layer, sequence, kv_head), 0, pass_.depth + first + positions,
         own(rows.member, layout_.own_scores), records);
  for (std::int64_t row = 0; row < queries.rows; ++row) {
    const std::int64_t token = sequence * pass_.tokens + first + row / group;
    float* out = rows.mixed + token * layout_.mixed_width + (kv_head * group + row % group) * head_dim;
    merge_records(records + row * record_stride(head_dim), 1, 0, head_dim, out);
  }
}

/// The last token of each sequence. A task is one part of the context in the heads of one group; a pass of one token
/// stores its key and value in the task that reads them.
void ForwardPass::attend_last(const Rows& rows, std::int64_t layer) {
  const std::int64_t head_dim = config_.head_dim;
  const std::int64_t group = config_.n_heads / config_.n_kv_heads;
  const std::int64_t parts = layout_.context_parts;
  const std::int64_t part_floats = group * record_stride(head_dim);
  const std::int64_t position = pass_.depth + pass_.tokens - 1;
  const std::int64_t part_keys = round_up((position + parts) / parts, kKeyBlock);
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
  const Range tasks = share(batch_ * config_.n_kv_heads * parts, 1, rows.member, team_.size());
  for (std::int64_t task = tasks.begin; task < tasks.end; ++task) {
    const std::int64_t sequence = task / parts / config_.n_kv_heads;
    const std::int64_t kv_head = task / parts % config_.n_kv_heads;
    const std::int64_t first_key = std::min(task % parts * part_keys, position + 1);
    const std::int64_t end_key = std::min(first_key + part_keys, position + 1);
    if (pass_.tokens == 1 && first_key <= position && position < end_key) {
      store_position(rows.member, layer, sequence, kv_head, 0);
    }
    float* q = own(rows.member, layout_.own_queries);
    const float* heads_of_group = qkv_row(sequence, pass_.tokens - 1) + kv_head * group * head_dim;
    for (std::int64_t g = 0; g < group; ++g) {
      turn_and_scale(heads_of_group + g * head_dim, position, scale, q + g * head_dim);
    }
    attend({.q = q, .rows = group, .group = group, .first_position = position}, cache_.head(layer, sequence, kv_head),
           first_key, end_key, own(rows.member, layout_.own_scores), shared(layout_.records) + task * part_floats);
  }
  team_.barrier();
  for (std::int64_t row = rows.range.begin; row < rows.range.end; ++row) {
    for (std::int64_t head = 0; head < config_.n_heads; ++head) {
      const float* records = shared(layout_.records) + (row * config_.n_kv_heads + head / group) * parts * part_floats +
                             head % group * record_stride(head_dim);
      merge_records(records, parts, part_floats, head_dim, rows.mixed + row * layout_.mixed_width + head * head_dim);
    }
  }
  synchronise(rows);
}

void ForwardPass::compute_logits(const Rows& rows) const {
  add_and_norm(rows, shared(layout_.projected), weights_.output_norm);
  weights_.output->multiply(rows.member, rows.normed, config_.hidden_size, rows.count, shared(layout_.logits),
                            config_.vocab_size);
}

}  // namespace stagebench::cpu
