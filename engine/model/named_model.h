#pragma once

#include <memory>
#include <string>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// The same model with another name in its config: the profile's instead of the file's.
std::shared_ptr<const Model> with_name(std::shared_ptr<const Model> model, std::string name);

}  // namespace stagebench
