#pragma once

#include <cstdint>

namespace stagebench {

/// Index into a vocabulary. Valid ids are 0 <= id < vocab_size; there is no sentinel, absence is std::optional.
using TokenId = std::int32_t;

}  // namespace stagebench
