#pragma once

#include <optional>
#include <string>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// The first thing that is wrong with a shape, as "n_heads: expected a multiple of n_kv_heads (3), found 4"; nothing
/// where all is well. A config that passes has sizes so bounded that products of them fit 64 bits.
std::optional<std::string> config_problem(const ModelConfig& config);

}  // namespace stagebench
