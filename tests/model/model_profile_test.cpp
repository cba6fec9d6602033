#include "stagebench/model/model_profile.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "rope_scaling.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/cost_model.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
namespace fs = std::filesystem;

namespace {

const fs::path profile_folder = fs::path(STAGEBENCH_SOURCE_DIR) / "profiles/models";

// Line numbers count from 1: the table begins at line 4.
const std::string synthetic = R"(description = "d"
seed = 3

[shape]
architecture = "llama"
n_layers = 2
hidden_size = 64
n_heads = 4
n_kv_heads = 2
intermediate_size = 96
vocab_size = 100
max_context = 128
norm_epsilon = 1e-5
tied_embeddings = false
rope_theta = 10000.0
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

ModelProfile read(const std::string& text) {
  const test::TemporaryFolder folder;
  return read_model_profile(folder.write("a.toml", text));
}

/// Sets an environment variable for a test's time.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    had_ = old != nullptr;
    if (had_) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (had_) {
      ::setenv(name_, old_.c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string old_;
};

}  // namespace

TEST_CASE("A synthetic profile gives its shape and seed") {
  const ModelProfile profile = read(synthetic);
  REQUIRE(profile.name == "a");
  REQUIRE(profile.description == "d");
  REQUIRE(profile.seed == 3);
  REQUIRE(profile.weights.empty());
  const ModelConfig& config = profile.config;
  REQUIRE(config.name == "a");
  REQUIRE(config.architecture == Architecture::llama);
  REQUIRE(config.n_layers == 2);
  REQUIRE(config.n_kv_heads == 2);
  REQUIRE(config.head_dim == 16);
  REQUIRE(config.norm_epsilon == 1e-5);
  REQUIRE(config.rope_theta == 10000.0);
  REQUIRE(config.rope_frequency_divisors.empty());
  REQUIRE_FALSE(config.bos_id);
  REQUIRE(config.eos_ids.empty());
}

TEST_CASE("What a synthetic profile may give is taken") {
  const ModelConfig config = read(synthetic + R"(head_dim = 8
bos_id = 5
eos_ids = [6, 7]
[shape.rope_scaling]
factor = 8
low_freq_factor = 1.0
high_freq_factor = 4.0
original_max_position_embeddings = 64
)")
                                 .config;
  REQUIRE(config.head_dim == 8);
  REQUIRE(config.bos_id == 5);
  REQUIRE(config.eos_ids == std::vector<TokenId>{6, 7});
  REQUIRE(config.rope_frequency_divisors == llama3_frequency_divisors({8.0, 1.0, 4.0, 64}, 10000.0, 8));
}

TEST_CASE("Profile errors name file, line, key, what was expected and what was found") {
  const auto with = [](const std::string& from, const std::string& to) { return replaced(synthetic, from, to); };
  REQUIRE_THROWS_SAYING(read(with("seed = 3", "sed = 3")), InputError, "a.toml:2: sed: ", "unknown", "seed");
  REQUIRE_THROWS_SAYING(read(with("n_layers", "layers")), InputError, "a.toml:6: shape.layers: ", "unknown");
  REQUIRE_THROWS_SAYING(read(with("seed = 3", "")), InputError, "a.toml:1: seed: ", "found no such key");
  REQUIRE_THROWS_SAYING(read(with("vocab_size = 100", "")), InputError,
                        "a.toml:4: shape.vocab_size: ", "a whole number, found no such key");
  REQUIRE_THROWS_SAYING(read(with("n_layers = 2", "n_layers = \"2\"")), InputError,
                        "a.toml:6: shape.n_layers: ", "expected a whole number, found a string");
  REQUIRE_THROWS_SAYING(read(with("n_layers = 2", "n_layers = 2.0")), InputError, "shape.n_layers: ", "a fraction");
  REQUIRE_THROWS_SAYING(read(with("tied_embeddings = false", "tied_embeddings = 0")), InputError,
                        "a.toml:14: shape.tied_embeddings: ", "true or false");
  REQUIRE_THROWS_SAYING(read(with("description = \"d\"", "description = 1")), InputError,
                        "a.toml:1: description: ", "a string");
  REQUIRE_THROWS_SAYING(read(with("\"llama\"", "\"bert\"")), InputError, "a.toml:5: shape.architecture: ", "\"bert\"");
  REQUIRE_THROWS_SAYING(read(with("seed = 3", "seed = -3")), InputError, "a.toml:2: seed: ", "found -3");
  REQUIRE_THROWS_SAYING(read(synthetic + "eos_ids = [1, \"x\"]"), InputError, "a.toml:16: shape.eos_ids: ", "a string");
  REQUIRE_THROWS_SAYING(read(synthetic + "eos_ids = [-1]"), InputError, "a.toml:16: shape.eos_ids: ", "found -1");
  REQUIRE_THROWS_SAYING(read(synthetic + "eos_ids = 1"), InputError, "shape.eos_ids: ", "an array");
  REQUIRE_THROWS_SAYING(read("description = "), InputError, "a.toml:1: expected TOML");
  REQUIRE_THROWS_SAYING(read("description = \"d\"\nshape = 1"), InputError, "a.toml:2: shape: ", "a table");
}

TEST_CASE("Profile values that contradict each other are refused") {
  const auto with = [](const std::string& from, const std::string& to) { return replaced(synthetic, from, to); };
  REQUIRE_THROWS_SAYING(read(with("n_kv_heads = 2", "n_kv_heads = 3")), InputError,
                        "a.toml:4: shape: n_heads: ", "multiple of n_kv_heads (3)");
  REQUIRE_THROWS_SAYING(read(with("n_heads = 4", "n_heads = 5")), InputError,
                        "a.toml:8: shape.n_heads: ", "divisor of hidden_size (64)");
  REQUIRE_THROWS_SAYING(read(synthetic + "bos_id = 100"), InputError, "shape: bos id: ", "found 100");
  REQUIRE_THROWS_SAYING(read(with("\"llama\"", "\"gpt2\"")), InputError, "a.toml:15: shape.rope_theta: ", "gpt2");
  REQUIRE_THROWS_SAYING(read(with("rope_theta = 10000.0", "")), InputError, "shape.rope_theta: ", "found no such key");
  REQUIRE_THROWS_SAYING(read("weights = \"w\"\n" + synthetic), InputError, "a.toml:1: weights: ", "synthetic");
  REQUIRE_THROWS_SAYING(read("fetch_command = \"w\"\n" + synthetic), InputError, "a.toml:1: fetch_command: ");
  REQUIRE_THROWS_SAYING(read("description = \"d\"\nseed = 1\nweights = \"w\""), InputError, "a.toml:2: seed: ");
  REQUIRE_THROWS_SAYING(read("description = \"d\""), InputError, "weights: ", "[shape]", "found neither");
  REQUIRE_THROWS_SAYING(read("description = \"d\"\nweights = \"\""), InputError, "a.toml:2: weights: ", "empty");
  REQUIRE_THROWS_SAYING(read(synthetic + "[shape.rope_scaling]\nfactor = 0.5\nlow_freq_factor = 1\n"
                                         "high_freq_factor = 4\noriginal_max_position_embeddings = 64\n"),
                        InputError, "a.toml:16: shape.rope_scaling: factor: ", "found 0.5");
}

TEST_CASE("A real profile's weights count from its folder or from the cache") {
  const test::TemporaryFolder folder;
  const auto models = folder.path() / "profiles" / "models";
  const auto relative = folder.write("profiles/models/r.toml", "description = \"d\"\nweights = \"../../data/m\"");
  REQUIRE(read_model_profile(relative).weights == folder.path() / "data" / "m");
  const auto cached = folder.write(
      "profiles/models/c.toml", "description = \"d\"\nweights = \"${cache}/models/m.gguf\"\nfetch_command = \"get m\"");
  {
    const ScopedVariable cache("STAGEBENCH_CACHE", "");
    REQUIRE(read_model_profile(cached).weights == fs::canonical(folder.path()) / ".cache/models/m.gguf");
    REQUIRE(read_model_profile(models / ".." / "models" / "c.toml").weights ==
            fs::canonical(folder.path()) / ".cache/models/m.gguf");
    const fs::path before = fs::current_path();
    fs::current_path(models);
    const fs::path from_inside = read_model_profile("c.toml").weights;
    fs::current_path(before);
    REQUIRE(from_inside == fs::canonical(folder.path()) / ".cache/models/m.gguf");
  }
  const ScopedVariable cache("STAGEBENCH_CACHE", "/elsewhere");
  const ModelProfile profile = read_model_profile(cached);
  REQUIRE(profile.weights == "/elsewhere/models/m.gguf");
  REQUIRE(profile.fetch_command == "get m");
  REQUIRE_THROWS_SAYING(resolve_model("c", models), InputError, "model c: ", "/elsewhere/models/m.gguf", "run get m");
}

TEST_CASE("resolve_model takes a profile's name or a path, and lists the profiles otherwise") {
  const auto real = resolve_model("tiny-llama-botchan", profile_folder);
  REQUIRE(real->config().name == "tiny-llama-botchan");
  REQUIRE(parameter_count(real->config()) == 2'016'960);
  const auto named = resolve_model("gpt2-tiny", profile_folder);
  REQUIRE(named->config().name == "gpt2-tiny");
  REQUIRE(named->tensors().size() == 36);
  REQUIRE(named->find({TensorRole::attention_q, 1})->rows == 64);
  REQUIRE(parameter_count(named->config()) == 3'332'928);
  const auto path = resolve_model(STAGEBENCH_TEST_DATA "/models/gpt2-tiny-random-f16", profile_folder);
  REQUIRE(path->config().name == "gpt2-tiny-random-f16");
  const auto made = resolve_model("llama-10m", profile_folder);
  REQUIRE(made->config().name == "llama-10m");
  REQUIRE(made->source() == "synthetic seed=1");
  REQUIRE_THROWS_SAYING(resolve_model("lama-10m", profile_folder), InputError, "\"lama-10m\"", "llama-10m, llama-110m",
                        "smollm2-135m", "found neither");
  REQUIRE_THROWS_SAYING(resolve_model("", profile_folder), InputError, "found neither");
  REQUIRE_THROWS_SAYING(resolve_model("a/b", profile_folder), InputError, "found neither");
  REQUIRE_THROWS_SAYING(resolve_model("x", profile_folder / "absent"), InputError, "absent",
                        "folder of model profiles");
}

TEST_CASE("A model under a profile's name reads as the one that it names") {
  const auto named = resolve_model("gpt2-tiny", profile_folder);
  const auto path = resolve_model(STAGEBENCH_TEST_DATA "/models/gpt2-tiny-random-f16", profile_folder);
  REQUIRE(named->source().find("gpt2-tiny-random-f16") != std::string_view::npos);
  const TensorInfo& tensor = *named->find({TensorRole::position_embedding, 0});
  std::vector<float> left(256 * 64);
  std::vector<float> right(256 * 64);
  named->read_rows(tensor, 0, 256, DType::f32, left.data());
  path->read_rows(*path->find(tensor.id), 0, 256, DType::f32, right.data());
  REQUIRE(left == right);
  REQUIRE(named->mapped(tensor).size() == 256 * 64 * 2);
  REQUIRE(named->vocabulary() == nullptr);
}

TEST_CASE("Only Hugging Face folders have tokenizer files") {
  const auto folder = tokenizer_folder(*resolve_model("tiny-llama-botchan", profile_folder));
  REQUIRE(folder);
  REQUIRE(fs::exists(*folder / "tokenizer.model"));
  REQUIRE_FALSE(tokenizer_folder(*resolve_model("llama-10m", profile_folder)));
}

// Published counts: model cards and the sum of the checkpoints' shapes on the Hub.
TEST_CASE("The synthetic profiles have the published numbers of parameters") {
  const std::map<std::string, std::int64_t> expected{
      {"gpt2-124m", 124'439'808},      {"llama-1.1b", 1'100'048'384},   {"llama-10m", 9'988'800},
      {"llama-110m", 109'529'856},     {"llama-2-70b", 68'976'648'192}, {"llama-3-8b", 8'030'261'248},
      {"llama-3.2-1b", 1'235'814'400},
  };
  std::map<std::string, std::int64_t> found;
  for (const ModelProfile& profile : read_model_profiles(profile_folder)) {
    REQUIRE_FALSE(profile.description.empty());
    if (profile.weights.empty()) found[profile.name] = parameter_count(profile.config);
  }
  REQUIRE(found == expected);
}

TEST_CASE("SmolLM2's shape has its published number of parameters") {
  ModelConfig config;
  config.architecture = Architecture::llama;
  config.n_layers = 30;
  config.hidden_size = 576;
  config.n_heads = 9;
  config.n_kv_heads = 3;
  config.head_dim = 64;
  config.intermediate_size = 1536;
  config.vocab_size = 49152;
  config.tied_embeddings = true;
  REQUIRE(parameter_count(config) == 134'515'008);
}

TEST_CASE("profiles/README.md states each profile and its number of parameters") {
  const std::string readme = read_text_file(profile_folder.parent_path() / "README.md");
  for (const ModelProfile& profile : read_model_profiles(profile_folder)) {
    INFO(profile.name);
    REQUIRE(readme.find("| " + profile.name + " | ") != std::string::npos);
  }
}

TEST_CASE("Llama 3.2's profile has its RoPE scaling") {
  const ModelProfile profile = read_model_profile(profile_folder / "llama-3.2-1b.toml");
  REQUIRE(profile.config.head_dim == 64);
  REQUIRE(profile.config.rope_frequency_divisors == llama3_frequency_divisors({32.0, 1.0, 4.0, 8192}, 500000.0, 64));
}
