#pragma once

/// Pieces and merges as JSON has them: `model.vocab` and `model.merges` of tokenizer.json, and vocab.json.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "added_tokens.h"
#include "stagebench/support/json.h"

namespace stagebench::tokenization {

using MergePair = std::pair<std::string_view, std::string_view>;

/// The pieces of `vocab` ({"piece": id, ...}) and the contents of `added` by id; ids that nothing names stay empty.
/// Throws InputError for an id that is taken by another piece or far beyond the number of pieces.
std::vector<std::string> parse_pieces(const JsonValue& vocab, const std::vector<AddedToken>& added);

/// ["left right", ...] or [["left", "right"], ...]; views into the document. Throws InputError.
std::vector<MergePair> parse_merges(const JsonValue& merges);

/// "left right": one space, nothing empty. Nothing where it is not so.
bool split_merge(std::string_view text, MergePair& merge) noexcept;

}  // namespace stagebench::tokenization
