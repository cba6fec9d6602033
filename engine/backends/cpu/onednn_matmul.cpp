#include "cpu/onednn_matmul.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "stagebench/contracts/error.h"

namespace stagebench::cpu {

namespace {

/// Where the library was built with OpenMP: keeps it on the calling thread, and gives that thread's setting back. The
/// functions are looked up among what is loaded, since which OpenMP that is, if any, is the library's choice.
class SingleThreadScope {
 public:
  SingleThreadScope() {
    if (functions().get_max_threads == nullptr) return;
    previous_ = functions().get_max_threads();
    if (previous_ != 1) functions().set_num_threads(1);
  }
  ~SingleThreadScope() {
    if (previous_ > 1) functions().set_num_threads(previous_);
  }
  SingleThreadScope(const SingleThreadScope&) = delete;
  SingleThreadScope& operator=(const SingleThreadScope&) = delete;

 private:
  struct OpenMp {
    int (*get_max_threads)() = nullptr;
    void (*set_num_threads)(int) = nullptr;
  };

  static const OpenMp& functions() {
    static const OpenMp found = [] {
      OpenMp result;
      result.set_num_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
      if (result.set_num_threads != nullptr) {
        result.get_max_threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
      }
      return result;
    }();
    return found;
  }

  int previous_ = 1;
};

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type data_type(ProductType type) {
  return type == ProductType::f32 ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
}

dnnl::matmul::primitive_desc describe(const ProductShape& shape, const dnnl::memory::desc& x,
                                      const dnnl::memory::desc& w, const dnnl::memory::desc& bias,
                                      const dnnl::memory::desc& y) {
  dnnl::primitive_attr attributes;
  // The library's own scratch belongs to the thread that created the primitive; ours goes with the member.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  return shape.has_bias ? dnnl::matmul::primitive_desc(cpu_engine(), x, w, bias, y, attributes)
                        : dnnl::matmul::primitive_desc(cpu_engine(), x, w, y, attributes);
#else
  return shape.has_bias ? dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, w, bias, y), attributes, cpu_engine())
                        : dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, w, y), attributes, cpu_engine());
#endif
}

}  // namespace

struct OneDnnMatmul::Primitive {
  explicit Primitive(const ProductShape& product)
      : shape(product),
        x({shape.m, shape.k}, data_type(shape.type), dnnl::memory::dims{shape.x_stride, 1}),
        w({shape.k, shape.n}, data_type(shape.type), dnnl::memory::dims{1, shape.k}),
        bias({1, shape.n}, dnnl::memory::data_type::f32, dnnl::memory::dims{shape.n, 1}),
        y({shape.m, shape.n}, dnnl::memory::data_type::f32, dnnl::memory::dims{shape.y_stride, 1}) {
    const dnnl::matmul::primitive_desc description = describe(shape, x, w, bias, y);
    scratch = description.scratchpad_desc();
    matmul = dnnl::matmul(description);
  }

  ProductShape shape;
  dnnl::memory::desc x, w, bias, y, scratch;
  dnnl::matmul matmul;
};

OneDnnMatmul::OneDnnMatmul(const ProductShape& shape) {
  // The library plans for the number of threads that it finds when a primitive is made.
  const SingleThreadScope single_thread;
  try {
    primitive_ = std::make_unique<Primitive>(shape);
  } catch (const dnnl::error& error) {
    throw ResourceError(fmt::format("oneDNN has no {} matrix product of m = {}, n = {}, k = {}: {}",
                                    shape.type == ProductType::f32 ? "f32" : "bf16", shape.m, shape.n, shape.k,
                                    error.what()));
  }
}

OneDnnMatmul::~OneDnnMatmul() = default;

const ProductShape& OneDnnMatmul::shape() const noexcept {
  return primitive_->shape;
}

std::size_t OneDnnMatmul::scratch_bytes() const noexcept {
  return primitive_->scratch.get_size();
}

void OneDnnMatmul::multiply(const void* x, const void* w, const float* bias, float* y, std::byte* scratch) const {
  const SingleThreadScope single_thread;
  const Primitive& p = *primitive_;
  // The library's handles are not const, also where it only reads.
  const auto memory = [](const dnnl::memory::desc& description, const void* data) {
    return dnnl::memory(description, cpu_engine(), const_cast<void*>(data));
  };
  try {
    std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, memory(p.x, x)},
                                                    {DNNL_ARG_WEIGHTS, memory(p.w, w)},
                                                    {DNNL_ARG_DST, memory(p.y, y)},
                                                    {DNNL_ARG_SCRATCHPAD, memory(p.scratch, scratch)}};
    if (p.shape.has_bias) arguments.emplace(DNNL_ARG_BIAS, memory(p.bias, bias));
    dnnl::stream stream(cpu_engine());
    p.matmul.execute(stream, arguments);
    stream.wait();
  } catch (const dnnl::error& error) {
    throw ResourceError(fmt::format("oneDNN could not multiply: {}", error.what()));
  }
}

bool onednn_multiplies_bf16() noexcept {
  const auto instructions = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_bf16);
  return (instructions & needed) == needed;
}

}  // namespace stagebench::cpu
