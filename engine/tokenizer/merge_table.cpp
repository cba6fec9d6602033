#include "merge_table.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace stagebench::tokenization {
namespace {

// Measured on English text: below this the row search wins over the heap.
constexpr std::size_t short_sequence = 48;

constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

}  // namespace

MergeTable::MergeTable(std::size_t count)
    : slots_(std::bit_ceil(count + count / 2 + 2)),
      mask_(slots_.size() - 1),
      shift_(64 - std::countr_zero(slots_.size())) {}

bool MergeTable::insert(Symbol left, Symbol right, Merge merge) {
  const std::uint64_t key = pack(left, right);
  std::size_t i = first_slot(key);
  for (; slots_[i].key != empty_key; i = (i + 1) & mask_) {
    if (slots_[i].key == key) return false;
  }
  slots_[i] = {key, merge};
  return true;
}

void Merger::merge(std::vector<Symbol>& symbols) {
  if (symbols.size() < 2) return;
  if (symbols.size() <= short_sequence) {
    merge_short(symbols);
  } else {
    merge_long(symbols);
  }
}

void Merger::merge_short(std::vector<Symbol>& symbols) {
  std::size_t n = symbols.size();
  pairs_.resize(n);
  const auto look_up = [&](std::size_t i) {
    pairs_[i] = i + 1 < n ? table_->find(symbols[i], symbols[i + 1]) : Merge{};
  };
  for (std::size_t i = 0; i < n; ++i) look_up(i);
  while (n > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < n; ++i) {
      if (pairs_[i].rank < pairs_[best].rank) best = i;
    }
    steps_ += n;
    if (pairs_[best].rank == no_rank) break;
    symbols[best] = pairs_[best].result;
    const auto gap = static_cast<std::ptrdiff_t>(best) + 1;
    std::copy(symbols.begin() + gap + 1, symbols.begin() + static_cast<std::ptrdiff_t>(n), symbols.begin() + gap);
    std::copy(pairs_.begin() + gap + 1, pairs_.begin() + static_cast<std::ptrdiff_t>(n), pairs_.begin() + gap);
    --n;
    look_up(best);
    if (best > 0) look_up(best - 1);
  }
  symbols.resize(n);
}

void Merger::push_pair(const std::vector<Symbol>& symbols, std::uint32_t left) {
  const std::uint32_t right = next_[left];
  pairs_[left] = right < symbols.size() ? table_->find(symbols[left], symbols[right]) : Merge{};
  if (pairs_[left].rank == no_rank) return;
  heap_.push_back((static_cast<std::uint64_t>(pairs_[left].rank) << 32) | left);
}

void Merger::merge_long(std::vector<Symbol>& symbols) {
  const auto n = static_cast<std::uint32_t>(symbols.size());
  pairs_.resize(n);
  next_.resize(n);
  before_.resize(n);
  heap_.clear();
  for (std::uint32_t i = 0; i < n; ++i) {
    next_[i] = i + 1;
    before_[i] = i == 0 ? no_index : i - 1;
    push_pair(symbols, i);
  }
  const std::greater<> lowest_first;
  std::make_heap(heap_.begin(), heap_.end(), lowest_first);
  const auto push = [&](std::uint32_t left) {
    const std::size_t size = heap_.size();
    push_pair(symbols, left);
    if (heap_.size() > size) std::push_heap(heap_.begin(), heap_.end(), lowest_first);
  };
  while (!heap_.empty()) {
    const std::uint64_t top = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), lowest_first);
    heap_.pop_back();
    ++steps_;
    const auto left = static_cast<std::uint32_t>(top);
    // An entry is stale where its symbol is gone or its pair has changed since: pairs_ knows the present one.
    if (pairs_[left].rank != static_cast<std::uint32_t>(top >> 32)) continue;
    const std::uint32_t right = next_[left];
    symbols[left] = pairs_[left].result;
    pairs_[right].rank = no_rank;
    next_[left] = next_[right];
    if (next_[left] < n) before_[next_[left]] = left;
    push(left);
    if (before_[left] != no_index) push(before_[left]);
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < n; i = next_[i]) symbols[kept++] = symbols[i];
  symbols.resize(kept);
}

}  // namespace stagebench::tokenization
