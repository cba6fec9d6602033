#include "stagebench/model/cost_model.h"

#include "support/catch.h"

using namespace stagebench;

namespace {

/// Small enough to count by hand: 2 layers, 2 query heads on 1 key-value head of 2 values, untied.
ModelConfig tiny_llama() {
  ModelConfig config;
  config.architecture = Architecture::llama;
  config.n_layers = 2;
  config.hidden_size = 4;
  config.n_heads = 2;
  config.n_kv_heads = 1;
  config.head_dim = 2;
  config.intermediate_size = 6;
  config.vocab_size = 10;
  config.max_context = 16;
  return config;
}

ModelConfig tiny_gpt2() {
  ModelConfig config = tiny_llama();
  config.architecture = Architecture::gpt2;
  config.n_kv_heads = 2;
  config.tied_embeddings = true;
  return config;
}

// A layer's matrices: q 4x4, k 2x4, v 2x4, o 4x4, gate 6x4, up 6x4, down 4x6.
constexpr double llama_layer_matrix = 16 + 8 + 8 + 16 + 24 + 24 + 24;  // 120
constexpr double llama_layer_vectors = 4 + 4;

}  // namespace

TEST_CASE("parameter_count counts each weight once") {
  // Layers, final norm, embedding and output of 10 x 4 each.
  REQUIRE(parameter_count(tiny_llama()) == 2 * (120 + 8) + 4 + 40 + 40);
  ModelConfig tied = tiny_llama();
  tied.tied_embeddings = true;
  REQUIRE(parameter_count(tied) == 2 * (120 + 8) + 4 + 40);
  // q, k, v, o 4x4 and biases of 4; up 6x4 with 6, down 4x6 with 4; two norms of 4 with biases; wte 10x4, wpe 16x4.
  REQUIRE(parameter_count(tiny_gpt2()) == 2 * (4 * 20 + 30 + 28 + 16) + 8 + 40 + 64);
}

TEST_CASE("weight_bytes follows the type, and vectors stay f32 beside block types") {
  REQUIRE(weight_bytes(tiny_llama(), DType::f32) == 340 * 4);
  REQUIRE(weight_bytes(tiny_llama(), DType::bf16) == 340 * 2);
  // q8_0 is 34 bytes for 32 values: 320 matrix values are 340 bytes; 20 vector values are 80.
  REQUIRE(weight_bytes(tiny_llama(), DType::q8_0) == 340 + 80);
}

TEST_CASE("kv_bytes_per_token counts keys and values of all layers") {
  REQUIRE(kv_bytes_per_token(tiny_llama(), DType::f16) == 2 * 2 * 2 * 2);  // 2 x layers x kv width x bytes
  REQUIRE(kv_bytes_per_token(tiny_gpt2(), DType::f32) == 2 * 2 * 4 * 4);
}

TEST_CASE("A linear op costs 2mnk FLOPs and its weights once, whatever the tokens") {
  const Cost cost = linear_cost(5, 3, 4, DType::f16);
  REQUIRE(cost.flops == 2 * 5 * 3 * 4);
  REQUIRE(cost.weight_bytes == 3 * 4 * 2);
  REQUIRE(cost.kv_bytes == 0);
  REQUIRE(linear_cost(1, 3, 64, DType::q4_0).weight_bytes == 3 * 2 * 18);
}

TEST_CASE("An embedding costs the rows of its tokens, and never more than the table") {
  REQUIRE(embedding_cost(3, 10, 4, DType::f32).weight_bytes == 3 * 4 * 4);
  REQUIRE(embedding_cost(30, 10, 4, DType::f32).weight_bytes == 10 * 4 * 4);
  REQUIRE(embedding_cost(3, 10, 4, DType::f32).flops == 0);
}

TEST_CASE("Attention counts the pairs that the causal mask keeps") {
  // 3 new tokens at depth 5 see 6 + 7 + 8 = 21 tokens; 4 x 2 heads x 2 values; 2 sequences.
  const Cost cost = attention_cost(tiny_llama(), DType::f32, 2, 3, 5);
  REQUIRE(cost.flops == 2 * 21 * 4 * 2 * 2);
  // 8 tokens in the cache afterwards, keys and values of 2, 4 bytes.
  REQUIRE(cost.kv_bytes == 2 * 8 * 2 * 2 * 4);
  REQUIRE(cost.weight_bytes == 0);
}

TEST_CASE("A decode step at depth 7 costs what counting by hand says") {
  const Cost cost = decode_step_cost(tiny_llama(), DType::bf16, DType::f32, 3, 7);
  // 3 sequences: 2 layers of matrices, attention over 8 tokens, logits.
  REQUIRE(cost.flops == 3 * (2 * (2 * llama_layer_matrix + 4 * 4 * 8) + 2 * 40));
  // All weights once, but 3 rows of the untied embedding.
  REQUIRE(cost.weight_bytes == 2 * (2 * (llama_layer_matrix + llama_layer_vectors) + 4 + 40 + 3 * 4));
  REQUIRE(cost.kv_bytes == 3 * 8 * 32);
  REQUIRE(cost.bytes() == cost.weight_bytes + cost.kv_bytes);
}

TEST_CASE("Batch 1 reads one row of an untied embedding, and a tied one once, for the logits") {
  const Cost untied = decode_step_cost(tiny_llama(), DType::f32, DType::f32, 1, 0);
  ModelConfig config = tiny_llama();
  config.tied_embeddings = true;
  const Cost tied = decode_step_cost(config, DType::f32, DType::f32, 1, 0);
  REQUIRE(untied.flops == tied.flops);
  REQUIRE(untied.weight_bytes - tied.weight_bytes == 4 * 4);
}

TEST_CASE("gpt2 reads a row of its position table for each place, whatever the batch") {
  const Cost cost = prefill_cost(tiny_gpt2(), DType::f32, DType::f32, 2, 5, 0);
  const double layer = 4 * 16 + 24 + 24;
  const double vectors = 4 * 4 + 6 + 4 + 16;
  REQUIRE(cost.weight_bytes == 4 * (2 * (layer + vectors) + 8 + 40 + 5 * 4));
  // 2 sequences of 5 tokens see 15 pairs each; logits of the last token of each.
  REQUIRE(cost.flops == 2 * (2 * (2 * 5 * layer + 4 * 4 * 15) + 2 * 40));
}

TEST_CASE("A prefill costs the FLOPs of as many decode steps, less the logits that it leaves out") {
  for (const std::int64_t depth : {0, 3}) {
    double steps = 0;
    for (std::int64_t i = 0; i < 6; ++i) {
      steps += decode_step_cost(tiny_llama(), DType::f32, DType::f32, 2, depth + i).flops;
    }
    const Cost prefill = prefill_cost(tiny_llama(), DType::f32, DType::f32, 2, 6, depth);
    REQUIRE(prefill.flops == steps - 5 * 2 * 2 * 40);
    REQUIRE(prefill.kv_bytes == static_cast<double>(2 * (depth + 6) * 32));
  }
}
