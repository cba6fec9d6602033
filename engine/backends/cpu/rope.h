#pragma once

/// Rotary position embedding (Su et al., 2021) in rotate-half order, as in transformers: elements i and i + d/2 of a
/// head are a pair, turned by the angle position * theta^(-2i/d) / divisor[i].

#include <cstdint>
#include <span>
#include <vector>

namespace stagebench::cpu {

/// Cosines and sines for positions [0, positions), from angles in double precision.
class RopeTable {
 public:
  /// `divisors` is empty or [head_dim / 2]. head_dim is even.
  RopeTable(std::int64_t head_dim, double theta, std::span<const float> divisors, std::int64_t positions);

  std::int64_t positions() const noexcept { return positions_; }
  const float* cosines(std::int64_t position) const noexcept { return &cosines_[index(position)]; }  ///< [head_dim / 2]
  const float* sines(std::int64_t position) const noexcept { return &sines_[index(position)]; }      ///< [head_dim / 2]

  static constexpr std::uint64_t bytes(std::int64_t head_dim, std::int64_t positions) noexcept {
    return static_cast<std::uint64_t>(head_dim) * static_cast<std::uint64_t>(positions) * sizeof(float);
  }

 private:
  std::size_t index(std::int64_t position) const noexcept { return static_cast<std::size_t>(position * half_); }

  std::int64_t half_;
  std::int64_t positions_;
  std::vector<float> cosines_;
  std::vector<float> sines_;
};

/// out = scale * in turned for the position of `cosines` and `sines`; both [head_dim], apart from each other.
void rotate_half(const float* in, const float* cosines, const float* sines, std::int64_t head_dim, float scale,
                 float* out);

}  // namespace stagebench::cpu
