#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/random_model.h"
#include "backends/reference_forward.h"
#include "stagebench/backends/registry.h"
#include "support/catch.h"

using namespace stagebench;
using test::Biases;
using test::RandomModel;
using test::ReferenceForward;

namespace {

struct Variant {
  std::string what;
  ModelConfig config;
  Biases biases = Biases::none;
};

ModelConfig shape(Architecture architecture, std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
                  std::int64_t hidden, std::int64_t intermediate) {
  ModelConfig config;
  config.name = "small";
  config.architecture = architecture;
  config.n_layers = 3;
  config.hidden_size = hidden;
  config.n_heads = heads;
  config.n_kv_heads = kv_heads;
  config.head_dim = head_dim;
  config.intermediate_size = intermediate;
  config.vocab_size = 101;
  config.max_context = 2048;
  config.norm_epsilon = 1e-5;
  config.rope_theta = architecture == Architecture::llama ? 10000.0 : 0.0;
  config.tied_embeddings = true;
  return config;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  all.push_back({"llama, grouped heads, tied", shape(Architecture::llama, 9, 3, 16, 144, 200), Biases::none});
  Variant llama3{"llama, one key-value head, biases, scaled RoPE, untied", shape(Architecture::llama, 4, 1, 10, 36, 53),
                 Biases::all};
  llama3.config.tied_embeddings = false;
  llama3.config.rope_frequency_divisors = {1.0F, 1.0F, 1.7F, 5.0F, 8.0F};
  all.push_back(llama3);
  all.push_back({"gpt2", shape(Architecture::gpt2, 4, 4, 16, 64, 256), Biases::all});
  Variant untied_gpt2{"gpt2, odd sizes, untied", shape(Architecture::gpt2, 3, 3, 7, 21, 85), Biases::all};
  untied_gpt2.config.tied_embeddings = false;
  all.push_back(untied_gpt2);
  return all;
}

std::vector<TokenId> random_ids(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<TokenId> ids(count);
  for (TokenId& id : ids) id = static_cast<TokenId>(generator() % 101);
  return ids;
}

std::unique_ptr<LoadedModel> load(const Variant& variant, DType dtype, int threads) {
  const auto model = std::make_shared<RandomModel>(variant.config, variant.biases, 5U);
  return make_backend("cpu")->load(model, {.dtype = dtype, .threads = threads});
}

std::vector<float> copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

/// Largest distance, relative to the largest value.
template <typename A, typename B>
double distance(const A& a, const B& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  double furthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    furthest = std::max(furthest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    if (std::isnan(a[i])) return 1e9;
  }
  return furthest / largest;
}

double tolerance(DType dtype) {
  if (dtype == DType::f32) return 2e-5;
  return dtype == DType::f16 ? 2e-3 : 2e-2;  // f16: keys and values round; bf16: activations may too
}

}  // namespace

TEST_CASE("The forward pass equals a plain one in double precision") {
  for (const Variant& variant : variants()) {
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      for (const std::size_t length : {1U, 2U, 33U}) {
        INFO(variant.what << ", " << std::string(name(dtype)) << ", " << length << " tokens");
        const auto loaded = load(variant, dtype, 2);
        const auto session = loaded->new_session({.batch = 1, .context_tokens = 64});
        const auto ids = random_ids(length, 1);
        session->prefill(ids);
        const RandomModel model(variant.config, variant.biases, 5U);
        REQUIRE(distance(session->logits(), ReferenceForward(model, dtype).logits(ids)) < tolerance(dtype));
      }
    }
  }
}

TEST_CASE("A prefill of n tokens equals n decode steps") {
  for (const Variant& variant : variants()) {
    INFO(variant.what);
    const auto loaded = load(variant, DType::f32, 2);
    const auto ids = random_ids(150, 2);
    const auto at_once = loaded->new_session({.batch = 1, .context_tokens = 150});
    at_once->prefill(ids);
    const auto stepwise = loaded->new_session({.batch = 1, .context_tokens = 150});
    for (const TokenId id : ids) stepwise->decode_step({&id, 1});
    REQUIRE(stepwise->depth() == 150);
    REQUIRE(distance(at_once->logits(), stepwise->logits()) < 1e-4);
  }
}

