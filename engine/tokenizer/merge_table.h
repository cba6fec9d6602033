#pragma once

/// Byte pair encoding: which two neighbours join into what, and in which order (Sennrich et al. 2016).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stagebench::tokenization {

/// An id of the vocabulary, or one past it for a character that only occurs inside longer pieces, or `no_symbol`.
using Symbol = std::uint32_t;
inline constexpr Symbol no_symbol = std::numeric_limits<Symbol>::max();
inline constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();

struct Merge {
  std::uint32_t rank = no_rank;  ///< lower joins first; equal ranks from left to right
  Symbol result = no_symbol;
};

/// (left, right) -> Merge: open addressing, 16 bytes a slot, at most two thirds full.
class MergeTable {
 public:
  MergeTable() : MergeTable(0) {}
  explicit MergeTable(std::size_t count);

  /// False where the pair is there already. No more than the `count` of the constructor; left and right are symbols.
  bool insert(Symbol left, Symbol right, Merge merge);

  /// rank == no_rank where the two do not join.
  Merge find(Symbol left, Symbol right) const noexcept {
    const std::uint64_t key = pack(left, right);
    for (std::size_t i = first_slot(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].merge;
      if (slots_[i].key == empty_key) return {};
    }
  }

 private:
  struct Slot {
    std::uint64_t key = empty_key;
    Merge merge;
  };
  static constexpr std::uint64_t empty_key = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t pack(Symbol left, Symbol right) noexcept {
    return (static_cast<std::uint64_t>(left) << 32) | right;
  }
  std::size_t first_slot(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

/// Joins neighbours until none can be joined: always the pair of the lowest rank, the leftmost of equals. Keeps its
/// memory between calls; one a thread.
class Merger {
 public:
  explicit Merger(const MergeTable& table) : table_(&table) {}

  /// In place. Short sequences are searched for their best pair after each join, which is quadratic but without
  /// overhead; long ones keep a heap of pairs: n log n. A no_symbol joins with nothing.
  void merge(std::vector<Symbol>& symbols);

  /// Pairs looked at in heap or row by all calls so far: what the cost grows with.
  std::uint64_t steps() const noexcept { return steps_; }

 private:
  void merge_short(std::vector<Symbol>& symbols);
  void merge_long(std::vector<Symbol>& symbols);
  void push_pair(const std::vector<Symbol>& symbols, std::uint32_t left);

  const MergeTable* table_;
  std::vector<Merge> pairs_;           // pairs_[i]: symbol i and its next one
  std::vector<std::uint32_t> next_;    // index of the following symbol that is left, n at the end
  std::vector<std::uint32_t> before_;  // index of the preceding one
  std::vector<std::uint64_t> heap_;    // rank << 32 | index of the left symbol
  std::uint64_t steps_ = 0;
};

}  // namespace stagebench::tokenization
