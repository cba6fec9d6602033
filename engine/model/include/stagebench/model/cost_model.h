#pragma once

/// FLOPs and bytes of a forward pass, from shapes alone: the numerators of MFU and MBU, the same for every backend.
/// Each op has one pure function; a stage is the sum of its ops.

#include <cstdint>

#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/model.h"

namespace stagebench {

struct Cost {
  double flops = 0;
  double weight_bytes = 0;  ///< weights read, each once
  double kv_bytes = 0;      ///< KV cache read and written
  constexpr double bytes() const noexcept { return weight_bytes + kv_bytes; }
  constexpr Cost& operator+=(const Cost& other) noexcept {
    flops += other.flops;
    weight_bytes += other.weight_bytes;
    kv_bytes += other.kv_bytes;
    return *this;
  }
};

}  // namespace stagebench
