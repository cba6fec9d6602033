#include "hugging_face_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config_tensors.h"
#include "hugging_face_config.h"
#include "hugging_face_names.h"
#include "safetensors_folder.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/row_conversion.h"
#include "transposed_rows.h"

namespace stagebench {
namespace {

/// Where a tensor's values lie in a mapped file.
struct Source {
  TransposedSource matrix;  ///< as it is stored; `data` counts from the part's first value
  StoredLayout layout{};
  bool is_fused = false;
};

class HuggingFaceModel final : public Model {
 public:
  HuggingFaceModel(const std::filesystem::path& folder, HuggingFaceConfig config);

  const ModelConfig& config() const noexcept override { return config_; }
  std::string_view source() const noexcept override { return path_; }
  std::span<const TensorInfo> tensors() const noexcept override { return tensors_; }
  const TensorInfo* find(TensorId id) const noexcept override;
  void read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                 void* destination) const override;
  std::span<const std::byte> mapped(const TensorInfo& tensor) const noexcept override;
  const Vocabulary* vocabulary() const noexcept override { return nullptr; }

 private:
  std::string find_prefix() const;
  const SafetensorsFolder::Tensor& find_stored(const std::string& name) const;
  void add_tensor(const TensorShape& shape, const StoredName& stored);
  void check_rest(const std::set<std::string>& used) const;
  void check_tied_output(const SafetensorsFolder::Tensor& output) const;

  std::string path_;
  ModelConfig config_;
  SafetensorsFolder files_;
  std::vector<TensorInfo> tensors_;
  std::vector<Source> sources_;  // beside tensors_
  TensorIndex index_;
};

std::string folder_name(const std::filesystem::path& folder) {
  const auto canonical = std::filesystem::weakly_canonical(folder);
  return canonical.filename().string();
}

HuggingFaceModel::HuggingFaceModel(const std::filesystem::path& folder, HuggingFaceConfig config)
    : path_(folder.string()), config_(std::move(config.model)), files_(folder) {
  config_.name = folder_name(folder);
  const std::string prefix = find_prefix();
  std::set<std::string> used;
  for (const TensorShape& shape : tensor_shapes(config_, config.attention_bias)) {
    const StoredName stored = hugging_face_name(config_.architecture, shape.id, prefix);
    add_tensor(shape, stored);
    used.insert(stored.name);
  }
  check_rest(used);
  index_ = TensorIndex(tensors_, config_.n_layers);
}

std::string HuggingFaceModel::find_prefix() const {
  const auto embedding = hugging_face_name(config_.architecture, {TensorRole::token_embedding, 0}, "");
  const bool is_bare = files_.tensors().contains(embedding.name);
  return std::string(is_bare ? std::string_view() : usual_prefix(config_.architecture));
}

const SafetensorsFolder::Tensor& HuggingFaceModel::find_stored(const std::string& name) const {
  const auto found = files_.tensors().find(name);
  if (found == files_.tensors().end()) {
    throw InputError(fmt::format("{}: expected the tensor {}, found none of that name", files_.listing(), name));
  }
  return found->second;
}

void HuggingFaceModel::add_tensor(const TensorShape& shape, const StoredName& stored) {
  const SafetensorsFolder::Tensor& tensor = find_stored(stored.name);
  const SafetensorsEntry& entry = tensor.entry;
  if (!entry.dtype) {
    throw InputError(fmt::format("{}: {}: expected weights of F32, F16 or BF16, found {}", tensor.file, entry.name,
                                 entry.stored_type));
  }
  const bool is_transposed = stored.layout == StoredLayout::transposed;
  const bool is_vector = shape.rows == 1 && !is_transposed;
  const std::int64_t lines = is_transposed ? shape.columns : shape.rows;
  const std::int64_t part_width = is_transposed ? shape.rows : shape.columns;
  const std::int64_t width = part_width * stored.n_parts;
  std::vector<std::int64_t> expected{width};
  if (!is_vector) expected.insert(expected.begin(), lines);
  if (entry.shape != expected) {
    throw InputError(fmt::format("{}: {}: expected the shape [{}] after config.json, found [{}]", tensor.file,
                                 entry.name, fmt::join(expected, ", "), fmt::join(entry.shape, ", ")));
  }
  const auto part_offset = static_cast<std::size_t>(row_bytes(*entry.dtype, stored.part * part_width));
  tensors_.push_back({shape.id, entry.name, *entry.dtype, shape.rows, shape.columns,
                      static_cast<std::uint64_t>(row_bytes(*entry.dtype, shape.rows * shape.columns)), entry.offset});
  sources_.push_back(
      {{tensor.data.data() + part_offset, *entry.dtype, lines, width}, stored.layout, stored.n_parts > 1});
}

void HuggingFaceModel::check_rest(const std::set<std::string>& used) const {
  for (const auto& [name, tensor] : files_.tensors()) {
    if (used.contains(name) || is_buffer(config_.architecture, name)) continue;
    if (name == "lm_head.weight" && config_.tied_embeddings) {
      check_tied_output(tensor);
      continue;
    }
    throw InputError(fmt::format("{}: {}: expected only the tensors of a {} model of {} layers, found this one too",
                                 tensor.file, name, stagebench::name(config_.architecture), config_.n_layers));
  }
}

void HuggingFaceModel::check_tied_output(const SafetensorsFolder::Tensor& output) const {
  const SafetensorsFolder::Tensor& embedding = find_stored(tensors_.front().source_name);
  if (output.entry.stored_type != embedding.entry.stored_type || output.entry.shape != embedding.entry.shape ||
      std::memcmp(output.data.data(), embedding.data.data(), output.data.size()) != 0) {
    throw InputError(
        fmt::format("{}: lm_head.weight: expected what {} holds, since config.json says that they are tied, "
                    "found other values",
                    output.file, embedding.entry.name));
  }
}

const TensorInfo* HuggingFaceModel::find(TensorId id) const noexcept {
  const auto place = index_.find(id);
  return place ? &tensors_[*place] : nullptr;
}

void HuggingFaceModel::read_rows(const TensorInfo& tensor, std::int64_t first_row, std::int64_t n_rows, DType target,
                                 void* destination) const {
  const Source& source = sources_[index_.find(tensor.id).value()];
  if (source.layout == StoredLayout::transposed) {
    read_transposed_rows(source.matrix, first_row, n_rows, target, destination);
  } else {
    // A fused vector's part is one row, so that the stride plays no role.
    const std::byte* begin = source.matrix.data + row_bytes(tensor.dtype, first_row * tensor.columns);
    convert_row(tensor.dtype, begin, n_rows * tensor.columns, target, destination);
  }
}

std::span<const std::byte> HuggingFaceModel::mapped(const TensorInfo& tensor) const noexcept {
  const auto place = index_.find(tensor.id);
  if (!place) return {};
  const Source& source = sources_[*place];
  const auto element_bytes = static_cast<std::uintptr_t>(row_bytes(tensor.dtype, 1));
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(source.matrix.data) % element_bytes == 0;
  if (source.layout == StoredLayout::transposed || source.is_fused || !is_aligned) return {};
  return {source.matrix.data, static_cast<std::size_t>(tensor.stored_bytes)};
}

}  // namespace

std::shared_ptr<const Model> open_hugging_face(const std::filesystem::path& folder) {
  return std::make_shared<HuggingFaceModel>(folder, read_hugging_face_config(folder));
}

}  // namespace stagebench
