#include "gguf_tensors.h"

#include <fmt/format.h>

#include <utility>

#include "config_tensors.h"
#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

using Role = TensorRole;

/// Where a role is found. gpt2's files hold q, k and v one behind the other in one tensor.
struct GgufName {
  std::string name;
  std::int64_t part = 0;
  std::int64_t n_parts = 1;
};

/// Names of llama.cpp (gguf-py, constants.py, TENSOR_NAMES).
std::string_view role_name(Role role) {
  switch (role) {
    case Role::token_embedding: return "token_embd.weight";
    case Role::position_embedding: return "position_embd.weight";
    case Role::attention_norm: return "attn_norm.weight";
    case Role::attention_norm_bias: return "attn_norm.bias";
    case Role::attention_q: return "attn_q.weight";
    case Role::attention_q_bias: return "attn_q.bias";
    case Role::attention_k: return "attn_k.weight";
    case Role::attention_k_bias: return "attn_k.bias";
    case Role::attention_v: return "attn_v.weight";
    case Role::attention_v_bias: return "attn_v.bias";
    case Role::attention_output: return "attn_output.weight";
    case Role::attention_output_bias: return "attn_output.bias";
    case Role::ffn_norm: return "ffn_norm.weight";
    case Role::ffn_norm_bias: return "ffn_norm.bias";
    case Role::ffn_gate: return "ffn_gate.weight";
    case Role::ffn_up: return "ffn_up.weight";
    case Role::ffn_up_bias: return "ffn_up.bias";
    case Role::ffn_down: return "ffn_down.weight";
    case Role::ffn_down_bias: return "ffn_down.bias";
    case Role::output_norm: return "output_norm.weight";
    case Role::output_norm_bias: return "output_norm.bias";
    case Role::output: return "output.weight";
  }
  return {};
}

bool is_outside_layers(Role role) {
  return role == Role::token_embedding || role == Role::position_embedding || role == Role::output_norm ||
         role == Role::output_norm_bias || role == Role::output;
}

bool is_interleaved(Role role) {
  return role == Role::attention_q || role == Role::attention_q_bias || role == Role::attention_k ||
         role == Role::attention_k_bias;
}

GgufName gguf_name(Architecture architecture, TensorId id) {
  if (is_outside_layers(id.role)) return {std::string(role_name(id.role))};
  const std::string prefix = fmt::format("blk.{}.", id.layer);
  if (architecture == Architecture::gpt2) {
    switch (id.role) {
      case Role::attention_q: return {prefix + "attn_qkv.weight", 0, 3};
      case Role::attention_k: return {prefix + "attn_qkv.weight", 1, 3};
      case Role::attention_v: return {prefix + "attn_qkv.weight", 2, 3};
      case Role::attention_q_bias: return {prefix + "attn_qkv.bias", 0, 3};
      case Role::attention_k_bias: return {prefix + "attn_qkv.bias", 1, 3};
      case Role::attention_v_bias: return {prefix + "attn_qkv.bias", 2, 3};
      default: break;
    }
  }
  return {prefix + std::string(role_name(id.role))};
}

class TensorPlacer {
 public:
  TensorPlacer(const GgufFile& file, const ModelConfig& config)
      : file_(file), config_(config), is_known_(file.tensors.size(), false) {}

  GgufTensorTable place() {
    const bool has_biases = file_.find("blk.0.attn_q.bias") != nullptr;
    for (const TensorShape& shape : tensor_shapes(config_, has_biases ? AttentionBias::all : AttentionBias::none)) {
      add(shape);
    }
    if (config_.architecture == Architecture::llama) {
      // Part of the configuration, or following from it.
      look_up("rope_freqs.weight");
      for (std::int64_t layer = 0; layer < config_.n_layers; ++layer) {
        look_up(fmt::format("blk.{}.attn_rot_embd.weight", layer));
      }
    }
    refuse_unknown();
    return std::move(table_);
  }

 private:
  /// The tensor of that name, or nullptr. Marks it as known.
  const GgufTensor* look_up(const std::string& name) {
    const auto found = file_.tensor_index.find(name);
    if (found == file_.tensor_index.end()) return nullptr;
    is_known_[found->second] = true;
    return &file_.tensors[found->second];
  }

  void add(const TensorShape& shape) {
    const GgufName stored = gguf_name(config_.architecture, shape.id);
    const GgufTensor* tensor = look_up(stored.name);
    if (tensor == nullptr) throw InputError(fmt::format("{}: tensor '{}' is missing", file_.source, stored.name));
    // What has one row is a bias, whose parts are ranges of its values. Three equal parts of whole blocks have whole
    // blocks themselves, since a block has a power of two of values.
    const std::int64_t columns = shape.rows == 1 ? shape.columns * stored.n_parts : shape.columns;
    const std::int64_t rows = shape.rows == 1 ? 1 : shape.rows * stored.n_parts;
    check_shape(*tensor, columns, rows);
    append(shape, *tensor, stored);
  }

  void check_shape(const GgufTensor& tensor, std::int64_t columns, std::int64_t rows) const {
    const auto& found = tensor.dimensions;
    if (found[0] == columns && found[1] == rows && found[2] == 1 && found[3] == 1) return;
    throw InputError(fmt::format("{}: tensor '{}': expected the shape {} x {} (columns x rows), found {}", file_.source,
                                 tensor.name, columns, rows, fmt::join(found, " x ")));
  }

  void append(const TensorShape& shape, const GgufTensor& tensor, const GgufName& stored) {
    TensorInfo info;
    info.id = shape.id;
    info.source_name = stored.name;
    info.dtype = tensor.dtype;
    info.rows = shape.rows;
    info.columns = shape.columns;
    info.stored_bytes = static_cast<std::uint64_t>(shape.rows * row_bytes(tensor.dtype, shape.columns));
    const std::uint64_t first_byte = static_cast<std::uint64_t>(stored.part) * info.stored_bytes;
    info.file_offset = tensor.file_offset + first_byte;
    GgufOrder order = stored.n_parts > 1 ? GgufOrder::fused : GgufOrder::in_order;
    if (config_.architecture == Architecture::llama && is_interleaved(shape.id.role)) {
      order = GgufOrder::interleaved_heads;
    }
    table_.tensors.push_back(std::move(info));
    table_.storage.push_back({tensor.data.data() + first_byte, order});
  }

  void refuse_unknown() const {
    for (std::size_t i = 0; i < is_known_.size(); ++i) {
      if (is_known_[i]) continue;
      throw InputError(fmt::format("{}: tensor {} is not part of a {} model of {} layers", file_.source,
                                   quoted(file_.tensors[i].name), name(config_.architecture), config_.n_layers));
    }
  }

  const GgufFile& file_;
  const ModelConfig& config_;
  std::vector<bool> is_known_;
  GgufTensorTable table_;
};

}  // namespace

GgufTensorTable place_gguf_tensors(const GgufFile& file, const ModelConfig& config) {
  return TensorPlacer(file, config).place();
}

}  // namespace stagebench
