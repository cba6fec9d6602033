#include "hugging_face_config.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "config_check.h"
#include "rope_scaling.h"
#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

std::int64_t integer_or(const JsonValue& object, std::string_view key, std::int64_t otherwise) {
  const auto value = object.find(key);
  return value ? value->as_int64() : otherwise;
}

double number_or(const JsonValue& object, std::string_view key, double otherwise) {
  const auto value = object.find(key);
  return value ? value->as_double() : otherwise;
}

bool flag_or(const JsonValue& object, std::string_view key, bool otherwise) {
  const auto value = object.find(key);
  return value ? value->as_bool() : otherwise;
}

void require_text(const JsonValue& object, std::string_view key, std::string_view only) {
  const auto value = object.find(key);
  if (value && value->as_string() != only) {
    value->fail(fmt::format("expected \"{}\", the only one that is supported, found \"{}\"", only, value->as_string()));
  }
}

void require_flag(const JsonValue& object, std::string_view key, bool only) {
  const auto value = object.find(key);
  if (value && value->as_bool() != only) {
    value->fail(fmt::format("expected {}, the only value that is supported, found {}", only, !only));
  }
}

TokenId token_id(const JsonValue& value) {
  const std::int64_t id = value.as_int64();
  if (id < 0 || id > std::numeric_limits<TokenId>::max()) {
    value.fail(fmt::format("expected a token id of 0 or more, found {}", id));
  }
  return static_cast<TokenId>(id);
}

/// A number or a list of numbers, as eos_token_id is.
std::vector<TokenId> token_ids(const JsonValue& value) {
  if (!value.is_array()) return {token_id(value)};
  std::vector<TokenId> ids;
  for (const simdjson::dom::element element : value.as_array()) {
    ids.push_back(token_id(JsonValue(element, value.where())));
  }
  return ids;
}

/// False also where the member is null, which is not the same as absent: null means "no such token".
bool is_absent(const JsonValue& object, std::string_view key) {
  return object.as_object().at_key(key).error() != simdjson::SUCCESS;
}

/// The defaults apply where the key is absent and the vocabulary has that id.
void read_token_ids(const JsonValue& root, TokenId default_bos, TokenId default_eos, ModelConfig& config) {
  if (const auto bos = root.find("bos_token_id")) {
    config.bos_id = token_id(*bos);
  } else if (is_absent(root, "bos_token_id") && default_bos < config.vocab_size) {
    config.bos_id = default_bos;
  }
  if (const auto eos = root.find("eos_token_id")) {
    config.eos_ids = token_ids(*eos);
  } else if (is_absent(root, "eos_token_id") && default_eos < config.vocab_size) {
    config.eos_ids = {default_eos};
  }
}

/// rope_parameters of transformers 5, rope_scaling of those before.
std::optional<JsonValue> rope_parameters(const JsonValue& root) {
  const auto parameters = root.find("rope_parameters");
  return parameters ? parameters : root.find("rope_scaling");
}

double read_rope_theta(const JsonValue& root, const std::optional<JsonValue>& parameters) {
  const auto top = root.find("rope_theta");
  const auto inner = parameters ? parameters->find("rope_theta") : std::nullopt;
  if (top && inner && top->as_double() != inner->as_double()) {
    inner->fail(
        fmt::format("expected the {} of the top level's rope_theta, found {}", top->as_double(), inner->as_double()));
  }
  if (inner) return inner->as_double();
  return top ? top->as_double() : 10000.0;
}

std::vector<float> read_llama3_scaling(const JsonValue& parameters, const ModelConfig& config) {
  const Llama3RopeScaling scaling{parameters.at("factor").as_double(), parameters.at("low_freq_factor").as_double(),
                                  parameters.at("high_freq_factor").as_double(),
                                  parameters.at("original_max_position_embeddings").as_int64()};
  if (const auto problem = llama3_scaling_problem(scaling)) parameters.fail(*problem);
  return llama3_frequency_divisors(scaling, config.rope_theta, config.head_dim);
}

void read_rope(const JsonValue& root, ModelConfig& config) {
  const auto parameters = rope_parameters(root);
  config.rope_theta = read_rope_theta(root, parameters);
  // Checked here already, since the divisors are computed from both.
  if (const auto problem = config_problem(config)) root.fail(*problem);
  if (!parameters) return;
  if (number_or(*parameters, "partial_rotary_factor", 1) != 1) {
    parameters->at("partial_rotary_factor").fail("expected 1, the only value that is supported");
  }
  auto type = parameters->find("rope_type");
  if (!type) type = parameters->find("type");
  if (!type || type->as_string() == "default") return;
  if (type->as_string() != "llama3") {
    type->fail(fmt::format("expected \"default\" or \"llama3\", the ones that are supported, found \"{}\"",
                           type->as_string()));
  }
  config.rope_frequency_divisors = read_llama3_scaling(*parameters, config);
}

