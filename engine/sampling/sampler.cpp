#include "stagebench/sampling/sampler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "draw.h"
#include "logit_kernels.h"
#include "nucleus.h"
#include "stagebench/contracts/error.h"
#include "top_k.h"

namespace stagebench {
namespace {

constexpr double log2_e = 1.4426950408889634;

std::size_t checked_vocab_size(std::int64_t vocab_size) {
  if (vocab_size < 1 || vocab_size > sampling::max_vocab_size) {
    throw UsageError(fmt::format("vocab_size must be in [1, {}], found {}", sampling::max_vocab_size, vocab_size));
  }
  return static_cast<std::size_t>(vocab_size);
}

[[noreturn]] void fail_scan(std::span<const float> logits) {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]) || logits[i] == std::numeric_limits<float>::infinity()) {
      throw NumericError(fmt::format("logits: expected numbers below infinity, found {} at token {} of {}", logits[i],
                                     i, logits.size()));
    }
  }
  throw NumericError(fmt::format("logits: expected at least one above -infinity, found none in {}", logits.size()));
}

/// log2(e) / temperature. Finite for the smallest temperatures too: what is not the maximum then weighs nothing.
double exponent_scale(double temperature) noexcept {
  return std::min(log2_e / temperature, 1e300);
}

}  // namespace

void check(const SamplingParams& params) {
  if (!(params.temperature >= 0) || std::isinf(params.temperature)) {
    throw UsageError(fmt::format("temperature must be finite and >= 0, found {}", params.temperature));
  }
  if (params.top_k < 0) throw UsageError(fmt::format("top_k must be >= 0 (0 keeps all), found {}", params.top_k));
  if (!(params.top_p > 0 && params.top_p <= 1)) {
    throw UsageError(fmt::format("top_p must be in (0, 1] (1 keeps all), found {}", params.top_p));
  }
}

struct Sampler::Scratch {
  Scratch(const SamplingParams& params, std::size_t tokens)
      : vocab_size(tokens), block_max(sampling::block_count(tokens)) {
    candidates.reserve(params.greedy() ? 1 : tokens);
    if (params.greedy()) return;
    weights.resize(tokens);
    if (params.top_k > 0 && params.top_k < static_cast<std::int64_t>(tokens)) top_k.emplace(tokens);
    if (params.top_p < 1) nucleus.emplace(tokens);
  }

  /// The largest logit, with block_max filled. Throws NumericError.
  sampling::LogitScan checked_scan(std::span<const float> logits) {
    if (logits.size() != vocab_size) {
      throw UsageError(fmt::format("logits: expected {} (vocab_size), found {}", vocab_size, logits.size()));
    }
    const sampling::LogitScan scan = sampling::scan(logits, block_max.data());
    if (scan.has_nan || scan.above_negative_infinity == 0 || scan.max == std::numeric_limits<float>::infinity()) {
      fail_scan(logits);
    }
    return scan;
  }

  std::size_t vocab_size;
  std::vector<float> block_max;
  std::vector<std::int64_t> weights;
  std::optional<sampling::TopKFilter> top_k;       ///< where it can remove anything
  std::optional<sampling::NucleusFilter> nucleus;  ///< where it can remove anything
  std::vector<Candidate> candidates;
};

/// What the filters leave. Position i stands for ids[i], or for id i where ids is empty.
struct Sampler::Kept {
  std::span<const TokenId> ids;
  std::span<const float> logits;
  std::span<const std::int64_t> weights;  ///< 0 where the nucleus left the token out
  std::int64_t mass = 0;
  std::int64_t count = 0;

  TokenId id(std::size_t position) const noexcept {
    return ids.empty() ? static_cast<TokenId>(position) : ids[position];
  }
};

Sampler::Sampler(const SamplingParams& params, std::int64_t vocab_size)
    : params_((check(params), params)), scratch_(std::make_unique<Scratch>(params, checked_vocab_size(vocab_size))) {}

Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

Sampler::Kept Sampler::keep(std::span<const float> logits) {
  Scratch& scratch = *scratch_;
  const sampling::LogitScan scan = scratch.checked_scan(logits);
  Kept kept;
  kept.logits = logits;
  kept.count = scan.above_negative_infinity;
  if (scratch.top_k) {
    const sampling::TopK top = scratch.top_k->keep(logits, scratch.block_max, static_cast<std::size_t>(params_.top_k));
    kept.ids = top.ids;
    kept.logits = top.logits;
    kept.count = static_cast<std::int64_t>(top.ids.size());
  }
  const std::span<std::int64_t> weights{scratch.weights.data(), kept.logits.size()};
  kept.weights = weights;
  kept.mass = sampling::weigh(kept.logits, scan.max, exponent_scale(params_.temperature), weights.data());
  if (scratch.nucleus) {
    const auto nucleus = scratch.nucleus->keep(kept.logits, weights, kept.mass, params_.top_p);
    kept.mass = nucleus.mass;
    kept.count = nucleus.count;
  }
  return kept;
}

Sampler::Choice Sampler::sample(std::span<const float> logits, std::uint32_t sequence, std::uint32_t step) {
  if (params_.greedy()) {
    const float max = scratch_->checked_scan(logits).max;
    const auto& block_max = scratch_->block_max;
    const auto block = static_cast<std::size_t>(std::find(block_max.begin(), block_max.end(), max) - block_max.begin());
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(block * sampling::block_elements);
    return {static_cast<TokenId>(std::find(begin, logits.end(), max) - logits.begin()), 1};
  }
  const Kept kept = keep(logits);
  const std::int64_t target = sampling::draw_below(kept.mass, params_.seed, sequence, step);
  return {kept.id(sampling::position_of(kept.weights, target)), kept.count};
}

std::span<const Candidate> Sampler::candidates(std::span<const float> logits) {
  auto& candidates = scratch_->candidates;
  candidates.clear();
  if (params_.greedy()) {
    const TokenId id = sample(logits, 0, 0).id;
    candidates.push_back({id, logits[static_cast<std::size_t>(id)], 1.0});
    return candidates;
  }
  const Kept kept = keep(logits);
  for (std::size_t i = 0; i < kept.logits.size(); ++i) {
    const bool removed =
        scratch_->nucleus ? kept.weights[i] == 0 : kept.logits[i] == -std::numeric_limits<float>::infinity();
    if (removed) continue;
    const double probability = static_cast<double>(kept.weights[i]) / static_cast<double>(kept.mass);
    candidates.push_back({kept.id(i), kept.logits[i], probability});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  });
  return candidates;
}

std::int64_t Sampler::candidate_limit() const noexcept {
  if (params_.greedy()) return 1;
  const auto vocab_size = static_cast<std::int64_t>(scratch_->vocab_size);
  return params_.top_k == 0 ? vocab_size : std::min(params_.top_k, vocab_size);
}

}  // namespace stagebench
