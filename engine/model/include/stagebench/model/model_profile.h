#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// profiles/models/<name>.toml: a named model, synthetic (a shape and a seed) or with weights in a folder or file.
struct ModelProfile {
  std::string name;
  std::string description;
  ModelConfig config;  ///< the shape, for synthetic ones; empty for the others
  std::uint64_t seed = 0;
  /// Of real models: the folder or GGUF file. Relative paths count from the profile's folder; a leading "${cache}" is
  /// the cache folder, $STAGEBENCH_CACHE or else <project>/.cache. Empty for synthetic ones.
  std::filesystem::path weights;
  /// What to type when the weights are not there ("scripts/fetch_model smollm2-135m"); may be empty.
  std::string fetch_command;
};

/// Reads and checks one profile. Unknown keys, missing keys, wrong types and contradictory values are refused with file
/// and line. Throws InputError.
ModelProfile read_model_profile(const std::filesystem::path& file);

/// All profiles of a folder, by name. Throws InputError.
std::vector<ModelProfile> read_model_profiles(const std::filesystem::path& folder);

/// What --model takes: the name of a profile in `profile_folder`, else a path to a folder or GGUF file.
/// The error for a name that is neither lists the profiles; the one for weights that were not fetched says how to.
std::shared_ptr<const Model> resolve_model(const std::string& name_or_path,
                                           const std::filesystem::path& profile_folder);

/// Where that model's tokenizer files lie: the folder of a Hugging Face model; nothing for GGUF and synthetic ones.
std::optional<std::filesystem::path> tokenizer_folder(const Model& model);

}  // namespace stagebench
