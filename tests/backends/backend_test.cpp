#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backends/random_model.h"
#include "cpu/machine.h"
#include "stagebench/backends/registry.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;
using test::Biases;
using test::RandomModel;

namespace {

ModelConfig small_llama() {
  ModelConfig config;
  config.name = "small";
  config.architecture = Architecture::llama;
  config.n_layers = 2;
  config.hidden_size = 48;
  config.n_heads = 6;
  config.n_kv_heads = 2;
  config.head_dim = 8;
  config.intermediate_size = 64;
  config.vocab_size = 50;
  config.max_context = 128;
  config.norm_epsilon = 1e-5;
  config.rope_theta = 10000.0;
  return config;
}

std::shared_ptr<RandomModel> small_model() {
  return std::make_shared<RandomModel>(small_llama(), Biases::none, 1U);
}

std::unique_ptr<LoadedModel> loaded_small_model() {
  return make_backend("cpu")->load(small_model(), {.dtype = DType::f32, .threads = 2});
}

/// Shapes without weights, for models that no machine holds.
class HugeModel final : public Model {
 public:
  HugeModel() : small_(small_llama(), Biases::none, 1U), config_(small_llama()) {
    for (const TensorInfo& tensor : small_.tensors()) {
      tensors_.push_back(tensor);
      tensors_.back().rows <<= 24;
      tensors_.back().columns <<= 12;
    }
  }
  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return "huge"; }
  std::span<const TensorInfo> tensors() const noexcept override { return tensors_; }
  const TensorInfo* find(TensorId id) const noexcept override {
    for (const TensorInfo& tensor : tensors_) {
      if (tensor.id == id) return &tensor;
    }
    return nullptr;
  }
  void read_rows(const TensorInfo&, std::int64_t, std::int64_t, DType, void*) const override {
    FAIL("nothing is read of a model that does not fit");
  }
  std::span<const std::byte> mapped(const TensorInfo&) const noexcept override { return {}; }
  const Vocabulary* vocabulary() const noexcept override { return nullptr; }

