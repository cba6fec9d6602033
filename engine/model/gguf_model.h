#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// Maps a GGUF file (version 2 or 3) of a llama or gpt2 model and checks all of it but the weights' values.
/// Throws InputError.
std::shared_ptr<const Model> open_gguf(const std::filesystem::path& path);

/// The same of bytes in memory, which `owner` keeps alive as long as the model lives. `source` is what messages and
/// Model::source() call it, `name` becomes ModelConfig::name.
std::shared_ptr<const Model> make_gguf_model(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                             std::string source, std::string name);

}  // namespace stagebench
