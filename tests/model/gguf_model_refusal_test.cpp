#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gguf_model.h"
#include "gguf_samples.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;
using test::GgufWriter;

namespace {

std::shared_ptr<const Model> open(const GgufWriter& gguf) {
  auto bytes = std::make_shared<const std::string>(gguf.bytes());
  return make_gguf_model(std::as_bytes(std::span(*bytes)), bytes, "sample.gguf", "sample");
}

/// sample_llama with one thing changed.
GgufWriter llama_but(const std::function<void(GgufWriter&)>& change) {
  auto gguf = test::sample_llama();
  change(gguf);
  return gguf;
}

}  // namespace

TEST_CASE("other architectures are refused by name") {
  auto gguf = llama_but([](GgufWriter& g) { g.string("general.architecture", "mamba"); });
  REQUIRE_THROWS_SAYING(open(gguf), InputError, "sample.gguf", "'general.architecture'", "'mamba'", "llama", "gpt2");
  gguf.remove("general.architecture");
  REQUIRE_THROWS_SAYING(open(gguf), InputError, "'general.architecture'", "missing");
  gguf.u32("general.architecture", 1);
  REQUIRE_THROWS_SAYING(open(gguf), InputError, "'general.architecture'", "a string", "an integer");
}

TEST_CASE("each key that a model needs is named where it is missing or has the wrong type") {
  for (const std::string key :
       {"llama.block_count", "llama.context_length", "llama.embedding_length", "llama.feed_forward_length",
        "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    auto gguf = llama_but([&](GgufWriter& g) { g.remove(key); });
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "'" + key + "'", "missing");
    gguf.string(key, "16");
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "'" + key + "'", "found a string");
  }
  auto gguf = test::sample_gpt2();
  gguf.remove("gpt2.attention.layer_norm_epsilon");
  REQUIRE_THROWS_SAYING(open(gguf), InputError, "'gpt2.attention.layer_norm_epsilon'", "missing");
}

TEST_CASE("senseless extents are refused without being allocated") {
  for (const std::string key : {"llama.block_count", "llama.embedding_length", "llama.attention.head_count",
                                "llama.attention.head_count_kv", "llama.attention.key_length"}) {
    auto gguf = llama_but([&](GgufWriter& g) { g.u32(key, 0); });
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "'" + key + "'", "found 0");
    gguf.i32(key, -1);
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "'" + key + "'", "found -1");
    gguf.u64(key, std::uint64_t{1} << 62);
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "sample.gguf");
    gguf.u32(key, 4000);
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "sample.gguf");
  }
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.u32("llama.attention.head_count", 3); })), InputError,
                        "'llama.attention.key_length'", "3 heads", "16");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.f32("llama.attention.layer_norm_rms_epsilon", -1); })),
                        InputError, "norm_epsilon", "found -1");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.f32("llama.rope.freq_base", 0); })), InputError,
                        "rope_theta");
  auto gguf = test::sample_gpt2();
  gguf.u32("gpt2.attention.head_count_kv", 1);
  REQUIRE_THROWS_SAYING(open(gguf), InputError, "n_kv_heads");
}

TEST_CASE("computations that are not supported are refused by name") {
  struct Refused {
    std::string word;
    std::function<void(GgufWriter&)> change;
  };
  const std::vector<Refused> all = {
      {"partial rotary", [](GgufWriter& g) { g.u32("llama.rope.dimension_count", 4); }},
      {"'yarn'", [](GgufWriter& g) { g.string("llama.rope.scaling.type", "yarn"); }},
      {"'longrope'", [](GgufWriter& g) { g.string("llama.rope.scaling.type", "longrope"); }},
      {"'linear' by 4", [](GgufWriter& g) { g.f32("llama.rope.scaling.factor", 4); }},
      {"rope.scale_linear", [](GgufWriter& g) { g.f32("llama.rope.scale_linear", 2); }},
      {"expert_count", [](GgufWriter& g) { g.u32("llama.expert_count", 8); }},
      {"sliding_window", [](GgufWriter& g) { g.u32("llama.attention.sliding_window", 16); }},
      {"value_length", [](GgufWriter& g) { g.u32("llama.attention.value_length", 4); }},
      {"logit_scale", [](GgufWriter& g) { g.f32("llama.logit_scale", 0.5F); }},
  };
  for (const Refused& refused : all) {
    REQUIRE_THROWS_SAYING(open(llama_but(refused.change)), InputError, "sample.gguf", refused.word);
  }
  REQUIRE_NOTHROW(open(llama_but([](GgufWriter& g) {
    g.string("llama.rope.scaling.type", "none").f32("llama.rope.scaling.factor", 4).u32("llama.expert_count", 0);
    g.f32("llama.logit_scale", 1).u32("llama.attention.value_length", 8);
  })));
}

