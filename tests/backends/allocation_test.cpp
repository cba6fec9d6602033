/// Counts every allocation of this program: a decode step must make none. (oneDNN, which multiplies many rows, makes
/// some small ones in each call; so a prefill and steps of a large batch are not counted.)

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "backends/random_model.h"
#include "stagebench/backends/registry.h"
#include "support/catch.h"

namespace {

std::atomic<long> allocations{0};

void* counted_allocation(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  std::abort();  // an exception would not get through the nothrow forms
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes) {
  return counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_allocation(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

using namespace stagebench;

TEST_CASE("A steady decode step allocates nothing") {
  ModelConfig config;
  config.name = "small";
  config.architecture = Architecture::llama;
  config.n_layers = 2;
  config.hidden_size = 64;
  config.n_heads = 4;
  config.n_kv_heads = 2;
  config.head_dim = 16;
  config.intermediate_size = 128;
  config.vocab_size = 300;
  config.max_context = 1024;
  config.norm_epsilon = 1e-5;
  config.rope_theta = 10000.0;
  const auto model = std::make_shared<test::RandomModel>(config, test::Biases::none, 1U);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const std::int64_t batch : {1, 3}) {
      const auto loaded = make_backend("cpu")->load(model, {.dtype = dtype, .threads = 2});
      const auto session = loaded->new_session({.batch = batch, .context_tokens = 400});
      const std::vector<TokenId> prompt(static_cast<std::size_t>(50 * batch), 7);
      const std::vector<TokenId> next(static_cast<std::size_t>(batch), 8);
      session->prefill(prompt);
      session->decode_step(next);
      const long before = allocations;
      for (int step = 0; step < 300; ++step) session->decode_step(next);
      const long during = allocations - before;
      INFO(std::string(name(dtype)) << ", batch " << batch);
      REQUIRE(during == 0);
    }
  }
}
