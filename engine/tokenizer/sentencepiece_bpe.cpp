#include "sentencepiece_bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "sentencepiece_model.h"
#include "sentencepiece_pieces.h"
#include "size_limits.h"
#include "stagebench/contracts/error.h"
#include "utf8.h"
#include "vocabulary_checks.h"

namespace stagebench::tokenization {
namespace {

std::vector<std::string> checked_pieces(const Vocabulary& vocabulary) {
  check_vocabulary(vocabulary);
  if (vocabulary.scores.empty())
    throw InputError(fmt::format("{}: scores: expected one a piece, found none", vocabulary.source));
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    const std::size_t bytes = vocabulary.pieces[id].size();
    if (bytes == 0 || bytes > max_piece_bytes) {
      throw InputError(
          fmt::format("{}: piece {}: expected 1 to {} bytes, found {}", vocabulary.source, id, max_piece_bytes, bytes));
    }
    if (!std::isfinite(vocabulary.scores[id])) {
      throw InputError(
          fmt::format("{}: score {}: expected a number, found {}", vocabulary.source, id, vocabulary.scores[id]));
    }
  }
  return vocabulary.pieces;
}

/// Equal scores have equal ranks, the highest score rank 0.
std::vector<std::uint32_t> ranks_of_scores(const std::vector<float>& scores) {
  std::vector<float> distinct = scores;
  std::sort(distinct.begin(), distinct.end(), std::greater<>());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> ranks(scores.size());
  for (std::size_t id = 0; id < scores.size(); ++id) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), scores[id], std::greater<>());
    ranks[id] = static_cast<std::uint32_t>(place - distinct.begin());
  }
  return ranks;
}

std::string_view first_character(std::string_view text) noexcept {
  return text.substr(0, first_utf8_sequence(text).bytes);
}

}  // namespace

SentencepieceBpe::SentencepieceBpe(const Vocabulary& vocabulary, SpecialIds special)
    : source_(vocabulary.source),
      special_(std::move(special)),
      add_space_prefix_(vocabulary.add_space_prefix.value_or(true)),
      unknown_id_(vocabulary.unknown_id),
      pieces_(checked_pieces(vocabulary)),
      mergeable_(pieces_.size()),
      detokenizer_(Utf8Repair::each_byte, add_space_prefix_ ? LeadingSpace::drop_one : LeadingSpace::keep),
      whole_words_(pieces_.size()) {
  index_pieces(vocabulary);
  check_unknown_characters();
  find_merges(vocabulary);
}

void SentencepieceBpe::index_pieces(const Vocabulary& vocabulary) {
  PieceIndex all(pieces_.size());
  std::array<bool, 256> has_byte{};
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const std::string_view piece = pieces_[i];
    const PieceType type = type_of(vocabulary, i);
    if (!all.insert(piece, id)) {
      throw InputError(fmt::format("{}: piece \"{}\": expected once, found with ids {} and {}", source_, piece,
                                   *all.find(piece), id));
    }
    add_sentencepiece_piece(detokenizer_, piece, type, default_unknown_surface);
    if (type == PieceType::normal || type == PieceType::user_defined) mergeable_.insert(piece, id);
    if (type == PieceType::unknown && !unknown_id_) unknown_id_ = id;
    if (type == PieceType::user_defined) {
      AddedToken token;
      token.content = piece;
      token.id = id;
      user_defined_.insert(token);
    }
    if (const auto byte = byte_of_piece(piece); byte && type == PieceType::byte) {
      byte_ids_[*byte] = id;
      has_byte[*byte] = true;
    }
  }
  has_all_bytes_ = std::all_of(has_byte.begin(), has_byte.end(), [](bool has) { return has; });
}

void SentencepieceBpe::check_unknown_characters() const {
  if (unknown_id_ || has_all_bytes_) return;
  throw InputError(fmt::format("{}: expected an unknown piece or 256 byte pieces, found neither", source_));
}

Symbol SentencepieceBpe::symbol_of(std::string_view part) const noexcept {
  if (const auto id = mergeable_.find(part)) return static_cast<Symbol>(*id);
  if (const auto lone = lone_characters_.find(part)) return static_cast<Symbol>(*lone);
  return no_symbol;
}

void SentencepieceBpe::note_characters(std::string_view piece) {
  bool mark_leads = true;
  for (std::string_view rest = piece; !rest.empty();) {
    const std::string_view character = first_character(rest);
    rest.remove_prefix(character.size());
    if (character == space_mark && !mark_leads) space_mark_only_leads_ = false;
    mark_leads = mark_leads && character == space_mark;
    if (symbol_of(character) != no_symbol) continue;
    lone_characters_.insert(character, static_cast<TokenId>(pieces_.size() + lone_.size()));
    lone_.push_back(character);
  }
}

