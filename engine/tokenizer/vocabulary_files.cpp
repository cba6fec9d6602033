#include "vocabulary_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "json_vocabulary.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/json.h"
#include "stagebench/support/text_file.h"

namespace stagebench::tokenization {
namespace {

std::vector<MergePair> parse_merges_text(std::string_view text, const std::string& source) {
  std::vector<MergePair> merges;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.ends_with('\r')) content.remove_suffix(1);
    if (content.empty() || content.starts_with("#version")) continue;
    MergePair pair;
    if (!split_merge(content, pair)) {
      throw InputError(fmt::format("{}: line {}: expected \"left right\", found \"{}\"", source, line, content));
    }
    merges.push_back(pair);
  }
  return merges;
}

SplitStep split_of_class(const TokenizerConfig& config, bool& nfc) {
  const bool qwen2 = config.tokenizer_class == "Qwen2Tokenizer";
  if (!qwen2 && !config.tokenizer_class.empty() && config.tokenizer_class != "GPT2Tokenizer") {
    throw InputError(
        fmt::format("{}: tokenizer_class: expected GPT2Tokenizer or Qwen2Tokenizer with vocab.json and "
                    "merges.txt, found \"{}\"",
                    config.source, config.tokenizer_class));
  }
  nfc = qwen2;
  SplitStep step = regex_step(qwen2 ? qwen2_pattern : gpt2_pattern, "built-in pattern");
  step.add_prefix_space = config.add_prefix_space.value_or(false);
  return step;
}

std::vector<AddedToken> added_tokens(const TokenizerConfig& config, const std::vector<std::string>& pieces) {
  std::vector<AddedToken> added = config.added;
  for (const auto& token : {config.bos_token, config.eos_token, config.unk_token}) {
    if (!token || token->empty()) continue;
    const auto is_token = [&](const AddedToken& entry) { return entry.content == *token; };
    if (std::any_of(added.begin(), added.end(), is_token)) continue;
    const auto found = std::find(pieces.begin(), pieces.end(), *token);
    if (found == pieces.end()) continue;  // apply_config reports it where it matters
    AddedToken entry;
    entry.content = *token;
    entry.id = static_cast<TokenId>(found - pieces.begin());
    entry.special = true;
    added.push_back(std::move(entry));
  }
  return added;
}

}  // namespace

ByteLevelVocabulary read_vocabulary_files(const std::filesystem::path& folder, const TokenizerConfig& config,
                                          std::string& merges_text) {
  const auto merges_path = folder / "merges.txt";
  const JsonDocument document = JsonDocument::from_file(folder / "vocab.json");
  ByteLevelVocabulary vocabulary;
  vocabulary.source = document.root().where();
  vocabulary.pieces = parse_pieces(document.root(), config.added);
  vocabulary.added = added_tokens(config, vocabulary.pieces);
  merges_text = read_text_file(merges_path);
  vocabulary.merges = parse_merges_text(merges_text, merges_path.string());
  vocabulary.split.steps.push_back(split_of_class(config, vocabulary.nfc));
  return vocabulary;
}

}  // namespace stagebench::tokenization