TEST_CASE("A prompt in pieces, at depth and through several passes equals one at once") {
  const Variant variant = variants()[0];
  const auto loaded = load(variant, DType::f32, 2);
  const auto ids = random_ids(1300, 3);  // more than two passes
  const auto at_once = loaded->new_session({.batch = 1, .context_tokens = 1400});
  at_once->prefill(ids);
  const auto pieces = loaded->new_session({.batch = 1, .context_tokens = 1300});
  const std::span<const TokenId> all(ids);
  pieces->prefill(all.subspan(0, 40));
  pieces->prefill(all.subspan(40, 1));
  pieces->prefill(all.subspan(41, 700));
  pieces->decode_step(all.subspan(741, 1));
  pieces->prefill(all.subspan(742, 558));
  REQUIRE(pieces->depth() == 1300);
  REQUIRE(distance(at_once->logits(), pieces->logits()) < 1e-4);
}

TEST_CASE("A batch equals its sequences one by one") {
  for (const Variant& variant : variants()) {
    for (const std::int64_t batch : {2, 3, 20}) {
      INFO(variant.what << ", batch " << batch);
      const auto loaded = load(variant, DType::f32, 2);
      const auto together = loaded->new_session({.batch = batch, .context_tokens = 80});
      const std::size_t length = 45;  // with a batch of 20: two passes
      const auto ids = random_ids(static_cast<std::size_t>(batch) * length, 4);
      const auto next = random_ids(static_cast<std::size_t>(batch), 5);
      together->prefill(ids);
      const auto after_prefill = copy(together->logits());
      together->decode_step(next);
      const auto single = loaded->new_session({.batch = 1, .context_tokens = 80});
      for (std::size_t s = 0; s < static_cast<std::size_t>(batch); ++s) {
        single->reset();
        single->prefill({&ids[s * length], length});
        REQUIRE(distance(std::span(after_prefill).subspan(s * 101, 101), single->logits()) < 1e-4);
        single->decode_step({&next[s], 1});
        REQUIRE(distance(together->logits().subspan(s * 101, 101), single->logits()) < 1e-4);
      }
    }
  }
}

TEST_CASE("Any number of threads gives the same logits") {
  for (const Variant& variant : variants()) {
    std::vector<std::vector<float>> of_threads;
    for (const int threads : {1, 2, 3, 5}) {
      const auto loaded = load(variant, DType::f32, threads);
      REQUIRE(loaded->threads() == threads);
      const auto session = loaded->new_session({.batch = 1, .context_tokens = 300});
      session->prefill(random_ids(200, 6));
      for (const TokenId id : random_ids(5, 7)) session->decode_step({&id, 1});
      of_threads.push_back(copy(session->logits()));
      INFO(variant.what << ", " << threads << " threads");
      REQUIRE(distance(of_threads.back(), of_threads.front()) < 1e-4);
    }
  }
}

TEST_CASE("Reset forgets all tokens, and sessions of one model do not touch each other") {
  const auto loaded = load(variants()[0], DType::bf16, 2);
  const auto session = loaded->new_session({.batch = 1, .context_tokens = 100});
  const auto other = loaded->new_session({.batch = 1, .context_tokens = 50});
  const auto ids = random_ids(30, 8);
  session->prefill(ids);
  const auto first = copy(session->logits());
  other->prefill(random_ids(50, 9));
  session->decode_step({&ids[3], 1});
  const auto second = copy(session->logits());
  REQUIRE(distance(first, second) > 0.01);
  session->reset();
  REQUIRE(session->depth() == 0);
  session->prefill(ids);
  REQUIRE(copy(session->logits()) == first);
  other->reset();
  other->prefill(random_ids(20, 10));
  session->decode_step({&ids[3], 1});
  REQUIRE(copy(session->logits()) == second);
}

TEST_CASE("A session outlives its loaded model, and a longer session follows a shorter one") {
  auto loaded = load(variants()[0], DType::f32, 2);
  const auto ids = random_ids(500, 8);
  const auto brief = loaded->new_session({.batch = 1, .context_tokens = 31});
  const auto longer = loaded->new_session({.batch = 1, .context_tokens = 600});
  loaded.reset();
  longer->prefill(ids);
  const auto fresh = load(variants()[0], DType::f32, 2)->new_session({.batch = 1, .context_tokens = 500});
  fresh->prefill(ids);
  REQUIRE(copy(longer->logits()) == copy(fresh->logits()));
  const std::span<const TokenId> first_ids(ids.data(), 31);
  brief->prefill(first_ids);
  fresh->reset();
  fresh->prefill(first_ids);
  REQUIRE(copy(brief->logits()) == copy(fresh->logits()));
}