void SentencepieceBpe::find_merges(const Vocabulary& vocabulary) {
  struct Found {
    Symbol left, right;
    Merge merge;
  };
  std::vector<Found> found;
  std::vector<TokenId> candidates;
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    if (mergeable_.find(pieces_[id]) != static_cast<TokenId>(id)) continue;
    if (valid_utf8_prefix(pieces_[id]) != pieces_[id].size()) continue;  // never comes of repaired text
    note_characters(pieces_[id]);
    candidates.push_back(static_cast<TokenId>(id));
  }
  const std::vector<std::uint32_t> ranks = ranks_of_scores(vocabulary.scores);
  for (const TokenId id : candidates) {
    const std::string_view piece = pieces_[static_cast<std::size_t>(id)];
    for (std::size_t cut = first_character(piece).size(); cut < piece.size();
         cut += first_character(piece.substr(cut)).size()) {
      const Symbol left = symbol_of(piece.substr(0, cut));
      const Symbol right = left == no_symbol ? no_symbol : symbol_of(piece.substr(cut));
      if (right == no_symbol) continue;
      found.push_back({left, right, {ranks[static_cast<std::size_t>(id)], static_cast<Symbol>(id)}});
    }
  }
  for (std::size_t i = 0; i < ascii_symbols_.size(); ++i) {
    const char character = static_cast<char>(i);
    ascii_symbols_[i] = symbol_of({&character, 1});
  }
  merges_ = MergeTable(found.size());
  for (const Found& merge : found) merges_.insert(merge.left, merge.right, merge.merge);
}

/// One call of encode: its buffers and where the ids go.
class SentencepieceBpe::Encoder {
 public:
  Encoder(const SentencepieceBpe& tokenizer, std::vector<TokenId>& ids)
      : tokenizer_(tokenizer), merger_(tokenizer.merges_), ids_(ids) {}

  void normalized(std::string_view text) {
    tokenizer_.user_defined_.split(
        text, [this](std::string_view part) { words(part); },
        [this](TokenId id) {
          ids_.push_back(id);
          after_unknown_ = false;
        });
  }

 private:
  // Where the space mark only leads, no piece reaches over the start of a word: words are encoded by themselves.
  void words(std::string_view text) {
    while (!text.empty()) {
      std::size_t end = text.size();
      if (tokenizer_.space_mark_only_leads_) {
        std::size_t begin = 0;
        while (text.substr(begin).starts_with(space_mark)) begin += space_mark.size();
        end = std::min(text.find(space_mark, begin), text.size());
      }
      word(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  void word(std::string_view text) {
    const auto id = tokenizer_.mergeable_.find(text);
    if (id && tokenizer_.whole_words_.is_whole(*id)) {
      ids_.push_back(*id);
      after_unknown_ = false;
      return;
    }
    const std::size_t before = ids_.size();
    symbols_.clear();
    for (std::string_view rest = text; !rest.empty();) {
      const auto lead = static_cast<unsigned char>(rest.front());
      const std::string_view character = lead < 0x80 ? rest.substr(0, 1) : first_character(rest);
      rest.remove_prefix(character.size());
      const Symbol symbol = lead < 0x80 ? tokenizer_.ascii_symbols_[lead] : tokenizer_.symbol_of(character);
      if (symbol != no_symbol) {
        symbols_.push_back(symbol);
        continue;
      }
      flush();
      append_unknown(character);
    }
    flush();
    if (id && ids_.size() == before + 1 && ids_.back() == *id) tokenizer_.whole_words_.set_whole(*id);
  }

  void flush() {
    merger_.merge(symbols_);
    for (const Symbol symbol : symbols_) {
      if (symbol < tokenizer_.pieces_.size()) {
        ids_.push_back(static_cast<TokenId>(symbol));
        after_unknown_ = false;
      } else {
        append_unknown(tokenizer_.lone_[symbol - tokenizer_.pieces_.size()]);
      }
    }
    symbols_.clear();
  }

  // The library gives one unknown id for a run of unknown characters.
  void append_unknown(std::string_view character) {
    if (tokenizer_.has_all_bytes_) {
      for (const char byte : character) ids_.push_back(tokenizer_.byte_ids_[static_cast<unsigned char>(byte)]);
      return;
    }
    if (!after_unknown_) ids_.push_back(*tokenizer_.unknown_id_);
    after_unknown_ = true;
  }

  const SentencepieceBpe& tokenizer_;
  Merger merger_;
  std::vector<Symbol> symbols_;
  std::vector<TokenId>& ids_;
  bool after_unknown_ = false;
};

std::vector<TokenId> SentencepieceBpe::encode(std::string_view text, bool add_special_tokens) const {
  // A space becomes three bytes, a byte that is not UTF-8 as well.
  if (text.size() >= max_text_bytes / 3) {
    throw UsageError(
        fmt::format("encode: expected less than {} bytes of text, found {}", max_text_bytes / 3, text.size()));
  }
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 3 + 8);
  if (add_special_tokens) ids = special_.prefix;
  if (!text.empty()) {
    std::string repaired(add_space_prefix_ ? " " : "");
    append_repaired_utf8(repaired, text, Utf8Repair::each_byte);
    Encoder(*this, ids).normalized(replace_all(repaired, " ", space_mark));
  }
  if (add_special_tokens) ids.insert(ids.end(), special_.suffix.begin(), special_.suffix.end());
  return ids;
}

std::string SentencepieceBpe::decode(std::span<const TokenId> ids, SpecialTokens special) const {
  return detokenizer_.decode(ids, special);
}

std::unique_ptr<StreamingDecoder> SentencepieceBpe::streaming_decoder(SpecialTokens special) const {
  return detokenizer_.streaming_decoder(special);
}

}  // namespace stagebench::tokenization
