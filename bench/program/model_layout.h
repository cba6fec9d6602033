#pragma once

#include <string>

#include "engine_flags.h"

namespace stagebench {

/// Prints a model's shape, the memory that it takes by context, and each tensor: what the file stores, what is in
/// memory, how it came there and how long that took. Loads the model where it fits; else prints the plan and says so.
void print_model_layout(const std::string& model, const EngineFlags& flags);

}  // namespace stagebench
