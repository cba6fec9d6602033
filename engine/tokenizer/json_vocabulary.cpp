#include "json_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

// Real vocabularies have few holes. The bound keeps a crafted id from asking for memory.
std::size_t end_of_ids(std::size_t count) {
  return 2 * count + 1024;
}

void place(std::vector<std::string>& pieces, std::int64_t id, std::string_view piece, std::size_t end,
           const JsonValue& vocab) {
  if (id < 0 || id >= static_cast<std::int64_t>(end)) {
    vocab.fail(fmt::format("expected ids below {}, found {} for \"{}\"", end, id, piece));
  }
  const auto index = static_cast<std::size_t>(id);
  if (index >= pieces.size()) pieces.resize(index + 1);
  if (piece.empty()) vocab.fail(fmt::format("expected pieces with content, found an empty one with id {}", id));
  if (!pieces[index].empty() && pieces[index] != piece) {
    vocab.fail(fmt::format("expected one piece with id {}, found \"{}\" and \"{}\"", id, pieces[index], piece));
  }
  pieces[index] = piece;
}

}  // namespace

std::vector<std::string> parse_pieces(const JsonValue& vocab, const std::vector<AddedToken>& added) {
  const simdjson::dom::object object = vocab.as_object();
  const std::size_t end = end_of_ids(object.size() + added.size());
  std::vector<std::string> pieces;
  pieces.reserve(object.size() + added.size());
  for (const auto& [piece, value] : object) {
    std::int64_t id = 0;
    if (value.get(id) != simdjson::SUCCESS) vocab.fail(fmt::format("expected a whole number for \"{}\"", piece));
    place(pieces, id, piece, end, vocab);
  }
  for (const AddedToken& token : added) place(pieces, token.id, token.content, end, vocab);
  return pieces;
}

bool split_merge(std::string_view text, MergePair& merge) noexcept {
  const std::size_t space = text.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == text.size()) return false;
  merge = {text.substr(0, space), text.substr(space + 1)};
  return merge.second.find(' ') == std::string_view::npos;
}

std::vector<MergePair> parse_merges(const JsonValue& merges) {
  std::vector<MergePair> pairs;
  const simdjson::dom::array array = merges.as_array();
  pairs.reserve(array.size());
  for (const auto element : array) {
    MergePair pair;
    std::string_view text;
    simdjson::dom::array two;
    bool good = false;
    if (element.get(text) == simdjson::SUCCESS) {
      good = split_merge(text, pair);
    } else if (element.get(two) == simdjson::SUCCESS && two.size() == 2) {
      good = two.at(0).get(pair.first) == simdjson::SUCCESS && two.at(1).get(pair.second) == simdjson::SUCCESS;
    }
    if (!good) merges.fail(fmt::format("merge {}: expected two pieces, found something else", pairs.size()));
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace stagebench::tokenization
