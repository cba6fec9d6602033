#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "backends/golden_run.h"
#include "stagebench/backends/registry.h"
#include "stagebench/model/open_model.h"
#include "support/catch.h"
#include "support/safetensors_writer.h"
#include "support/temporary_folder.h"

using namespace stagebench;

namespace {

namespace fs = std::filesystem;

std::unique_ptr<LoadedModel> load(const fs::path& path, DType dtype) {
  return make_backend("cpu")->load(open_model(path), {.dtype = dtype, .threads = 2});
}

fs::path committed_model(const std::string& name) {
  return fs::path(STAGEBENCH_TEST_DATA) / "models" / name;
}

/// Where scripts/fetch_model puts it; tests that need it pass with a warning where it was not fetched.
fs::path smollm2() {
  const char* cache = std::getenv("STAGEBENCH_CACHE");
  const fs::path folder =
      cache != nullptr && *cache != '\0' ? fs::path(cache) : fs::path(STAGEBENCH_SOURCE_DIR) / ".cache";
  const fs::path file = folder / "models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (fs::exists(file)) return file;
  WARN("SKIPPED: " << file.string() << " is not there; scripts/fetch_model smollm2-135m fetches it");
  return {};
}

}  // namespace

TEST_CASE("gpt2-tiny gives transformers' logits and greedy ids") {
  const auto golden = test::read_golden("gpt2-tiny-random-f16");
  test::require_golden_logits(*load(committed_model("gpt2-tiny-random-f16"), DType::f32), golden);
}

TEST_CASE("tiny-llama gives transformers' logits and greedy ids") {
  const auto golden = test::read_golden("tiny-llama-botchan");
  test::require_golden_logits(*load(committed_model("tiny-llama-botchan"), DType::f32), golden);
}

TEST_CASE("The small models choose as transformers does in the 16-bit types as well") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (const std::string name : {"gpt2-tiny-random-f16", "tiny-llama-botchan"}) {
      INFO(name << " in " << std::string(stagebench::name(dtype)));
      test::require_golden_choices(*load(committed_model(name), dtype), test::read_golden(name));
    }
  }
}

TEST_CASE("SmolLM2 gives transformers' logits and greedy ids, dequantised to f32 and to f16") {
  const fs::path model = smollm2();
  if (model.empty()) return;
  test::require_golden_logits(*load(model, DType::f32), test::read_golden("smollm2-135m-instruct-f32"));
  test::require_golden_logits(*load(model, DType::f16), test::read_golden("smollm2-135m-instruct-f16"));
}

TEST_CASE("SmolLM2 as a folder of f16 safetensors gives transformers' logits and greedy ids") {
  const fs::path model = smollm2();
  if (model.empty()) return;
  const test::TemporaryFolder folder;
  test::write_llama_folder_f16(*open_model(model), folder.path());
  test::require_golden_logits(*load(folder.path(), DType::f32), test::read_golden("smollm2-135m-instruct-f16"));
}

TEST_CASE("SmolLM2 in bf16 and f16 chooses as transformers does wherever the lead is clear") {
  const fs::path model = smollm2();
  if (model.empty()) return;
  for (const DType dtype : {DType::f16, DType::bf16}) {
    INFO(std::string(name(dtype)));
    test::require_golden_choices(*load(model, dtype), test::read_golden("smollm2-135m-instruct-f32"));
  }
}
