#include "cpu/linear.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "cpu/linear_row_major.h"
#include "stagebench/contracts/error.h"

namespace stagebench::cpu {

namespace {

std::size_t element_bytes(DType dtype) {
  return static_cast<std::size_t>(traits(dtype).block_bytes);
}

void check(const Model& model, std::span<const LinearSource> sources, DType dtype) {
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16) {
    throw UsageError(fmt::format("the CPU backend computes in f32, f16 or bf16, not in {}", name(dtype)));
  }
  for (const LinearSource& source : sources) {
    if (source.weight->columns != sources.front().weight->columns) {
      throw InputError(fmt::format("{}: {} and {} take the same input but have {} and {} columns", model.source(),
                                   sources.front().weight->source_name, source.weight->source_name,
                                   sources.front().weight->columns, source.weight->columns));
    }
    if (source.bias != nullptr && source.bias->columns != source.weight->rows) {
      throw InputError(fmt::format("{}: {} has {} values, but {} has {} rows", model.source(), source.bias->source_name,
                                   source.bias->columns, source.weight->source_name, source.weight->rows));
    }
  }
}

/// The stored rows where they can be multiplied as they are.
const std::byte* usable_in_place(const Model& model, const TensorInfo& tensor, DType dtype) {
  if (tensor.dtype != dtype) return nullptr;
  const std::span<const std::byte> stored = model.mapped(tensor);
  if (stored.size() != linear_bytes(tensor.rows, tensor.columns, dtype)) return nullptr;
  const bool aligned = reinterpret_cast<std::uintptr_t>(stored.data()) % element_bytes(dtype) == 0;
  return aligned ? stored.data() : nullptr;
}

/// Has the pages of [begin, begin + size_bytes) read now, in the load, and not by the first product.
void touch_pages(const std::byte* begin, std::int64_t size_bytes) {
  constexpr std::int64_t page_bytes = 4096;
  for (std::int64_t offset = 0; offset < size_bytes; offset += page_bytes) {
    static_cast<void>(*static_cast<const volatile std::byte*>(begin + offset));
  }
}

class Loader {
 public:
  Loader(const Model& model, DType dtype, ThreadTeam& team, std::vector<TensorPlacement>& placements)
      : model_(model), dtype_(dtype), team_(team), placements_(placements) {}

  RowMajorStorage load(std::span<const LinearSource> sources) {
    RowMajorStorage storage;
    storage.dtype = dtype_;
    storage.inputs = sources.front().weight->columns;
    std::uint64_t converted_bytes = 0;
    for (const LinearSource& source : sources) {
      const TensorInfo& weight = *source.weight;
      if (usable_in_place(model_, weight, dtype_) == nullptr) {
        converted_bytes += linear_bytes(weight.rows, weight.columns, dtype_);
      }
      storage.outputs += weight.rows;
    }
    storage.converted = AlignedBuffer(converted_bytes);

    std::byte* free = storage.converted.data();
    std::int64_t first_output = 0;
    for (const LinearSource& source : sources) {
      add_segment(storage, first_output, *source.weight, free);
      if (source.bias != nullptr) add_bias(storage, first_output, *source.bias);
      first_output += source.weight->rows;
    }
    return storage;
  }

 private:
  void add_segment(RowMajorStorage& storage, std::int64_t first_output, const TensorInfo& weight, std::byte*& free) {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t size_bytes = linear_bytes(weight.rows, weight.columns, dtype_);
    const std::byte* in_place = usable_in_place(model_, weight, dtype_);
    const std::byte* data = in_place;
    if (in_place != nullptr) {
      touch(weight, in_place);
    } else {
      read(weight, free);
      data = free;
      free += size_bytes;
    }
    // Tensors that lie close behind each other, in the file or here, become one matrix: fewer and larger products.
    const std::int64_t row_size = row_bytes(dtype_, weight.columns);
    if (!storage.segments.empty() && storage.segments.back().data + storage.segments.back().rows * row_size == data) {
      storage.segments.back().rows += weight.rows;
    } else {
      storage.segments.push_back({first_output, weight.rows, data});
    }
    placements_.push_back({&weight, dtype_, in_place != nullptr ? Placement::mapped : Placement::converted, size_bytes,
                           std::chrono::steady_clock::now() - begin});
  }

  void touch(const TensorInfo& weight, const std::byte* data) {
    const std::int64_t row_size = row_bytes(dtype_, weight.columns);
    team_.run([&](int member) {
      const Range rows = share(weight.rows, 1, member, team_.size());
      touch_pages(data + rows.begin * row_size, rows.size() * row_size);
    });
  }

  void read(const TensorInfo& weight, std::byte* destination) {
    const std::int64_t row_size = row_bytes(dtype_, weight.columns);
    team_.run([&](int member) {
      const Range rows = share(weight.rows, 1, member, team_.size());
      if (rows.size() == 0) return;
      model_.read_rows(weight, rows.begin, rows.size(), dtype_, destination + rows.begin * row_size);
    });
  }

  void add_bias(RowMajorStorage& storage, std::int64_t first_output, const TensorInfo& bias) {
    const auto begin = std::chrono::steady_clock::now();
    storage.bias.resize(static_cast<std::size_t>(storage.outputs));
    model_.read_rows(bias, 0, 1, DType::f32, storage.bias.data() + first_output);
    placements_.push_back({&bias, DType::f32, Placement::converted,
                           static_cast<std::uint64_t>(bias.columns) * sizeof(float),
                           std::chrono::steady_clock::now() - begin});
  }

  const Model& model_;
  DType dtype_;
  ThreadTeam& team_;
  std::vector<TensorPlacement>& placements_;
};

}  // namespace

std::unique_ptr<Linear> load_linear(const Model& model, std::span<const LinearSource> sources, DType dtype,
                                    ThreadTeam& team, std::vector<TensorPlacement>& placements) {
  check(model, sources, dtype);
  return std::make_unique<RowMajorLinear>(Loader(model, dtype, team, placements).load(sources), team);
}

std::uint64_t linear_bytes(std::int64_t rows, std::int64_t columns, DType dtype) {
  return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row_bytes(dtype, columns));
}

}  // namespace stagebench::cpu
