#include "config_check.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace stagebench {
namespace {

struct Bound {
  std::string_view name;
  std::int64_t ModelConfig::*member;
  std::int64_t largest;
};

// Far above any published model, and small enough that layers * rows * columns * 4 bytes stays below 2^63.
constexpr std::array<Bound, 8> bounds{{
    {"n_layers", &ModelConfig::n_layers, 1 << 12},
    {"hidden_size", &ModelConfig::hidden_size, 1 << 20},
    {"n_heads", &ModelConfig::n_heads, 1 << 14},
    {"n_kv_heads", &ModelConfig::n_kv_heads, 1 << 14},
    {"head_dim", &ModelConfig::head_dim, 1 << 12},
    {"intermediate_size", &ModelConfig::intermediate_size, 1 << 22},
    {"vocab_size", &ModelConfig::vocab_size, 1 << 24},
    {"max_context", &ModelConfig::max_context, 1 << 26},
}};

std::optional<std::string> heads_problem(const ModelConfig& config) {
  if (config.n_heads % config.n_kv_heads != 0) {
    return fmt::format("n_heads: expected a multiple of n_kv_heads ({}), found {}", config.n_kv_heads, config.n_heads);
  }
  if (config.architecture == Architecture::gpt2) {
    if (config.n_kv_heads != config.n_heads) {
      return fmt::format("n_kv_heads: expected n_heads ({}) in a gpt2 model, found {}", config.n_heads,
                         config.n_kv_heads);
    }
    if (config.n_heads * config.head_dim != config.hidden_size) {
      return fmt::format("head_dim: expected hidden_size / n_heads ({} / {}) in a gpt2 model, found {}",
                         config.hidden_size, config.n_heads, config.head_dim);
    }
  } else if (config.head_dim % 2 != 0) {
    return fmt::format("head_dim: expected an even number, since RoPE rotates pairs, found {}", config.head_dim);
  }
  return std::nullopt;
}

std::optional<std::string> rope_problem(const ModelConfig& config) {
  const auto& divisors = config.rope_frequency_divisors;
  if (config.architecture == Architecture::gpt2) {
    if (config.rope_theta != 0) return "rope_theta: expected none in a gpt2 model, found one";
    if (!divisors.empty()) return "rope_frequency_divisors: expected none in a gpt2 model, found some";
    return std::nullopt;
  }
  if (!(std::isfinite(config.rope_theta) && config.rope_theta > 0)) {
    return fmt::format("rope_theta: expected a number above 0, found {}", config.rope_theta);
  }
  if (!divisors.empty() && divisors.size() != static_cast<std::size_t>(config.head_dim / 2)) {
    return fmt::format("rope_frequency_divisors: expected head_dim / 2 ({}) values, found {}", config.head_dim / 2,
                       divisors.size());
  }
  for (const float divisor : divisors) {
    if (!(std::isfinite(divisor) && divisor > 0)) {
      return fmt::format("rope_frequency_divisors: expected numbers above 0, found {}", divisor);
    }
  }
  return std::nullopt;
}

std::optional<std::string> token_problem(const ModelConfig& config) {
  const auto outside = [&](TokenId id) { return id < 0 || id >= config.vocab_size; };
  if (config.bos_id && outside(*config.bos_id)) {
    return fmt::format("bos id: expected one below vocab_size ({}), found {}", config.vocab_size, *config.bos_id);
  }
  for (const TokenId id : config.eos_ids) {
    if (outside(id)) {
      return fmt::format("eos id: expected one below vocab_size ({}), found {}", config.vocab_size, id);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> config_problem(const ModelConfig& config) {
  for (const Bound& bound : bounds) {
    const std::int64_t value = config.*bound.member;
    if (value < 1 || value > bound.largest) {
      return fmt::format("{}: expected 1 to {}, found {}", bound.name, bound.largest, value);
    }
  }
  if (!(std::isfinite(config.norm_epsilon) && config.norm_epsilon > 0 && config.norm_epsilon < 1)) {
    return fmt::format("norm_epsilon: expected a number in (0, 1), found {}", config.norm_epsilon);
  }
  if (auto problem = heads_problem(config)) return problem;
  if (auto problem = rope_problem(config)) return problem;
  return token_problem(config);
}

}  // namespace stagebench
