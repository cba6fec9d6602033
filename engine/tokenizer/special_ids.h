#pragma once

#include <optional>
#include <vector>

#include "stagebench/contracts/token.h"

namespace stagebench::tokenization {

struct SpecialIds {
  std::optional<TokenId> bos_id, eos_id;
  std::vector<TokenId> prefix, suffix;  ///< what add_special_tokens puts before and behind
};

}  // namespace stagebench::tokenization
