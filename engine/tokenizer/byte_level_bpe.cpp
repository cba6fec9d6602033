#include "byte_level_bpe.h"

#include <fmt/format.h>

#include "byte_alphabet.h"
#include "nfc.h"
#include "size_limits.h"
#include "stagebench/contracts/error.h"
#include "utf8.h"

namespace stagebench::tokenization {
namespace {

PieceIndex index_of_file_form(const ByteLevelVocabulary& vocabulary) {
  PieceIndex index(vocabulary.pieces.size());
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    const std::string& piece = vocabulary.pieces[id];
    if (piece.empty()) continue;
    if (piece.size() > max_piece_bytes) {
      throw InputError(fmt::format("{}: piece {}: expected at most {} bytes, found {}", vocabulary.source, id,
                                   max_piece_bytes, piece.size()));
    }
    if (!index.insert(piece, static_cast<TokenId>(id))) {
      throw InputError(fmt::format("{}: piece \"{}\": expected once, found with ids {} and {}", vocabulary.source,
                                   piece, *index.find(piece), id));
    }
  }
  return index;
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(ByteLevelVocabulary vocabulary)
    : source_(vocabulary.source),
      split_(std::move(vocabulary.split)),
      special_(std::move(vocabulary.special)),
      nfc_(vocabulary.nfc),
      ignore_merges_(vocabulary.ignore_merges),
      fuse_unknown_(vocabulary.fuse_unknown),
      index_(vocabulary.pieces.size()),
      merges_(vocabulary.merges.size()),
      detokenizer_(Utf8Repair::each_subpart, LeadingSpace::keep),
      whole_words_(vocabulary.pieces.size()) {
  if (vocabulary.unknown_id) unknown_ = static_cast<Symbol>(*vocabulary.unknown_id);
  add_merges(vocabulary);
  index_pieces(vocabulary.pieces);
  add_added_tokens(vocabulary.added);
  fill_detokenizer(vocabulary);
}

void ByteLevelBpe::add_merges(const ByteLevelVocabulary& vocabulary) {
  const PieceIndex index = index_of_file_form(vocabulary);
  const auto symbol = [&](std::string_view piece, std::size_t rank) {
    const auto id = index.find(piece);
    if (!id) {
      throw InputError(
          fmt::format("{}: merge {}: expected pieces of the vocabulary, found \"{}\"", vocabulary.source, rank, piece));
    }
    return static_cast<Symbol>(*id);
  };
  std::string joined;
  for (std::size_t rank = 0; rank < vocabulary.merges.size(); ++rank) {
    const auto& [left, right] = vocabulary.merges[rank];
    joined.assign(left).append(right);
    const Merge merge{static_cast<std::uint32_t>(rank), symbol(joined, rank)};
    if (!merges_.insert(symbol(left, rank), symbol(right, rank), merge)) {
      throw InputError(
          fmt::format("{}: merge {}: expected once, found \"{} {}\" again", vocabulary.source, rank, left, right));
    }
  }
}

void ByteLevelBpe::index_pieces(const std::vector<std::string>& pieces) {
  piece_bytes_.resize(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    auto bytes = bytes_of_piece(pieces[id]);
    // A piece outside the byte alphabet never comes of bytes: it can only be an added token.
    if (!bytes || bytes->empty()) continue;
    piece_bytes_[id] = *std::move(bytes);
    index_.insert(piece_bytes_[id], static_cast<TokenId>(id));
  }
  for (std::size_t byte = 0; byte < byte_symbols_.size(); ++byte) {
    const char character = static_cast<char>(byte);
    const auto id = index_.find({&character, 1});
    byte_symbols_[byte] = id ? static_cast<Symbol>(*id) : no_symbol;
  }
}

void ByteLevelBpe::add_added_tokens(std::vector<AddedToken>& added) {
  for (AddedToken& token : added) {
    if (token.normalized && nfc_) token.content = to_nfc(token.content);
    AddedTokenMatcher& matcher = token.normalized ? added_in_normalized_ : added_in_original_;
    if (!matcher.insert(token)) {
      throw InputError(fmt::format("{}: added token \"{}\": expected once, found again", source_, token.content));
    }
  }
}

void ByteLevelBpe::fill_detokenizer(const ByteLevelVocabulary& vocabulary) {
  std::vector<const AddedToken*> added(vocabulary.pieces.size(), nullptr);
  for (const AddedToken& token : vocabulary.added) added[static_cast<std::size_t>(token.id)] = &token;
  detokenizer_.reserve(vocabulary.pieces.size(), vocabulary.pieces.size() * 8);
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    // An added token is what it matches in the text, even where its characters are of the byte alphabet.
    const std::string_view bytes = added[id] != nullptr        ? std::string_view(added[id]->content)
                                   : !piece_bytes_[id].empty() ? std::string_view(piece_bytes_[id])
                                                               : std::string_view(vocabulary.pieces[id]);
    detokenizer_.add(bytes, Contribution::bytes, added[id] != nullptr && added[id]->special);
  }
}

/// One call of encode: its buffers and where the ids go.
class ByteLevelBpe::Encoder {
 public:
  Encoder(const ByteLevelBpe& tokenizer, std::vector<TokenId>& ids)
      : tokenizer_(tokenizer), splitter_(tokenizer.split_), merger_(tokenizer.merges_), ids_(ids) {}

