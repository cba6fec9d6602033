#include "gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

constexpr std::uint64_t least_pair_bytes = 8 + 1 + 4 + 1;            // length, key, type, value
constexpr std::uint64_t least_tensor_bytes = 8 + 1 + 4 + 8 + 4 + 8;  // length, name, n_dims, one dim, type, offset

/// GGUF's ggml_type numbers of the types that are read.
std::optional<DType> dtype_of(std::uint32_t ggml_type) {
  switch (ggml_type) {
    case 0: return DType::f32;
    case 1: return DType::f16;
    case 2: return DType::q4_0;
    case 3: return DType::q4_1;
    case 6: return DType::q5_0;
    case 7: return DType::q5_1;
    case 8: return DType::q8_0;
    case 10: return DType::q2_k;
    case 11: return DType::q3_k;
    case 12: return DType::q4_k;
    case 13: return DType::q5_k;
    case 14: return DType::q6_k;
    case 30: return DType::bf16;
    default: return std::nullopt;
  }
}

/// a * b, or nothing where it does not fit 63 bits. Both are at least 0.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  if (a != 0 && b > std::numeric_limits<std::int64_t>::max() / a) return std::nullopt;
  return a * b;
}

std::uint32_t read_version(GgufCursor& cursor, const std::string& source) {
  const auto magic = cursor.read_bytes(4, "the magic");
  if (std::memcmp(magic.data(), "GGUF", 4) != 0) {
    throw InputError(fmt::format("{}: not a GGUF file: expected 'GGUF' at its start, found {}", source,
                                 quoted({reinterpret_cast<const char*>(magic.data()), magic.size()})));
  }
  const auto version = cursor.read<std::uint32_t>("the version");
  if ((version & 0xffffU) == 0) {
    throw InputError(
        fmt::format("{}: the version reads {:#010x}: a big-endian GGUF, which is not supported", source, version));
  }
  if (version != 2 && version != 3) {
    throw InputError(fmt::format("{}: GGUF version {} is not supported (expected 2 or 3)", source, version));
  }
  return version;
}

/// The alignment of tensor data, 32 where the file does not say.
std::uint64_t alignment_of(const GgufMetadata& metadata) {
  constexpr std::string_view key = "general.alignment";
  const std::int64_t alignment = metadata.find_integer(key).value_or(32);
  if (alignment <= 0 || alignment > std::int64_t{1} << 31 ||
      !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    metadata.fail(key, fmt::format("expected a power of two up to 2^31, found {}", alignment));
  }
  return static_cast<std::uint64_t>(alignment);
}

/// Reads the tensor table. Offsets are relative to the data section, whose place is known only behind the table.
class TensorTableReader {
 public:
  TensorTableReader(GgufCursor& cursor, GgufFile& file) : cursor_(cursor), file_(file) {}

  void read(std::uint64_t n_tensors) {
    file_.tensors.reserve(n_tensors);
    relative_offsets_.reserve(n_tensors);
    for (std::uint64_t i = 0; i < n_tensors; ++i) read_tensor();
  }

  /// Sets each tensor's data. `data_offset` is where the data section begins.
  void locate(std::span<const std::byte> bytes, std::uint64_t data_offset, std::uint64_t alignment) {
    const std::uint64_t data_bytes = bytes.size() > data_offset ? bytes.size() - data_offset : 0;
    for (std::size_t i = 0; i < file_.tensors.size(); ++i) {
      GgufTensor& tensor = file_.tensors[i];
      const std::uint64_t offset = relative_offsets_[i];
      if (offset % alignment != 0) {
        fail(tensor.name, fmt::format("offset {} is not a multiple of the alignment {}", offset, alignment));
      }
      const auto wanted = static_cast<std::uint64_t>(tensor.rows * row_bytes(tensor.dtype, tensor.columns));
      if (offset > data_bytes || wanted > data_bytes - offset) {
        fail(tensor.name,
             fmt::format("{} bytes at offset {} go past the end of the data section, which has {} bytes from "
                         "offset {} of the file",
                         wanted, offset, data_bytes, data_offset));
      }
      tensor.file_offset = data_offset + offset;
      tensor.data = bytes.subspan(static_cast<std::size_t>(tensor.file_offset), static_cast<std::size_t>(wanted));
    }
    check_overlaps();
  }

