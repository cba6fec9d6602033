#include "hugging_face_config.h"

#include <string>

#include "rope_scaling.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;

namespace {

// The keys that LlamaConfig has no sensible default for.
const std::string llama_sizes =
    R"("model_type":"llama","hidden_size":64,"intermediate_size":96,"num_hidden_layers":3,"num_attention_heads":4,)"
    R"("vocab_size":100,"max_position_embeddings":128)";
const std::string gpt2_sizes = R"("model_type":"gpt2","n_embd":32,"n_layer":2,"n_head":4,"vocab_size":60000)";

ModelConfig parse(const std::string& members) {
  return parse_hugging_face_config(JsonDocument("{" + members + "}", "config.json").root()).model;
}

ModelConfig llama(const std::string& members) {
  return parse(llama_sizes + "," + members);
}
ModelConfig gpt2(const std::string& members) {
  return parse(gpt2_sizes + "," + members);
}

}  // namespace

TEST_CASE("A llama config.json with only its sizes has transformers' defaults") {
  const ModelConfig config = parse(llama_sizes);
  REQUIRE(config.architecture == Architecture::llama);
  REQUIRE(config.n_layers == 3);
  REQUIRE(config.hidden_size == 64);
  REQUIRE(config.n_heads == 4);
  REQUIRE(config.n_kv_heads == 4);
  REQUIRE(config.head_dim == 16);
  REQUIRE(config.intermediate_size == 96);
  REQUIRE(config.vocab_size == 100);
  REQUIRE(config.max_context == 128);
  REQUIRE(config.norm_epsilon == 1e-6);
  REQUIRE(config.rope_theta == 10000.0);
  REQUIRE(config.rope_frequency_divisors.empty());
  REQUIRE_FALSE(config.tied_embeddings);
  REQUIRE(config.bos_id == 1);
  REQUIRE(config.eos_ids == std::vector<TokenId>{2});
}

TEST_CASE("What a llama config.json gives is taken") {
  const ModelConfig config = llama(
      R"("head_dim":8,"num_key_value_heads":2,"rms_norm_eps":1e-05,"tie_word_embeddings":true,"torch_dtype":"bfloat16",)"
      R"("rope_theta":5e5,"bos_token_id":7,"eos_token_id":[8,9],"hidden_act":"silu","mlp_bias":false,"rope_scaling":null)");
  REQUIRE(config.head_dim == 8);
  REQUIRE(config.n_kv_heads == 2);
  REQUIRE(config.norm_epsilon == 1e-5);
  REQUIRE(config.tied_embeddings);
  REQUIRE(config.rope_theta == 500000.0);
  REQUIRE(config.bos_id == 7);
  REQUIRE(config.eos_ids == std::vector<TokenId>{8, 9});
}

TEST_CASE("Token ids of null mean that there is no such token") {
  const ModelConfig config = llama(R"("bos_token_id":null,"eos_token_id":null)");
  REQUIRE_FALSE(config.bos_id);
  REQUIRE(config.eos_ids.empty());
}

TEST_CASE("attention_bias is told") {
  const auto parsed = [](const std::string& members) {
    return parse_hugging_face_config(JsonDocument("{" + llama_sizes + members + "}", "config.json").root());
  };
  REQUIRE(parsed("").attention_bias == AttentionBias::none);
  REQUIRE(parsed(R"(,"attention_bias":false)").attention_bias == AttentionBias::none);
  REQUIRE(parsed(R"(,"attention_bias":true)").attention_bias == AttentionBias::all);
}

TEST_CASE("rope_theta is read at the top, in rope_parameters or in both alike") {
  REQUIRE(llama(R"("rope_theta":20000)").rope_theta == 20000.0);
  REQUIRE(llama(R"("rope_parameters":{"rope_theta":30000.0,"rope_type":"default"})").rope_theta == 30000.0);
  REQUIRE(llama(R"("rope_theta":3e4,"rope_parameters":{"rope_theta":30000.0,"rope_type":"default"})").rope_theta ==
          30000.0);
  REQUIRE_THROWS_SAYING(llama(R"("rope_theta":1e4,"rope_parameters":{"rope_theta":30000.0})"), InputError,
                        "config.json: rope_parameters.rope_theta: ", "10000", "30000");
}