TEST_CASE("tensors that are missing, of the wrong shape or unknown are refused by name") {
  for (const auto& tensor : test::sample_llama().tensors) {
    auto gguf = llama_but([&](GgufWriter& g) { g.remove_tensor(tensor.name); });
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "tensor '" + tensor.name + "' is missing");
  }
  for (const auto& tensor : test::sample_gpt2().tensors) {
    auto gguf = test::sample_gpt2();
    gguf.remove_tensor(tensor.name);
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "tensor '" + tensor.name + "' is missing");
  }
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) {
                          g.tensor_named("blk.1.ffn_up.weight").dimensions = {24, 16};
                        })),
                        InputError, "'blk.1.ffn_up.weight'", "16 x 24", "found 24 x 16");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) {
                          g.tensor_named("blk.1.ffn_up.weight").dimensions = {16, 12, 2};
                        })),
                        InputError, "'blk.1.ffn_up.weight'", "16 x 24", "found 16 x 12 x 2");
  const auto doubled = llama_but([](GgufWriter& g) {
    GgufWriter::Tensor& up = g.tensor_named("blk.1.ffn_up.weight");
    up.dimensions = {16, 24, 2};
    up.data += up.data;
  });
  REQUIRE_THROWS_SAYING(open(doubled), InputError, "'blk.1.ffn_up.weight'", "16 x 24", "found 16 x 24 x 2");
  for (const std::string name : {"blk.2.attn_norm.weight", "blk.0.ffn_gate_inp.weight", "blk.0.ffn_up.bias",
                                 "blk.0.attn_k_norm.weight", "lora", "output.bias"}) {
    auto gguf = llama_but([&](GgufWriter& g) { g.tensor(name, {4}, 0, std::string(16, '\0')); });
    REQUIRE_THROWS_SAYING(open(gguf), InputError, "tensor '" + name + "' is not part of a llama model of 2 layers");
  }
}

TEST_CASE("RoPE's divisors that make no sense are refused") {
  const auto with = [](std::vector<std::uint64_t> dimensions, const std::vector<float>& values) {
    return llama_but(
        [&](GgufWriter& g) { g.tensor("rope_freqs.weight", std::move(dimensions), 0, GgufWriter::bytes_of(values)); });
  };
  REQUIRE_THROWS_SAYING(open(with({3}, {1, 1, 1})), InputError, "rope_frequency_divisors", "(4)", "found 3");
  REQUIRE_THROWS_SAYING(open(with({4}, {1, 0, 1, 1})), InputError, "rope_frequency_divisors", "found 0");
  REQUIRE_THROWS_SAYING(open(with({2, 2}, {1, 1, 1, 1})), InputError, "'rope_freqs.weight'", "one row", "found 2");
}

TEST_CASE("a vocabulary that contradicts itself or the embedding is refused") {
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.u32("llama.vocab_size", 6); })), InputError,
                        "'llama.vocab_size'", "6", "5 rows");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.f32s("tokenizer.ggml.scores", {1}); })), InputError,
                        "'tokenizer.ggml.scores'", "5 tokens", "found 1");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) {
                          g.i32s("tokenizer.ggml.token_type", {1, 1});
                        })),
                        InputError, "'tokenizer.ggml.token_type'", "5 tokens", "found 2");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) {
                          g.i32s("tokenizer.ggml.token_type", {1, 1, 7, 1, 1});
                        })),
                        InputError, "'tokenizer.ggml.token_type'", "found 7", "token 2");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.strings("tokenizer.ggml.tokens", {}); })), InputError,
                        "'tokenizer.ggml.tokens'", "no tokens");
  REQUIRE_THROWS_SAYING(open(llama_but([](GgufWriter& g) { g.remove("tokenizer.ggml.model"); })), InputError,
                        "'tokenizer.ggml.model'", "missing");
  for (const std::string key : {"bos", "eos", "unknown", "padding", "eot"}) {
    const std::string full = "tokenizer.ggml." + key + "_token_id";
    REQUIRE_THROWS_SAYING(open(llama_but([&](GgufWriter& g) { g.u32(full, 5); })), InputError, "'" + full + "'",
                          "0 to 4", "found 5");
  }
  const auto six_tokens = llama_but([](GgufWriter& g) {
    g.strings("tokenizer.ggml.tokens", {"a", "b", "c", "d", "e", "f"});
    g.remove("tokenizer.ggml.scores").remove("tokenizer.ggml.token_type");
  });
  REQUIRE_THROWS_SAYING(open(six_tokens), InputError, "6 tokens", "5 rows");
}