 private:
  RandomModel small_;
  ModelConfig config_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace

TEST_CASE("The registry knows the cpu backend, takes it for auto and refuses other names") {
  REQUIRE(backend_names() == std::vector<std::string>{"cpu"});
  REQUIRE(make_backend("auto")->name() == "cpu");
  REQUIRE(make_backend("cpu")->name() == "cpu");
  REQUIRE_THROWS_SAYING(make_backend("tpu"), UsageError, "auto, cpu", "\"tpu\"");
}

TEST_CASE("The cpu backend says what it runs on and what it uses when nothing is asked for") {
  const auto backend = make_backend("cpu");
  REQUIRE(backend->device().find(cpu::describe_this_cpu().model) != std::string::npos);
  REQUIRE(backend->default_threads() == cpu::usable_cpus());
  const auto loaded = backend->load(small_model(), {});
  REQUIRE(loaded->dtype() == backend->default_dtype());
  REQUIRE(loaded->threads() == backend->default_threads());
  REQUIRE(loaded->config().n_layers == 2);
}

TEST_CASE("Dtypes that it cannot compute in and senseless thread counts are refused") {
  const auto backend = make_backend("cpu");
  REQUIRE_THROWS_SAYING(backend->load(small_model(), {.dtype = DType::q4_0, .threads = 1}), UsageError,
                        "f32, bf16 or f16", "q4_0");
  REQUIRE_THROWS_SAYING(backend->plan(*small_model(), {.dtype = DType::q8_0}, {.context_tokens = 8}), UsageError,
                        "q8_0");
  REQUIRE_THROWS_SAYING(backend->load(small_model(), {.dtype = DType::f32, .threads = -1}), UsageError, "1024", "-1");
  REQUIRE_THROWS_SAYING(backend->load(small_model(), {.dtype = DType::f32, .threads = 1025}), UsageError, "1025");
}

TEST_CASE("Batches and contexts out of range are refused") {
  const auto loaded = loaded_small_model();
  REQUIRE_THROWS_SAYING(loaded->new_session({.batch = 0, .context_tokens = 8}), UsageError, "batch", "found 0");
  REQUIRE_THROWS_SAYING(loaded->new_session({.batch = 1, .context_tokens = 0}), UsageError, "context", "128", "small");
  REQUIRE_THROWS_SAYING(loaded->new_session({.batch = 1, .context_tokens = 129}), UsageError, "128", "found 129");
  REQUIRE_THROWS_SAYING(make_backend("cpu")->plan(*small_model(), {}, {.context_tokens = 129}), UsageError, "129");
}

TEST_CASE("Ids outside the vocabulary and prompts past the capacity leave the session as it was") {
  const auto loaded = loaded_small_model();
  const auto session = loaded->new_session({.batch = 2, .context_tokens = 4});
  const std::vector<TokenId> prompt{1, 2, 3, 4};
  const auto undisturbed = loaded->new_session({.batch = 2, .context_tokens = 4});
  undisturbed->prefill(prompt);
  session->prefill(prompt);
  REQUIRE_THROWS_SAYING(session->decode_step(std::vector<TokenId>{0, 50}), UsageError, "49", "50");
  REQUIRE_THROWS_SAYING(session->decode_step(std::vector<TokenId>{-1, 0}), UsageError, "-1");
  REQUIRE_THROWS_SAYING(session->prefill(std::vector<TokenId>{1, 2, 3, 4, 5, 6}), UsageError, "3 tokens",
                        "context of 4");
  REQUIRE_THROWS_AS(session->prefill(std::vector<TokenId>{}), UsageError);
  REQUIRE_THROWS_AS(session->prefill(std::vector<TokenId>{1, 2, 3}), UsageError);
  REQUIRE_THROWS_AS(session->decode_step(std::vector<TokenId>{1}), UsageError);
  REQUIRE(session->depth() == 2);
  for (const auto* each : {session.get(), undisturbed.get()}) REQUIRE(each->capacity() == 4);
  session->decode_step(std::vector<TokenId>{7, 8});
  undisturbed->decode_step(std::vector<TokenId>{7, 8});
  REQUIRE(std::vector<float>(session->logits().begin(), session->logits().end()) ==
          std::vector<float>(undisturbed->logits().begin(), undisturbed->logits().end()));
  session->decode_step(std::vector<TokenId>{7, 8});
  REQUIRE_THROWS_SAYING(session->decode_step(std::vector<TokenId>{7, 8}), UsageError, "context of 4");
}

TEST_CASE("A plan adds up what the weights take, and 16-bit types halve weights and KV cache") {
  const auto backend = make_backend("cpu");
  const auto model = small_model();
  const SessionOptions session{.batch = 2, .context_tokens = 100};
  const MemoryPlan f32 = backend->plan(*model, {.dtype = DType::f32, .threads = 2}, session);
  const MemoryPlan bf16 = backend->plan(*model, {.dtype = DType::bf16, .threads = 2}, session);
  // Two layers of 48 x (48 + 2 x 16 + 48 + 3 x 64), the output, and five norms that stay f32.
  const std::uint64_t matrices = 2 * 48 * (48 + 32 + 48 + 192) + 50 * 48;
  REQUIRE(f32.weight_bytes == matrices * 4 + 5 * 48 * 4);
  REQUIRE(bf16.weight_bytes == matrices * 2 + 5 * 48 * 4);
  REQUIRE(f32.kv_cache_bytes == 2U * 2 * 2 * 112 * (8 + 16) * 4);
  REQUIRE(bf16.kv_cache_bytes * 2 == f32.kv_cache_bytes);
  REQUIRE(f32.scratch_bytes > 200U * (2 * 48 + 80 + 48 + 48 + 128) * 4);

  const auto loaded = backend->load(model, {.dtype = DType::bf16, .threads = 2});
  std::uint64_t placed = 0;
  for (const TensorPlacement& placement : loaded->placements()) placed += placement.bytes;
  REQUIRE(placed == bf16.weight_bytes);
  REQUIRE(loaded->placements().size() == model->tensors().size());
}

TEST_CASE("Scratch memory is bounded: long prompts and batches go through in passes of 512 rows") {
  ModelConfig config = small_llama();
  config.max_context = 8192;
  const RandomModel model(config, Biases::none, 1U);
  const auto scratch_bytes = [&](std::int64_t batch, std::int64_t context) {
    const auto rope_bytes = static_cast<std::uint64_t>(8 * context) * sizeof(float);
    const LoadOptions load{.dtype = DType::f32, .threads = 2};
    return make_backend("cpu")->plan(model, load, {.batch = batch, .context_tokens = context}).scratch_bytes -
           rope_bytes;
  };
  REQUIRE(scratch_bytes(1, 8192) == scratch_bytes(1, 512));
  REQUIRE(scratch_bytes(1, 256) < scratch_bytes(1, 512));
  REQUIRE(scratch_bytes(4, 8192) < scratch_bytes(1, 8192) + 16384);  // logits and records of three more
}

TEST_CASE("What does not fit is refused with the bytes that it needs, before anything is read") {
  const auto backend = make_backend("cpu");
  const auto huge = std::make_shared<HugeModel>();
  const std::uint64_t needed = backend->plan(*huge, {.dtype = DType::f32}, {.context_tokens = 1}).weight_bytes;
  REQUIRE(needed > backend->available_memory_bytes());
  REQUIRE_THROWS_SAYING(backend->load(huge, {.dtype = DType::f32}), ResourceError, std::to_string(needed), "GiB",
                        "available");
  ModelConfig deep = small_llama();
  deep.max_context = std::int64_t{1} << 32;
  const auto loaded = backend->load(std::make_shared<RandomModel>(deep, Biases::none, 1U), {.dtype = DType::f32});
  REQUIRE_THROWS_SAYING(loaded->new_session({.batch = 64, .context_tokens = deep.max_context}), ResourceError, "GiB",
                        "KV cache");
}

TEST_CASE("A model without one of its tensors is refused") {
  ModelConfig config = small_llama();
  config.tied_embeddings = true;
  class Untied final : public Model {
   public:
    explicit Untied(ModelConfig c) : model_(c, Biases::none, 1U), config_(model_.config()) {
      config_.tied_embeddings = false;
    }
    const ModelConfig& config() const noexcept override { return config_; }
    std::string_view source() const noexcept override { return "lacking"; }
    std::span<const TensorInfo> tensors() const noexcept override { return model_.tensors(); }
    const TensorInfo* find(TensorId id) const noexcept override { return model_.find(id); }
    void read_rows(const TensorInfo& tensor, std::int64_t first, std::int64_t count, DType target,
                   void* to) const override {
      model_.read_rows(tensor, first, count, target, to);
    }
    std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept override {
      return model_.mapped(tensor);
    }
    const Vocabulary* vocabulary() const noexcept override { return nullptr; }

   private:
    RandomModel model_;
    ModelConfig config_;
  };
  REQUIRE_THROWS_SAYING(make_backend("cpu")->load(std::make_shared<Untied>(config), {.dtype = DType::f32}), InputError,
                        "lacking", "role");
}