TEST_CASE("Llama 3's RoPE scaling is read from newer and older files") {
  const std::string factors =
      R"("factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":64)";
  const auto expected = llama3_frequency_divisors({8.0, 1.0, 4.0, 64}, 10000.0, 16);
  REQUIRE(expected.front() == 1.0F);
  REQUIRE(expected.back() == 8.0F);
  REQUIRE(llama(R"("rope_parameters":{"rope_type":"llama3","rope_theta":10000.0,)" + factors + "}")
              .rope_frequency_divisors == expected);
  REQUIRE(llama(R"("rope_scaling":{"rope_type":"llama3",)" + factors + "}").rope_frequency_divisors == expected);
  REQUIRE(llama(R"("rope_scaling":{"type":"llama3",)" + factors + "}").rope_frequency_divisors == expected);
}

TEST_CASE("RoPE scalings that are not computed, or not complete, are refused by name") {
  REQUIRE_THROWS_SAYING(llama(R"("rope_scaling":{"type":"linear","factor":2.0})"), InputError,
                        "config.json: rope_scaling.type: ", "found \"linear\"");
  REQUIRE_THROWS_SAYING(llama(R"("rope_parameters":{"rope_type":"yarn","factor":2.0})"), InputError,
                        "rope_parameters.rope_type: ", "found \"yarn\"");
  REQUIRE_THROWS_SAYING(llama(R"("rope_scaling":{"rope_type":"llama3","factor":2.0})"), InputError,
                        "rope_scaling: ", "\"low_freq_factor\"");
  REQUIRE_THROWS_SAYING(llama(R"("rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":4.0,)"
                              R"("high_freq_factor":1.0,"original_max_position_embeddings":64})"),
                        InputError, "rope_scaling: high_freq_factor: ");
  REQUIRE_THROWS_SAYING(llama(R"("rope_parameters":{"rope_type":"default","partial_rotary_factor":0.5})"), InputError,
                        "partial_rotary_factor");
}

TEST_CASE("What a llama model would compute differently is refused by name") {
  REQUIRE_THROWS_SAYING(llama(R"("hidden_act":"gelu")"), InputError, "config.json: hidden_act: ", "\"silu\"",
                        "\"gelu\"");
  REQUIRE_THROWS_SAYING(llama(R"("mlp_bias":true)"), InputError, "config.json: mlp_bias: ", "found true");
  REQUIRE_THROWS_SAYING(llama(R"("quantization_config":{"quant_method":"awq"})"), InputError, "quantization_config: ");
  REQUIRE_THROWS_SAYING(parse(R"("model_type":"mamba")"), InputError, "config.json: model_type: ", "\"mamba\"");
  REQUIRE_THROWS_SAYING(parse(R"("hidden_size":64)"), InputError, "config.json: ", "\"model_type\"");
}

TEST_CASE("Senseless llama values are refused") {
  REQUIRE_THROWS_SAYING(parse(R"("model_type":"llama")"), InputError, "config.json: ", "\"num_hidden_layers\"");
  REQUIRE_THROWS_SAYING(llama(R"("num_key_value_heads":3)"), InputError, "n_heads: ", "multiple of n_kv_heads (3)");
  REQUIRE_THROWS_SAYING(llama(R"("num_key_value_heads":0)"), InputError, "n_kv_heads: ", "found 0");
  REQUIRE_THROWS_SAYING(llama(R"("head_dim":7)"), InputError, "head_dim: ", "even");
  REQUIRE_THROWS_SAYING(llama(R"("head_dim":-2)"), InputError, "head_dim: ", "found -2");
  REQUIRE_THROWS_SAYING(llama(R"("head_dim":9223372036854775806)"), InputError, "head_dim: expected 1 to");
  REQUIRE_THROWS_SAYING(llama(R"("rms_norm_eps":0)"), InputError, "norm_epsilon: ");
  REQUIRE_THROWS_SAYING(llama(R"("rope_theta":-1)"), InputError, "rope_theta: ", "found -1");
  REQUIRE_THROWS_SAYING(llama(R"("eos_token_id":100)"), InputError, "eos id: ", "vocab_size (100)", "found 100");
  REQUIRE_THROWS_SAYING(llama(R"("eos_token_id":[2,-1])"), InputError, "eos_token_id: ", "found -1");
  REQUIRE_THROWS_SAYING(llama(R"("bos_token_id":"<s>")"), InputError, "bos_token_id: ", "found a string");
  // 64 / 5 is no whole number; the last key given would not count, so that the sizes are written out.
  REQUIRE_THROWS_SAYING(parse(R"("model_type":"llama","hidden_size":64,"intermediate_size":96,"num_hidden_layers":3,)"
                              R"("num_attention_heads":5,"vocab_size":100)"),
                        InputError, "num_attention_heads: ", "divisor of hidden_size (64), found 5");
  REQUIRE_THROWS_SAYING(parse(R"("model_type":"llama","hidden_size":64,"intermediate_size":96,"num_hidden_layers":3,)"
                              R"("num_attention_heads":0,"vocab_size":100)"),
                        InputError, "num_attention_heads: ", "found 0");
}