HuggingFaceConfig parse_llama(const JsonValue& root) {
  require_text(root, "hidden_act", "silu");
  require_flag(root, "mlp_bias", false);
  HuggingFaceConfig result;
  ModelConfig& config = result.model;
  config.architecture = Architecture::llama;
  config.n_layers = root.at("num_hidden_layers").as_int64();
  config.hidden_size = root.at("hidden_size").as_int64();
  config.n_heads = root.at("num_attention_heads").as_int64();
  config.n_kv_heads = integer_or(root, "num_key_value_heads", config.n_heads);
  if (const auto head_dim = root.find("head_dim")) {
    config.head_dim = head_dim->as_int64();
  } else {
    if (config.n_heads < 1 || config.hidden_size % config.n_heads != 0) {
      root.fail(fmt::format("num_attention_heads: expected a divisor of hidden_size ({}), found {}", config.hidden_size,
                            config.n_heads));
    }
    config.head_dim = config.hidden_size / config.n_heads;
  }
  config.intermediate_size = root.at("intermediate_size").as_int64();
  config.vocab_size = root.at("vocab_size").as_int64();
  config.max_context = integer_or(root, "max_position_embeddings", 2048);
  config.norm_epsilon = number_or(root, "rms_norm_eps", 1e-6);
  config.tied_embeddings = flag_or(root, "tie_word_embeddings", false);
  read_token_ids(root, 1, 2, config);
  read_rope(root, config);
  if (flag_or(root, "attention_bias", false)) result.attention_bias = AttentionBias::all;
  return result;
}

HuggingFaceConfig parse_gpt2(const JsonValue& root) {
  require_text(root, "activation_function", "gelu_new");
  require_flag(root, "scale_attn_weights", true);
  require_flag(root, "scale_attn_by_inverse_layer_idx", false);
  require_flag(root, "add_cross_attention", false);
  HuggingFaceConfig result;
  ModelConfig& config = result.model;
  config.architecture = Architecture::gpt2;
  config.n_layers = root.at("n_layer").as_int64();
  config.hidden_size = root.at("n_embd").as_int64();
  config.n_heads = root.at("n_head").as_int64();
  config.n_kv_heads = config.n_heads;
  if (config.n_heads < 1 || config.hidden_size % config.n_heads != 0) {
    root.fail(fmt::format("n_head: expected a divisor of n_embd ({}), found {}", config.hidden_size, config.n_heads));
  }
  config.head_dim = config.hidden_size / config.n_heads;
  const auto inner = root.find("n_inner");
  if (!inner && (config.hidden_size < 0 || config.hidden_size > (1 << 20))) {
    root.fail(fmt::format("n_embd: expected 1 to {}, found {}", 1 << 20, config.hidden_size));
  }
  config.intermediate_size = inner ? inner->as_int64() : 4 * config.hidden_size;
  config.vocab_size = root.at("vocab_size").as_int64();
  config.max_context = integer_or(root, "n_positions", 1024);
  config.norm_epsilon = number_or(root, "layer_norm_epsilon", 1e-5);
  config.tied_embeddings = flag_or(root, "tie_word_embeddings", true);
  read_token_ids(root, 50256, 50256, config);
  if (const auto problem = config_problem(config)) root.fail(*problem);
  return result;
}

}  // namespace

HuggingFaceConfig parse_hugging_face_config(const JsonValue& root) {
  const JsonValue type = root.at("model_type");
  if (const auto quantization = root.find("quantization_config")) {
    quantization->fail("expected none: only F32, F16 and BF16 weights are read from a Hugging Face folder");
  }
  if (type.as_string() == "llama") return parse_llama(root);
  if (type.as_string() == "gpt2") return parse_gpt2(root);
  type.fail(fmt::format("expected \"llama\" or \"gpt2\", the ones that are supported, found \"{}\"", type.as_string()));
}

HuggingFaceConfig read_hugging_face_config(const std::filesystem::path& folder) {
  HuggingFaceConfig config = parse_hugging_face_config(JsonDocument::from_file(folder / "config.json").root());
  const auto generation_file = folder / "generation_config.json";
  if (!std::filesystem::exists(generation_file)) return config;
  const JsonDocument document = JsonDocument::from_file(generation_file);
  if (const auto bos = document.root().find("bos_token_id")) config.model.bos_id = token_id(*bos);
  if (const auto eos = document.root().find("eos_token_id")) config.model.eos_ids = token_ids(*eos);
  if (const auto problem = config_problem(config.model)) document.root().fail(*problem);
  return config;
}

}  // namespace stagebench
