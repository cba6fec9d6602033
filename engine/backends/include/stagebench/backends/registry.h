#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/backend.h"

namespace stagebench {

/// Names of the backends of this build, the default first.
std::vector<std::string> backend_names();

/// "auto" is the best that this machine can run. Throws UsageError for an unknown name (listing the known ones).
std::unique_ptr<Backend> make_backend(std::string_view name);

}  // namespace stagebench
