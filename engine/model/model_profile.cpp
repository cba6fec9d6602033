#include "stagebench/model/model_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "config_check.h"
#include "named_model.h"
#include "rope_scaling.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/open_model.h"
#include "stagebench/model/synthetic_model.h"
#include "strict_toml.h"

namespace stagebench {
namespace {

Architecture read_architecture(const StrictTable& shape) {
  const std::string text = shape.string("architecture");
  for (const Architecture architecture : {Architecture::llama, Architecture::gpt2}) {
    if (text == name(architecture)) return architecture;
  }
  shape.fail("architecture", fmt::format("expected \"llama\" or \"gpt2\", found \"{}\"", text));
}

TokenId to_token_id(const StrictTable& shape, std::string_view key, std::int64_t id) {
  if (id < 0 || id > std::numeric_limits<TokenId>::max()) {
    shape.fail(key, fmt::format("expected token ids of 0 or more, found {}", id));
  }
  return static_cast<TokenId>(id);
}

void read_token_ids(const StrictTable& shape, ModelConfig& config) {
  if (const auto bos = shape.find_integer("bos_id")) config.bos_id = to_token_id(shape, "bos_id", *bos);
  if (const auto eos_ids = shape.find_integers("eos_ids")) {
    for (const std::int64_t id : *eos_ids) config.eos_ids.push_back(to_token_id(shape, "eos_ids", id));
  }
}

std::vector<float> read_rope_scaling(const StrictTable& table, const ModelConfig& config) {
  table.allow_only({"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"});
  const Llama3RopeScaling scaling{table.number("factor"), table.number("low_freq_factor"),
                                  table.number("high_freq_factor"), table.integer("original_max_position_embeddings")};
  if (const auto problem = llama3_scaling_problem(scaling)) table.fail(*problem);
  return llama3_frequency_divisors(scaling, config.rope_theta, config.head_dim);
}

std::int64_t default_head_dim(const StrictTable& shape, const ModelConfig& config) {
  if (config.n_heads < 1 || config.hidden_size % config.n_heads != 0) {
    shape.fail("n_heads", fmt::format("expected a divisor of hidden_size ({}), since head_dim is absent, found {}",
                                      config.hidden_size, config.n_heads));
  }
  return config.hidden_size / config.n_heads;
}

ModelConfig read_shape(const StrictTable& shape) {
  shape.allow_only({"architecture", "n_layers", "hidden_size", "n_heads", "n_kv_heads", "head_dim", "intermediate_size",
                    "vocab_size", "max_context", "norm_epsilon", "tied_embeddings", "rope_theta", "rope_scaling",
                    "bos_id", "eos_ids"});
  ModelConfig config;
  config.architecture = read_architecture(shape);
  config.n_layers = shape.integer("n_layers");
  config.hidden_size = shape.integer("hidden_size");
  config.n_heads = shape.integer("n_heads");
  config.n_kv_heads = shape.find_integer("n_kv_heads").value_or(config.n_heads);
  const auto head_dim = shape.find_integer("head_dim");
  config.head_dim = head_dim ? *head_dim : default_head_dim(shape, config);
  config.intermediate_size = shape.integer("intermediate_size");
  config.vocab_size = shape.integer("vocab_size");
  config.max_context = shape.integer("max_context");
  config.norm_epsilon = shape.number("norm_epsilon");
  config.tied_embeddings = shape.flag("tied_embeddings");
  if (config.architecture == Architecture::llama) {
    config.rope_theta = shape.number("rope_theta");
  } else {
    for (const std::string_view key : {"rope_theta", "rope_scaling"}) {
      if (shape.contains(key)) shape.fail(key, "expected none in a gpt2 model, whose positions are learned");
    }
  }
  read_token_ids(shape, config);
  if (const auto problem = config_problem(config)) shape.fail(*problem);
  if (const auto scaling = shape.find_table("rope_scaling")) {
    config.rope_frequency_divisors = read_rope_scaling(*scaling, config);
  }
  return config;
}

std::filesystem::path cache_folder(const std::filesystem::path& profile_folder) {
  const char* chosen = std::getenv("STAGEBENCH_CACHE");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  // <project>/profiles/models -> <project>/.cache; canonical, since the folder may be empty, relative or have "..".
  return std::filesystem::weakly_canonical(profile_folder / ".").parent_path().parent_path() / ".cache";
}

std::filesystem::path weights_path(const std::string& text, const std::filesystem::path& profile_folder) {
  constexpr std::string_view cache = "${cache}/";
  if (text.starts_with(cache)) return cache_folder(profile_folder) / text.substr(cache.size());
  return (profile_folder / text).lexically_normal();
}

void read_synthetic(const StrictTable& root, const StrictTable& shape, ModelProfile& profile) {
  for (const std::string_view key : {"weights", "fetch_command"}) {
    if (root.contains(key)) root.fail(key, "expected none beside [shape], which makes the model synthetic");
  }
  const std::int64_t seed = root.integer("seed");
  if (seed < 0) root.fail("seed", fmt::format("expected 0 or more, found {}", seed));
  profile.seed = static_cast<std::uint64_t>(seed);
  profile.config = read_shape(shape);
  profile.config.name = profile.name;
}

void read_real(const StrictTable& root, const std::filesystem::path& profile_folder, ModelProfile& profile) {
  if (!root.contains("weights")) {
    root.fail("weights", "expected a path, or a table [shape] of a synthetic model, found neither");
  }
  if (root.contains("seed")) root.fail("seed", "expected none beside weights, which are not made from a seed");
  const std::string weights = root.string("weights");
  if (weights.empty()) root.fail("weights", "expected a path, found an empty string");
  profile.weights = weights_path(weights, profile_folder);
  profile.fetch_command = root.find_string("fetch_command").value_or("");
}

std::shared_ptr<const Model> open_profile(const ModelProfile& profile) {
  if (profile.weights.empty()) return make_synthetic_model(profile.config, profile.seed);
  if (!std::filesystem::exists(profile.weights)) {
    throw InputError(fmt::format("model {}: expected its weights in {}, found nothing there{}", profile.name,
                                 profile.weights.string(),
                                 profile.fetch_command.empty() ? "" : ": run " + profile.fetch_command));
  }
  return with_name(open_model(profile.weights), profile.name);
}

/// By name.
std::vector<std::filesystem::path> profile_files(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  if (error) {
    throw InputError(
        fmt::format("{}: expected a folder of model profiles, found none: {}", folder.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

ModelProfile read_model_profile(const std::filesystem::path& file) {
  const toml::table table = parse_toml_file(file);
  const StrictTable root(file, table, "");
  root.allow_only({"description", "seed", "shape", "weights", "fetch_command"});
  ModelProfile profile;
  profile.name = file.stem().string();
  profile.description = root.string("description");
  if (const auto shape = root.find_table("shape")) {
    read_synthetic(root, *shape, profile);
  } else {
    read_real(root, file.parent_path(), profile);
  }
  return profile;
}

std::vector<ModelProfile> read_model_profiles(const std::filesystem::path& folder) {
  std::vector<ModelProfile> profiles;
  for (const auto& file : profile_files(folder)) profiles.push_back(read_model_profile(file));
  return profiles;
}

std::shared_ptr<const Model> resolve_model(const std::string& name_or_path,
                                           const std::filesystem::path& profile_folder) {
  const auto file = profile_folder / (name_or_path + ".toml");
  const bool is_plain = !name_or_path.empty() && name_or_path.find('/') == std::string::npos;
  if (is_plain && std::filesystem::exists(file)) return open_profile(read_model_profile(file));
  if (std::filesystem::exists(name_or_path)) return open_model(name_or_path);
  std::vector<std::string> names;
  for (const auto& profile : profile_files(profile_folder)) names.push_back(profile.stem().string());
  throw InputError(fmt::format("model \"{}\": expected a path, or the name of a profile in {} ({}), found neither",
                               name_or_path, profile_folder.string(), fmt::join(names, ", ")));
}

std::optional<std::filesystem::path> tokenizer_folder(const Model& model) {
  const std::filesystem::path source(model.source());
  std::error_code ignored;
  if (!std::filesystem::exists(source / "config.json", ignored)) return std::nullopt;
  return source;
}

}  // namespace stagebench