 private:
  void read_tensor() {
    const std::uint64_t at = cursor_.offset();
    GgufTensor tensor;
    tensor.name = cursor_.read_string("a tensor's name");
    if (tensor.name.empty())
      throw InputError(fmt::format("{}: the tensor name at offset {} is empty", file_.source, at));
    if (!file_.tensor_index.emplace(tensor.name, file_.tensors.size()).second) {
      fail(tensor.name, fmt::format("is there twice, again at offset {}", at));
    }
    read_dimensions(tensor);
    const auto type = cursor_.read<std::uint32_t>("a tensor's type");
    const auto dtype = dtype_of(type);
    if (!dtype) {
      fail(tensor.name,
           fmt::format("type {} is not supported (F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, "
                       "Q4_K, Q5_K and Q6_K are)",
                       type));
    }
    tensor.dtype = *dtype;
    const std::int64_t block = traits(tensor.dtype).block_elements;
    if (tensor.columns % block != 0) {
      fail(tensor.name, fmt::format("rows of {} values are no multiple of the {} values of a {} block", tensor.columns,
                                    block, name(tensor.dtype)));
    }
    relative_offsets_.push_back(cursor_.read<std::uint64_t>("a tensor's offset"));
    file_.tensors.push_back(tensor);
  }

  void read_dimensions(GgufTensor& tensor) {
    const auto n_dimensions = cursor_.read<std::uint32_t>("a tensor's number of dimensions");
    if (n_dimensions < 1 || n_dimensions > tensor.dimensions.size()) {
      fail(tensor.name, fmt::format("expected 1 to 4 dimensions, found {}", n_dimensions));
    }
    for (std::uint32_t i = 0; i < n_dimensions; ++i) {
      const auto extent = cursor_.read<std::uint64_t>("a tensor's dimension");
      if (extent == 0 || extent > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        fail(tensor.name, fmt::format("dimension {} is {} (expected 1 to 2^63 - 1)", i, extent));
      }
      tensor.dimensions[i] = static_cast<std::int64_t>(extent);
    }
    std::optional<std::int64_t> elements = 4;  // so that the bytes of the widest type fit as well
    for (const std::int64_t extent : tensor.dimensions) elements = elements ? product(*elements, extent) : elements;
    if (!elements) fail(tensor.name, fmt::format("the dimensions {} overflow", fmt::join(tensor.dimensions, " x ")));
    tensor.columns = tensor.dimensions[0];
    tensor.rows = tensor.dimensions[1] * tensor.dimensions[2] * tensor.dimensions[3];
  }

  void check_overlaps() const {
    std::vector<const GgufTensor*> by_offset;
    by_offset.reserve(file_.tensors.size());
    for (const GgufTensor& tensor : file_.tensors) by_offset.push_back(&tensor);
    std::sort(by_offset.begin(), by_offset.end(),
              [](const GgufTensor* a, const GgufTensor* b) { return a->file_offset < b->file_offset; });
    for (std::size_t i = 1; i < by_offset.size(); ++i) {
      const GgufTensor& before = *by_offset[i - 1];
      if (before.file_offset + before.data.size() > by_offset[i]->file_offset) {
        fail(by_offset[i]->name,
             fmt::format("begins at offset {}, inside tensor {}, which ends at {}", by_offset[i]->file_offset,
                         quoted(before.name), before.file_offset + before.data.size()));
      }
    }
  }

  [[noreturn]] void fail(std::string_view tensor, const std::string& message) const {
    throw InputError(fmt::format("{}: tensor {}: {}", file_.source, quoted(tensor), message));
  }

  GgufCursor& cursor_;
  GgufFile& file_;
  std::vector<std::uint64_t> relative_offsets_;
};

}  // namespace

GgufFile parse_gguf(std::span<const std::byte> bytes, std::string source) {
  GgufFile file;
  file.source = std::move(source);
  file.metadata = GgufMetadata(file.source);
  GgufCursor cursor(bytes, file.source);
  file.version = read_version(cursor, file.source);
  const std::uint64_t n_tensors = cursor.read_count("the number of tensors", least_tensor_bytes);
  const std::uint64_t n_pairs = cursor.read_count("the number of keys", least_pair_bytes);
  for (std::uint64_t i = 0; i < n_pairs; ++i) file.metadata.read_pair(cursor);

  TensorTableReader tensors(cursor, file);
  tensors.read(n_tensors);
  const std::uint64_t alignment = alignment_of(file.metadata);
  const std::uint64_t data_offset = (cursor.offset() + alignment - 1) / alignment * alignment;
  tensors.locate(bytes, data_offset, alignment);
  return file;
}

}  // namespace stagebench
