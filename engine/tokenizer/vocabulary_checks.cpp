#include "vocabulary_checks.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string_view>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

void check_length(const Vocabulary& vocabulary, std::string_view what, std::size_t length) {
  if (length == 0 || length == vocabulary.pieces.size()) return;
  throw InputError(fmt::format("{}: {}: expected none or one for each of {} pieces, found {}", vocabulary.source, what,
                               vocabulary.pieces.size(), length));
}

void check_id(const Vocabulary& vocabulary, std::string_view what, std::optional<TokenId> id) {
  if (!id || (*id >= 0 && static_cast<std::size_t>(*id) < vocabulary.pieces.size())) return;
  throw InputError(fmt::format("{}: {}: expected an id from 0 to {}, found {}", vocabulary.source, what,
                               vocabulary.pieces.size() - 1, *id));
}

std::vector<TokenId> added_id(const Vocabulary& vocabulary, std::string_view what, bool add,
                              std::optional<TokenId> id) {
  if (!add) return {};
  if (!id) throw InputError(fmt::format("{}: expected the id of {} to add, found none", vocabulary.source, what));
  return {*id};
}

}  // namespace

void check_vocabulary(const Vocabulary& vocabulary) {
  constexpr std::size_t max_pieces = std::numeric_limits<TokenId>::max();
  if (vocabulary.pieces.empty() || vocabulary.pieces.size() > max_pieces) {
    throw InputError(
        fmt::format("{}: pieces: expected 1 to {}, found {}", vocabulary.source, max_pieces, vocabulary.pieces.size()));
  }
  check_length(vocabulary, "scores", vocabulary.scores.size());
  check_length(vocabulary, "types", vocabulary.types.size());
  check_id(vocabulary, "bos_id", vocabulary.bos_id);
  check_id(vocabulary, "eos_id", vocabulary.eos_id);
  check_id(vocabulary, "unknown_id", vocabulary.unknown_id);
  check_id(vocabulary, "padding_id", vocabulary.padding_id);
  for (std::size_t id = 0; id < vocabulary.types.size(); ++id) {
    if (vocabulary.types[id] < PieceType::normal || vocabulary.types[id] > PieceType::byte) {
      throw InputError(fmt::format("{}: types: expected 1 to 6, found {} for piece {}", vocabulary.source,
                                   static_cast<int>(vocabulary.types[id]), id));
    }
  }
}

SpecialIds special_ids(const Vocabulary& vocabulary, bool adds_bos_by_default) {
  const bool add_bos = vocabulary.add_bos.value_or(adds_bos_by_default && vocabulary.bos_id.has_value());
  return {vocabulary.bos_id, vocabulary.eos_id, added_id(vocabulary, "BOS", add_bos, vocabulary.bos_id),
          added_id(vocabulary, "EOS", vocabulary.add_eos.value_or(false), vocabulary.eos_id)};
}

PieceType type_of(const Vocabulary& vocabulary, std::size_t id) noexcept {
  return vocabulary.types.empty() ? PieceType::normal : vocabulary.types[id];
}

}  // namespace stagebench::tokenization
