#include "cpu/session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "stagebench/contracts/error.h"

namespace stagebench::cpu {
namespace {

/// One table for all sessions of a model, made anew where a longer one is asked for.
std::shared_ptr<const RopeTable> rope_table(SharedState& state, std::int64_t positions) {
  const ModelConfig& config = state.weights.config();
  if (config.architecture != Architecture::llama) return nullptr;
  if (state.rope == nullptr || state.rope->positions() < positions) {
    state.rope = std::make_shared<const RopeTable>(config.head_dim, config.rope_theta, config.rope_frequency_divisors,
                                                   positions);
  }
  return state.rope;
}

}  // namespace

CpuSession::CpuSession(std::shared_ptr<SharedState> state, const SessionOptions& options)
    : state_(std::move(state)),
      rope_(rope_table(*state_, options.context_tokens)),
      options_(options),
      cache_(state_->weights.config(), state_->weights.dtype, options.batch, options.context_tokens),
      forward_(state_->weights, *state_->team, rope_.get(), cache_, options.batch, options.context_tokens) {}

void CpuSession::prefill(std::span<const TokenId> ids) {
  if (ids.empty() || ids.size() % static_cast<std::size_t>(batch()) != 0) {
    throw UsageError(fmt::format("prefill: expected [{}][n] ids with n >= 1, found {} ids", batch(), ids.size()));
  }
  append(ids);
}

void CpuSession::decode_step(std::span<const TokenId> ids) {
  if (ids.size() != static_cast<std::size_t>(batch())) {
    throw UsageError(fmt::format("decode_step: expected {} ids, one a sequence, found {}", batch(), ids.size()));
  }
  append(ids);
}

void CpuSession::append(std::span<const TokenId> ids) {
  const std::int64_t tokens = static_cast<std::int64_t>(ids.size()) / batch();
  if (tokens > capacity() - depth_) {
    throw UsageError(fmt::format("{} tokens do not fit behind {} in a context of {}", tokens, depth_, capacity()));
  }
  const std::int64_t vocab_size = state_->weights.config().vocab_size;
  for (const TokenId id : ids) {
    if (id < 0 || id >= vocab_size) {
      throw UsageError(fmt::format("expected token ids from 0 to {}, found {}", vocab_size - 1, id));
    }
  }
  for (std::int64_t first = 0; first < tokens; first += forward_.max_tokens()) {
    const std::int64_t count = std::min(forward_.max_tokens(), tokens - first);
    forward_.run({.ids = ids.data() + first,
                  .ids_stride = tokens,
                  .tokens = count,
                  .depth = depth_ + first,
                  .wants_logits = first + count == tokens});
  }
  depth_ += tokens;
}

}  // namespace stagebench::cpu
