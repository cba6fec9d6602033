#pragma once

#include <filesystem>
#include <memory>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// Opens a folder with config.json and safetensors files. Its source() is the folder's path and its config's name the
/// folder's name. Throws InputError.
///
/// A tied model's file may hold lm_head.weight too, as some do; it is passed over where it equals the embedding byte by
/// byte, and refused where it does not.
std::shared_ptr<const Model> open_hugging_face(const std::filesystem::path& folder);

}  // namespace stagebench