  void original(std::string_view text) {
    tokenizer_.added_in_original_.split(
        text, [this](std::string_view part) { normalize(part); }, [this](TokenId id) { ids_.push_back(id); });
  }

 private:
  void normalize(std::string_view text) {
    if (!tokenizer_.nfc_ || is_surely_nfc(text)) return normalized(text);
    std::string composed;
    composed.reserve(text.size());
    split_by_validity(
        text, [&](std::string_view part) { composed += to_nfc(part); },
        [&](std::string_view part) { composed += part; });
    normalized(composed);
  }

  void normalized(std::string_view text) {
    tokenizer_.added_in_normalized_.split(
        text, [this](std::string_view part) { words(part); }, [this](TokenId id) { ids_.push_back(id); });
  }

  void words(std::string_view text) {
    split_by_validity(
        text,
        [this](std::string_view part) { splitter_.split(part, [this](std::string_view word) { this->word(word); }); },
        [this](std::string_view part) { word(part); });
  }

  void word(std::string_view bytes) {
    const auto id = tokenizer_.index_.find(bytes);
    if (id && (tokenizer_.ignore_merges_ || tokenizer_.whole_words_.is_whole(*id))) {
      ids_.push_back(*id);
      return;
    }
    merge(bytes);
    if (id && symbols_.size() == 1 && symbols_[0] == static_cast<Symbol>(*id)) tokenizer_.whole_words_.set_whole(*id);
    ids_.insert(ids_.end(), symbols_.begin(), symbols_.end());
  }

  void merge(std::string_view bytes) {
    symbols_.clear();
    bool after_unknown = false;
    for (const char byte : bytes) {
      const Symbol symbol = tokenizer_.byte_symbols_[static_cast<unsigned char>(byte)];
      const bool unknown = symbol == no_symbol;
      const bool left_out =
          unknown && (tokenizer_.unknown_ == no_symbol || (after_unknown && tokenizer_.fuse_unknown_));
      if (!left_out) symbols_.push_back(unknown ? tokenizer_.unknown_ : symbol);
      after_unknown = unknown;
    }
    merger_.merge(symbols_);
  }

  const ByteLevelBpe& tokenizer_;
  Splitter splitter_;
  Merger merger_;
  std::vector<Symbol> symbols_;
  std::vector<TokenId>& ids_;
};

std::vector<TokenId> ByteLevelBpe::encode(std::string_view text, bool add_special_tokens) const {
  if (text.size() >= max_text_bytes) {
    throw UsageError(fmt::format("encode: expected less than {} bytes of text, found {}", max_text_bytes, text.size()));
  }
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 3 + 8);
  if (add_special_tokens) ids = special_.prefix;
  Encoder(*this, ids).original(text);
  if (add_special_tokens) ids.insert(ids.end(), special_.suffix.begin(), special_.suffix.end());
  return ids;
}

std::string ByteLevelBpe::decode(std::span<const TokenId> ids, SpecialTokens special) const {
  return detokenizer_.decode(ids, special);
}

std::unique_ptr<StreamingDecoder> ByteLevelBpe::streaming_decoder(SpecialTokens special) const {
  return detokenizer_.streaming_decoder(special);
}

}  // namespace stagebench::tokenization
