#include <string>

#include "program_process.h"
#include "support/catch.h"

using stagebench::test::run_program;

namespace {

void require_words(const std::string& text, std::initializer_list<const char*> words) {
  INFO(text);
  for (const auto* word : words) {
    INFO("expected word: " << word);
    REQUIRE(text.find(word) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("info shows the machine, what it reaches, and the models") {
  const auto result = run_program({"info"});
  REQUIRE(result.exit_code == 0);
  require_words(result.out, {"cpu", "GB/s", "GFLOP/s", "llama-10m", "smollm2-135m", "llama-2-70b"});
}

TEST_CASE("info on a model shows where its bytes are") {
  const auto result =
      run_program({"info", "--model", STAGEBENCH_TEST_DATA "/models/tiny-llama-botchan", "--dtype", "f32"});
  REQUIRE(result.exit_code == 0);
  require_words(result.out, {"model.embed_tokens.weight", "2048 x 192", "f16", "f32", "KV cache", "scratch", "512"});
}

TEST_CASE("info on a model that does not fit shows its plan and says so") {
  const auto result = run_program({"info", "--model", "llama-2-70b", "--dtype", "f32"});
  REQUIRE(result.exit_code == 0);
  require_words(result.out,
                {"not loaded", "GiB", "68,976,648,192", "model.layers.79.mlp.down_proj.weight", "8192 x 28672"});
}