TEST_CASE("A gpt2 config.json with only its sizes has transformers' defaults") {
  const ModelConfig config = parse(gpt2_sizes);
  REQUIRE(config.architecture == Architecture::gpt2);
  REQUIRE(config.n_layers == 2);
  REQUIRE(config.hidden_size == 32);
  REQUIRE(config.n_heads == 4);
  REQUIRE(config.n_kv_heads == 4);
  REQUIRE(config.head_dim == 8);
  REQUIRE(config.intermediate_size == 128);
  REQUIRE(config.max_context == 1024);
  REQUIRE(config.norm_epsilon == 1e-5);
  REQUIRE(config.rope_theta == 0);
  REQUIRE(config.tied_embeddings);
  REQUIRE(config.bos_id == 50256);
  REQUIRE(config.eos_ids == std::vector<TokenId>{50256});
}

TEST_CASE("What a gpt2 config.json gives is taken") {
  const ModelConfig config =
      gpt2(R"("n_inner":48,"n_positions":256,"layer_norm_epsilon":1e-6,"tie_word_embeddings":false,)"
           R"("eos_token_id":5)");
  REQUIRE(config.intermediate_size == 48);
  REQUIRE(config.max_context == 256);
  REQUIRE(config.norm_epsilon == 1e-6);
  REQUIRE_FALSE(config.tied_embeddings);
  REQUIRE(config.eos_ids == std::vector<TokenId>{5});
  REQUIRE(gpt2(R"("n_inner":null)").intermediate_size == 128);
}

TEST_CASE("What a gpt2 model would compute differently is refused by name") {
  REQUIRE_THROWS_SAYING(gpt2(R"("activation_function":"relu")"), InputError, "activation_function: ", "\"gelu_new\"",
                        "\"relu\"");
  REQUIRE_THROWS_SAYING(gpt2(R"("scale_attn_by_inverse_layer_idx":true)"), InputError,
                        "scale_attn_by_inverse_layer_idx: ", "found true");
  REQUIRE_THROWS_SAYING(gpt2(R"("scale_attn_weights":false)"), InputError, "scale_attn_weights: ", "found false");
  REQUIRE_THROWS_SAYING(gpt2(R"("add_cross_attention":true)"), InputError, "add_cross_attention: ");
  REQUIRE_THROWS_SAYING(parse(R"("model_type":"gpt2","n_embd":30,"n_layer":2,"n_head":4,"vocab_size":9)"), InputError,
                        "n_head: ", "divisor of n_embd (30)");
}

TEST_CASE("A default token id outside a small vocabulary is left out") {
  const ModelConfig config = parse(R"("model_type":"gpt2","n_embd":32,"n_layer":2,"n_head":4,"vocab_size":9)");
  REQUIRE_FALSE(config.bos_id);
  REQUIRE(config.eos_ids.empty());
}

TEST_CASE("generation_config.json's token ids come before config.json's") {
  const test::TemporaryFolder folder;
  folder.write("config.json", "{" + llama_sizes + R"(,"bos_token_id":3,"eos_token_id":4})");
  REQUIRE(read_hugging_face_config(folder.path()).model.eos_ids == std::vector<TokenId>{4});
  folder.write("generation_config.json", R"({"eos_token_id":[5,6]})");
  const ModelConfig config = read_hugging_face_config(folder.path()).model;
  REQUIRE(config.eos_ids == std::vector<TokenId>{5, 6});
  REQUIRE(config.bos_id == 3);
  folder.write("generation_config.json", R"({"eos_token_id":500})");
  REQUIRE_THROWS_SAYING(read_hugging_face_config(folder.path()), InputError, "generation_config.json: ", "found 500");
}
