#include "gguf_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json_vocabulary.h"
#include "stagebench/contracts/error.h"
#include "vocabulary_checks.h"

namespace stagebench::tokenization {
namespace {

struct NamedPreSplit {
  std::string_view name;
  std::array<std::string_view, 4> patterns;  // in order; empty: none
  bool nfc;
  bool ignore_merges_and_add_bos;
};

constexpr std::array<NamedPreSplit, 7> pre_splits{{
    {"gpt-2", {gpt2_pattern}, false, false},
    {"smollm", {R"(\p{N})", gpt2_pattern}, false, false},
    {"llama-bpe", {llama3_pattern}, false, true},
    {"llama3", {llama3_pattern}, false, true},
    {"llama-v3", {llama3_pattern}, false, true},
    {"qwen2", {qwen2_pattern}, true, false},
    {"default", {R"([\p{P}\$\+<=>\^~\|]+)", gpt2_pattern, R"(\p{N}+)", "[0-9][0-9][0-9]"}, false, false},
}};

const NamedPreSplit& find_pre_split(const Vocabulary& vocabulary) {
  const auto found = std::find_if(pre_splits.begin(), pre_splits.end(),
                                  [&](const NamedPreSplit& entry) { return entry.name == vocabulary.pre; });
  if (found != pre_splits.end()) return *found;
  std::string known;
  for (const NamedPreSplit& entry : pre_splits) known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  throw InputError(fmt::format("{}: pre-split: expected one of {}, found {}", vocabulary.source, known,
                               vocabulary.pre.empty() ? "none" : fmt::format("\"{}\"", vocabulary.pre)));
}

bool is_recognised_in_text(PieceType type) noexcept {
  return type == PieceType::control || type == PieceType::user_defined;
}

std::vector<MergePair> split_merges(const Vocabulary& vocabulary) {
  std::vector<MergePair> merges(vocabulary.merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    if (split_merge(vocabulary.merges[rank], merges[rank])) continue;
    throw InputError(fmt::format("{}: merge {}: expected \"left right\", found \"{}\"", vocabulary.source, rank,
                                 vocabulary.merges[rank]));
  }
  return merges;
}

}  // namespace

ByteLevelVocabulary byte_level_vocabulary(const Vocabulary& vocabulary) {
  check_vocabulary(vocabulary);
  const NamedPreSplit& pre_split = find_pre_split(vocabulary);
  ByteLevelVocabulary result;
  result.source = vocabulary.source;
  result.pieces = vocabulary.pieces;
  result.merges = split_merges(vocabulary);
  result.ignore_merges = pre_split.ignore_merges_and_add_bos;
  result.nfc = pre_split.nfc;
  result.special = special_ids(vocabulary, pre_split.ignore_merges_and_add_bos);
  for (const std::string_view pattern : pre_split.patterns) {
    if (!pattern.empty()) result.split.steps.push_back(regex_step(pattern, std::string(pre_split.name)));
  }
  for (std::size_t id = 0; id < result.pieces.size(); ++id) {
    const PieceType type = type_of(vocabulary, id);
    if (!is_recognised_in_text(type) || result.pieces[id].empty()) continue;
    AddedToken token;
    token.content = result.pieces[id];
    token.id = static_cast<TokenId>(id);
    token.special = type == PieceType::control;
    result.added.push_back(std::move(token));
  }
  return result;
}

}  // namespace stagebench::tokenization
