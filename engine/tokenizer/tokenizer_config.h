#pragma once

/// `tokenizer_config.json`: what a Hugging Face folder says about special tokens.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "added_tokens.h"
#include "special_ids.h"
#include "stagebench/support/json.h"

namespace stagebench::tokenization {

/// clean_up_tokenization_spaces is not among these: decoding never changes spaces, so that text streams as it is.
struct TokenizerConfig {
  std::string source;           ///< for messages
  std::string tokenizer_class;  ///< empty where absent; without "Fast" at its end
  std::optional<bool> add_bos, add_eos, add_prefix_space;
  std::optional<std::string> bos_token, eos_token, unk_token;
  std::vector<AddedToken> added;  ///< added_tokens_decoder
};

/// Everything absent where the folder has no such file. Throws InputError for a damaged one.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

/// One entry of added_tokens or added_tokens_decoder. Throws InputError.
AddedToken parse_added_token(const JsonValue& entry, TokenId id);

/// Settles `special` by `config`: bos_token and eos_token name the ids, add_bos_token and add_eos_token, where they are
/// there, overrule what `special` adds by itself. `id_of` gives the id of a token. Throws InputError for a token that
/// is not there, and for one to add that has no name.
void apply_config(const TokenizerConfig& config, const std::function<std::optional<TokenId>(std::string_view)>& id_of,
                  SpecialIds& special);

}  // namespace stagebench::tokenization
