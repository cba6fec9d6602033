#pragma once

/// Element types of weights. Block types hold `block_elements` values in `block_bytes` bytes, as GGUF defines them
/// (ggml: ggml-common.h); the others hold one value each.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stagebench {

enum class DType : std::uint8_t { f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q2_k, q3_k, q4_k, q5_k, q6_k };

struct DTypeTraits {
  std::string_view name;  ///< as it is written in flags, CSV and profiles
  std::int64_t block_elements;
  std::int64_t block_bytes;
};

namespace detail {
inline constexpr std::array<DTypeTraits, 13> dtype_table{{
    {"f32", 1, 4},
    {"f16", 1, 2},
    {"bf16", 1, 2},
    {"q8_0", 32, 34},
    {"q4_0", 32, 18},
    {"q4_1", 32, 20},
    {"q5_0", 32, 22},
    {"q5_1", 32, 24},
    {"q2_k", 256, 84},
    {"q3_k", 256, 110},
    {"q4_k", 256, 144},
    {"q5_k", 256, 176},
    {"q6_k", 256, 210},
}};
}  // namespace detail

constexpr const DTypeTraits& traits(DType type) noexcept {
  return detail::dtype_table[static_cast<std::size_t>(type)];
}

constexpr std::string_view name(DType type) noexcept {
  return traits(type).name;
}

/// The type of that name, or nothing where there is none.
constexpr std::optional<DType> dtype_from_name(std::string_view wanted) noexcept {
  for (std::size_t i = 0; i < detail::dtype_table.size(); ++i) {
    if (detail::dtype_table[i].name == wanted) return static_cast<DType>(i);
  }
  return std::nullopt;
}

/// Bytes of a row of `elements` values. `elements` is a multiple of block_elements: readers check it before.
constexpr std::int64_t row_bytes(DType type, std::int64_t elements) noexcept {
  return elements / traits(type).block_elements * traits(type).block_bytes;
}

}  // namespace stagebench
