#include "cpu/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cpu/aligned_buffer.h"
#include "cpu/ceilings_read.h"
#include "cpu/linear_row_major.h"
#include "cpu/machine.h"
#include "stagebench/contracts/error.h"
#include "stagebench/contracts/stage_event.h"

namespace stagebench::cpu {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::int64_t read_buffer_bytes = std::int64_t{512} << 20;
constexpr long read_granule_words = 1024;  // a page
constexpr std::int64_t product_m = 512;
constexpr std::int64_t product_k = 2048;
constexpr std::int64_t product_n = 5632;

/// Repeats `work` until a third of a second is over, three times at least; the shortest time of one.
template <typename Work>
Seconds best_of_passes(Work work) {
  constexpr int passes_at_least = 3;
  constexpr Seconds long_enough{0.33};
  Seconds best{std::numeric_limits<double>::infinity()};
  const auto first = Clock::now();
  for (int pass = 0; pass < passes_at_least || Clock::now() - first < long_enough; ++pass) {
    const auto begin = Clock::now();
    work();
    best = std::min<Seconds>(best, Clock::now() - begin);
  }
  return best;
}

double measure_read(ThreadTeam& team) {
  const auto quarter = static_cast<std::int64_t>(
      std::min<std::uint64_t>(available_memory_bytes() / 4, static_cast<std::uint64_t>(read_buffer_bytes)));
  const long words = static_cast<long>(quarter / 4) / read_granule_words * read_granule_words;
  if (words == 0) throw ResourceError("no memory is available to measure the read bandwidth with");
  AlignedBuffer buffer(static_cast<std::size_t>(words) * sizeof(std::uint32_t));
  auto* data = reinterpret_cast<std::uint32_t*>(buffer.data());
  // Pages that were never written are all one page of zeros, which the cache would hold.
  team.run([&](int member) {
    const Range range = share(words, read_granule_words, member, team.size());
    std::fill(data + range.begin, data + range.end, 1U);
  });
  std::atomic<std::uint32_t> sum{0};
  int passes = 0;
  const Seconds best = best_of_passes([&] {
    ++passes;
    team.run([&](int member) {
      const Range range = share(words, read_granule_words, member, team.size());
      sum += sum_words(data + range.begin, static_cast<std::size_t>(range.size()));
    });
  });
  // Each word is 1: the sum says that all were read, and keeps the compiler from leaving the reads out.
  const auto expected = static_cast<std::uint32_t>(static_cast<std::uint64_t>(words) * static_cast<unsigned>(passes));
  if (sum != expected) throw NumericError(fmt::format("memory gave a sum of {}, expected {}", sum.load(), expected));
  return static_cast<double>(buffer.size()) / best.count();
}

/// Weights that are small normal numbers in every type.
RowMajorStorage product_weights(DType dtype) {
  RowMajorStorage storage;
  storage.dtype = dtype;
  storage.outputs = product_n;
  storage.inputs = product_k;
  storage.converted = AlignedBuffer(linear_bytes(product_n, product_k, dtype));
  std::byte* data = storage.converted.data();
  if (dtype == DType::f32) {
    std::fill_n(reinterpret_cast<float*>(data), product_n * product_k, 0.0078125F);
  } else {
    std::fill_n(reinterpret_cast<std::uint16_t*>(data), product_n * product_k, std::uint16_t{0x2000});
  }
  storage.segments.push_back({0, product_n, data});
  return storage;
}

double measure_product(DType dtype, ThreadTeam& team) {
  RowMajorLinear linear(product_weights(dtype), team);
  linear.prepare(product_m);
  const std::vector<float> x(static_cast<std::size_t>(product_m * product_k), 0.5F);
  std::vector<float> y(static_cast<std::size_t>(product_m * product_n));
  const Seconds best = best_of_passes([&] {
    team.run([&](int member) { linear.multiply(member, x.data(), product_k, product_m, y.data(), product_n); });
  });
  return 2.0 * product_m * product_n * product_k / best.count();
}

}  // namespace

Ceilings measure_ceilings(DType dtype, ThreadTeam& team) {
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16) {
    throw UsageError(fmt::format("ceilings are those of f32, f16 or bf16, not of {}", name(dtype)));
  }
  return {team.size(), dtype, measure_read(team), measure_product(dtype, team)};
}

}  // namespace stagebench::cpu
