#include "piece_index.h"

#include <bit>

namespace stagebench::tokenization {
namespace {

std::size_t slots_for(std::size_t count) {
  return std::bit_ceil(count + count / 2 + 2);
}

}  // namespace

PieceIndex::PieceIndex(std::size_t count) : slots_(slots_for(count)), mask_(slots_.size() - 1) {}

bool PieceIndex::insert(std::string_view piece, TokenId id) {
  if (find(piece)) return false;
  if (slots_for(count_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_bytes(piece);
  std::size_t i = hash & mask_;
  while (slots_[i].id >= 0) i = (i + 1) & mask_;
  slots_[i] = {piece.data(), piece.size(), static_cast<std::uint32_t>(hash >> 32), id};
  ++count_;
  return true;
}

void PieceIndex::grow() {
  PieceIndex larger(count_ * 2 + 2);
  for (const Slot& slot : slots_) {
    if (slot.id >= 0) larger.insert({slot.data, slot.size}, slot.id);
  }
  *this = std::move(larger);
}

}  // namespace stagebench::tokenization
