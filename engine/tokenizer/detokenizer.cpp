#include "detokenizer.h"

#include <fmt/format.h>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {

void Detokenizer::reserve(std::size_t pieces, std::size_t bytes) {
  pieces_.reserve(pieces);
  arena_.reserve(bytes);
}

void Detokenizer::add(std::string_view piece, Contribution contribution, bool special, bool begins_with_space) {
  const std::size_t begin = arena_.size();
  if (contribution == Contribution::bytes) {
    arena_ += piece;
  } else {
    append_repaired_utf8(arena_, piece, repair_);
    all_bytes_ = false;
  }
  const std::string_view added = std::string_view(arena_).substr(begin);
  pieces_.push_back({begin, static_cast<std::uint32_t>(added.size()), contribution, special, begins_with_space,
                     valid_utf8_prefix(added) == added.size()});
}

std::string_view Detokenizer::piece(TokenId id) const noexcept {
  const Piece& found = pieces_[static_cast<std::size_t>(id)];
  return std::string_view(arena_).substr(found.begin, found.bytes);
}

const Detokenizer::Piece& Detokenizer::checked(TokenId id) const {
  if (id < 0 || id >= size()) {
    throw UsageError(fmt::format("decode: expected ids from 0 to {}, found {}", size() - 1, id));
  }
  return pieces_[static_cast<std::size_t>(id)];
}

void Detokenizer::append(State& state, const Piece& piece, SpecialTokens special, std::string& text) const {
  if (piece.special && special == SpecialTokens::skip) return;
  std::string_view added = std::string_view(arena_).substr(piece.begin, piece.bytes);
  if (piece.contribution == Contribution::bytes) {
    if (state.pending.empty() && piece.is_utf8) {
      text += added;
    } else {
      state.pending += added;
      append_complete_utf8(text, state.pending, repair_);
    }
    if (!added.empty()) state.at_start = false;
    return;
  }
  if (!state.pending.empty()) {
    append_repaired_utf8(text, state.pending, repair_);
    state.pending.clear();
  }
  if (state.at_start && piece.begins_with_space && leading_space_ != LeadingSpace::keep) {
    added.remove_prefix(1);
    if (leading_space_ == LeadingSpace::drop_one) state.at_start = false;
  }
  if (!added.empty()) state.at_start = false;
  text += added;
}

std::string Detokenizer::decode_bytes(std::span<const TokenId> ids, SpecialTokens special) const {
  std::string bytes;
  bytes.reserve(ids.size() * 5);
  for (const TokenId id : ids) {
    const Piece& piece = checked(id);
    if (piece.special && special == SpecialTokens::skip) continue;
    bytes.append(arena_, piece.begin, piece.bytes);
  }
  if (valid_utf8_prefix(bytes) == bytes.size()) return bytes;
  std::string text;
  append_repaired_utf8(text, bytes, repair_);
  return text;
}

std::string Detokenizer::decode(std::span<const TokenId> ids, SpecialTokens special) const {
  if (all_bytes_) return decode_bytes(ids, special);
  State state;
  std::string text;
  text.reserve(ids.size() * 5);
  for (const TokenId id : ids) append(state, checked(id), special, text);
  append_repaired_utf8(text, state.pending, repair_);
  return text;
}

class Detokenizer::Streaming final : public StreamingDecoder {
 public:
  Streaming(const Detokenizer& detokenizer, SpecialTokens special) : detokenizer_(&detokenizer), special_(special) {}

  std::string push(TokenId id) override {
    std::string text;
    detokenizer_->append(state_, detokenizer_->checked(id), special_, text);
    return text;
  }

  std::string finish() override {
    std::string text;
    append_repaired_utf8(text, state_.pending, detokenizer_->repair_);
    state_ = {};
    return text;
  }

 private:
  const Detokenizer* detokenizer_;
  SpecialTokens special_;
  State state_;
};

std::unique_ptr<StreamingDecoder> Detokenizer::streaming_decoder(SpecialTokens special) const {
  return std::make_unique<Streaming>(*this, special);
}

}  // namespace stagebench::tokenization
