#include "gguf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "config_check.h"
#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

Architecture read_architecture(const GgufMetadata& metadata) {
  constexpr std::string_view key = "general.architecture";
  const std::string_view found = metadata.string(key);
  if (found == "llama") return Architecture::llama;
  if (found == "gpt2") return Architecture::gpt2;
  metadata.fail(key, fmt::format("architecture {} is not supported (llama and gpt2 are)", quoted(found)));
}

/// Reads the keys "<architecture>.<suffix>".
class ConfigReader {
 public:
  ConfigReader(const GgufFile& file, ModelConfig& config)
      : file_(file), metadata_(file.metadata), config_(config), prefix_(std::string(name(config.architecture)) + ".") {}

  void read() {
    read_extents();
    read_heads();
    refuse_unsupported();
    if (config_.architecture == Architecture::llama) {
      config_.norm_epsilon = metadata_.number(key("attention.layer_norm_rms_epsilon"));
      read_rope();
    } else {
      config_.norm_epsilon = metadata_.number(key("attention.layer_norm_epsilon"));
    }
    read_token_ids();
  }

 private:
  std::string key(std::string_view suffix) const { return prefix_ + std::string(suffix); }
  std::int64_t extent(std::string_view suffix) const {
    return metadata_.integer(key(suffix), 1, std::numeric_limits<std::int64_t>::max());
  }

  void read_extents() {
    config_.n_layers = extent("block_count");
    config_.hidden_size = extent("embedding_length");
    config_.intermediate_size = extent("feed_forward_length");
    config_.max_context = extent("context_length");
    const GgufTensor* embedding = file_.find("token_embd.weight");
    if (embedding == nullptr) {
      throw InputError(fmt::format("{}: tensor 'token_embd.weight' is missing", file_.source));
    }
    config_.vocab_size = embedding->rows;
    config_.tied_embeddings = file_.find("output.weight") == nullptr;
    const std::string vocab_key = key("vocab_size");
    const std::int64_t vocab_size = metadata_.find_integer(vocab_key).value_or(config_.vocab_size);
    if (vocab_size != config_.vocab_size) {
      metadata_.fail(vocab_key,
                     fmt::format("is {}, but tensor 'token_embd.weight' has {} rows", vocab_size, config_.vocab_size));
    }
  }

  void read_heads() {
    config_.n_heads = extent("attention.head_count");
    const bool has_kv_heads = metadata_.contains(key("attention.head_count_kv"));
    config_.n_kv_heads = has_kv_heads ? extent("attention.head_count_kv") : config_.n_heads;
    const std::string length_key = key("attention.key_length");
    if (metadata_.contains(length_key)) {
      config_.head_dim = extent("attention.key_length");
    } else if (config_.hidden_size % config_.n_heads == 0) {
      config_.head_dim = config_.hidden_size / config_.n_heads;
    } else {
      metadata_.fail(length_key, fmt::format("is missing, and {} heads do not divide the width {}", config_.n_heads,
                                             config_.hidden_size));
    }
    const std::string value_key = key("attention.value_length");
    const std::int64_t value_length = metadata_.find_integer(value_key).value_or(config_.head_dim);
    if (value_length != config_.head_dim) {
      metadata_.fail(value_key, fmt::format("expected {} as for keys, found {}", config_.head_dim, value_length));
    }
  }

  /// Keys that change the computation unless they have their neutral value or 0, which stands for "not used".
  void refuse_unsupported() const {
    struct Neutral {
      std::string_view suffix;
      double value;
    };
    constexpr Neutral neutral_values[] = {
        {"expert_count", 0},    {"attention.clamp_kqv", 0}, {"attention.sliding_window", 0},
        {"attention.scale", 0}, {"logit_scale", 1},         {"embedding_scale", 1},
        {"residual_scale", 1},  {"rope.scale_linear", 1},   {"rope.scaling.attn_factor", 1},
    };
    for (const Neutral& neutral : neutral_values) {
      const double found = metadata_.find_number(key(neutral.suffix)).value_or(0);
      if (found != 0 && found != neutral.value) {
        metadata_.fail(key(neutral.suffix), fmt::format("{} is not supported (expected {})", found, neutral.value));
      }
    }
  }

  void read_rope() {
    const std::string rotary_key = key("rope.dimension_count");
    const std::int64_t rotary = metadata_.find_integer(rotary_key).value_or(config_.head_dim);
    if (rotary != config_.head_dim) {
      metadata_.fail(rotary_key, fmt::format("partial rotary embedding is not supported: {} of the {} values of a head",
                                             rotary, config_.head_dim));
    }
    config_.rope_theta = metadata_.find_number(key("rope.freq_base")).value_or(10000.0);  // llama.cpp's default
    refuse_rope_scaling();
    read_rope_divisors();
  }

  void refuse_rope_scaling() const {
    const std::string type_key = key("rope.scaling.type");
    // As in llama.cpp: a factor without a type scales linearly, 0 and 1 not at all.
    const std::string_view type = metadata_.find_string(type_key).value_or("linear");
    const double factor = metadata_.find_number(key("rope.scaling.factor")).value_or(1);
    const bool unscaled = type == "none" || (type == "linear" && (factor == 0 || factor == 1));
    if (!unscaled) {
      metadata_.fail(type_key, fmt::format("RoPE scaling {} by {} is not supported (Llama 3's, as tensor "
                                           "'rope_freqs.weight', is)",
                                           quoted(type), factor));
    }
  }

  void read_rope_divisors() {
    const GgufTensor* tensor = file_.find("rope_freqs.weight");
    if (tensor == nullptr) return;
    if (tensor->dtype != DType::f32 || tensor->rows != 1) {
      throw InputError(fmt::format("{}: tensor 'rope_freqs.weight': expected one row of f32, found {} of {}",
                                   file_.source, tensor->rows, name(tensor->dtype)));
    }
    config_.rope_frequency_divisors.resize(static_cast<std::size_t>(tensor->columns));
    std::memcpy(config_.rope_frequency_divisors.data(), tensor->data.data(), tensor->data.size());
  }

  std::optional<TokenId> token_id(std::string_view id_key) const {
    if (!metadata_.contains(id_key)) return std::nullopt;
    return static_cast<TokenId>(metadata_.integer(id_key, 0, config_.vocab_size - 1));
  }

  void read_token_ids() {
    config_.bos_id = token_id("tokenizer.ggml.bos_token_id");
    // The ends of a turn and of a message stop a generation as well, where a model tells them from its EOS.
    for (const std::string_view id_key :
         {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
      const auto id = token_id(id_key);
      if (id && std::find(config_.eos_ids.begin(), config_.eos_ids.end(), *id) == config_.eos_ids.end()) {
        config_.eos_ids.push_back(*id);
      }
    }
  }

  const GgufFile& file_;
  const GgufMetadata& metadata_;
  ModelConfig& config_;
  std::string prefix_;
};

}  // namespace

ModelConfig read_gguf_config(const GgufFile& file) {
  ModelConfig config;
  config.architecture = read_architecture(file.metadata);
  ConfigReader(file, config).read();
  if (const auto problem = config_problem(config)) throw InputError(fmt::format("{}: {}", file.source, *problem));
  return config;
}

}  // namespace stagebench
