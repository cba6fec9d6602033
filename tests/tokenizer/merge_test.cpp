#include <map>
#include <random>

#include "merge_table.h"
#include "support/catch.h"

namespace stagebench::tokenization {
namespace {

using Rules = std::map<std::pair<Symbol, Symbol>, Merge>;

// The definition, without any cleverness: the best pair of the whole row, again and again.
std::vector<Symbol> merge_by_definition(const Rules& rules, std::vector<Symbol> symbols) {
  while (true) {
    std::size_t best = symbols.size();
    Merge chosen;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto rule = rules.find({symbols[i], symbols[i + 1]});
      if (rule == rules.end() || rule->second.rank >= chosen.rank) continue;
      best = i;
      chosen = rule->second;
    }
    if (best == symbols.size()) return symbols;
    symbols[best] = chosen.result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

struct Random {
  std::mt19937 engine{7};
  Symbol below(Symbol end) { return static_cast<Symbol>(engine() % end); }
};

Rules random_rules(Random& random, bool shared_ranks) {
  Rules rules;
  for (Symbol made = 4; made < 60; ++made) {
    const std::uint32_t rank = shared_ranks ? random.below(6) : made;
    rules.emplace(std::pair{random.below(made), random.below(made)}, Merge{rank, made});
  }
  return rules;
}

TEST_CASE("merging gives what the definition gives, in short and long sequences, with unique and with equal ranks") {
  Random random;
  for (int round = 0; round < 400; ++round) {
    const Rules rules = random_rules(random, round % 2 == 1);
    MergeTable table(rules.size());
    for (const auto& [pair, merge] : rules) REQUIRE(table.insert(pair.first, pair.second, merge));
    Merger merger(table);
    for (const std::size_t length : {0U, 1U, 2U, 3U, 17U, 48U, 49U, 50U, 300U}) {
      std::vector<Symbol> symbols(length);
      for (Symbol& symbol : symbols) symbol = random.below(4);
      const std::vector<Symbol> expected = merge_by_definition(rules, symbols);
      merger.merge(symbols);
      REQUIRE(symbols == expected);
    }
  }
}

TEST_CASE("a merge table finds what was put in and nothing else") {
  MergeTable table(3);
  REQUIRE(table.insert(1, 2, {7, 3}));
  REQUIRE(table.insert(2, 1, {8, 4}));
  REQUIRE(table.insert(0, 0, {9, 5}));
  REQUIRE_FALSE(table.insert(1, 2, {1, 1}));
  REQUIRE(table.find(1, 2).rank == 7);
  REQUIRE(table.find(2, 1).result == 4);
  REQUIRE(table.find(0, 0).result == 5);
  REQUIRE(table.find(0, 1).rank == no_rank);
  REQUIRE(table.find(no_symbol, 1).rank == no_rank);
}

TEST_CASE("a long sequence takes a number of steps that is proportional to its length") {
  // Every join puts two pairs into the heap at most, besides the n that it begins with.
  Rules rules;
  MergeTable table(20);
  for (Symbol made = 1; made <= 20; ++made) REQUIRE(table.insert(made - 1, made - 1, {made, made}));
  constexpr std::size_t length = 1U << 20U;
  Merger merger(table);
  std::vector<Symbol> symbols(length, 0);
  merger.merge(symbols);
  REQUIRE(symbols == std::vector<Symbol>{20});
  REQUIRE(merger.steps() <= 3 * length);
}

}  // namespace
}  // namespace stagebench::tokenization
