#pragma once

/// One matrix product of oneDNN for one shape, on the calling thread alone. The only file that knows the library;
/// versions 2 and 3 alike.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace stagebench::cpu {

enum class ProductType : std::uint8_t { f32, bf16 };  ///< of both factors; sums and results are f32

/// y[m][n] = x[m][k] w[n][k]^T + bias[n]. Strides are in elements; w is dense.
struct ProductShape {
  ProductType type{};
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t x_stride = 0;
  std::int64_t y_stride = 0;
  bool has_bias = false;
  friend bool operator==(const ProductShape&, const ProductShape&) = default;
};

/// Several threads may run one object at the same time, each with a scratch of its own.
class OneDnnMatmul {
 public:
  /// Takes up to some milliseconds: the library generates code. Throws ResourceError where it cannot.
  explicit OneDnnMatmul(const ProductShape& shape);
  ~OneDnnMatmul();
  OneDnnMatmul(const OneDnnMatmul&) = delete;
  OneDnnMatmul& operator=(const OneDnnMatmul&) = delete;

  const ProductShape& shape() const noexcept;
  std::size_t scratch_bytes() const noexcept;
  /// `bias` is not read where the shape has none; `scratch` has scratch_bytes(), aligned to a cache line.
  void multiply(const void* x, const void* w, const float* bias, float* y, std::byte* scratch) const;

 private:
  struct Primitive;
  std::unique_ptr<Primitive> primitive_;
};

/// Whether the machine multiplies bf16 by instructions of its own (AVX512_BF16, AMX); else it is slower than f32.
bool onednn_multiplies_bf16() noexcept;

}  // namespace stagebench::cpu
