#include "synthetic_values.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "stagebench/support/philox.h"

namespace stagebench {
namespace {

constexpr std::size_t block_values = 8;
// Enough independent blocks side by side for the compiler to use vectors.
constexpr std::size_t batch_blocks = 16;
constexpr std::size_t batch_values = batch_blocks * block_values;

void fill_batch(const SyntheticStream& stream, std::uint64_t first_block, float* values) {
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(stream.seed),
                                         static_cast<std::uint32_t>(stream.seed >> 32)};
  std::array<std::array<std::uint32_t, 4>, batch_blocks> words;
  for (std::size_t i = 0; i < batch_blocks; ++i) {
    const std::uint64_t block = first_block + i;
    words[i] = philox4x32_10(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream.role, stream.layer}, key);
  }
  for (std::size_t i = 0; i < batch_blocks; ++i) {
    for (std::size_t word = 0; word < 4; ++word) {
      const auto low = static_cast<std::int32_t>(words[i][word] & 0xffffU);
      const auto high = static_cast<std::int32_t>(words[i][word] >> 16);
      values[i * block_values + 2 * word] = static_cast<float>(2 * low - 65535) * stream.scale;
      values[i * block_values + 2 * word + 1] = static_cast<float>(2 * high - 65535) * stream.scale;
    }
  }
}

}  // namespace

void fill_synthetic(const SyntheticStream& stream, std::uint64_t first, std::span<float> values) {
  std::array<float, batch_values> batch;
  std::size_t done = 0;
  while (done < values.size()) {
    const std::uint64_t place = first + done;
    const auto skipped = static_cast<std::size_t>(place % block_values);
    const std::size_t left = values.size() - done;
    if (skipped == 0 && left >= batch_values) {
      fill_batch(stream, place / block_values, values.data() + done);
      done += batch_values;
    } else {
      fill_batch(stream, place / block_values, batch.data());
      const std::size_t count = std::min(left, batch_values - skipped);
      std::copy_n(batch.data() + skipped, count, values.data() + done);
      done += count;
    }
  }
}

}  // namespace stagebench
