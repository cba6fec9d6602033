#pragma once

#include <filesystem>
#include <memory>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// Opens a Hugging Face folder (config.json and model.safetensors, also sharded with its index) or a GGUF file, by
/// what is there. Maps the files and checks everything; reads no weights. Throws InputError.
std::shared_ptr<const Model> open_model(const std::filesystem::path& path);

}  // namespace stagebench
