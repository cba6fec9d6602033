#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "stagebench/contracts/tokenizer.h"
#include "tokenizer_config.h"

namespace stagebench::tokenization {

/// The tokenizer of a .model file's bytes; `source` is its name. The sentencepiece library encodes, except for BPE
/// models that rewrite nothing (Llama 2, Mistral): for these SentencepieceBpe gives the same ids several times faster.
/// BOS is added in front unless `config` says no, as transformers does for these models; EOS only if it says so. The
/// tokens that `config` names overrule the model's own BOS and EOS. Throws InputError for a damaged model.
std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(std::string_view model_proto, const std::string& source,
                                                        const TokenizerConfig& config);

}  // namespace stagebench::tokenization
