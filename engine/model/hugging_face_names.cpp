#include "hugging_face_names.h"

#include <fmt/format.h>

namespace stagebench {
namespace {

using Role = TensorRole;

std::string_view llama_suffix(Role role) {
  switch (role) {
    case Role::token_embedding: return "embed_tokens.weight";
    case Role::attention_norm: return "input_layernorm.weight";
    case Role::attention_q: return "self_attn.q_proj.weight";
    case Role::attention_q_bias: return "self_attn.q_proj.bias";
    case Role::attention_k: return "self_attn.k_proj.weight";
    case Role::attention_k_bias: return "self_attn.k_proj.bias";
    case Role::attention_v: return "self_attn.v_proj.weight";
    case Role::attention_v_bias: return "self_attn.v_proj.bias";
    case Role::attention_output: return "self_attn.o_proj.weight";
    case Role::attention_output_bias: return "self_attn.o_proj.bias";
    case Role::ffn_norm: return "post_attention_layernorm.weight";
    case Role::ffn_gate: return "mlp.gate_proj.weight";
    case Role::ffn_up: return "mlp.up_proj.weight";
    case Role::ffn_down: return "mlp.down_proj.weight";
    case Role::output_norm: return "norm.weight";
    default: return {};
  }
}

std::string_view gpt2_suffix(Role role) {
  switch (role) {
    case Role::token_embedding: return "wte.weight";
    case Role::position_embedding: return "wpe.weight";
    case Role::attention_norm: return "ln_1.weight";
    case Role::attention_norm_bias: return "ln_1.bias";
    case Role::attention_q:
    case Role::attention_k:
    case Role::attention_v: return "attn.c_attn.weight";
    case Role::attention_q_bias:
    case Role::attention_k_bias:
    case Role::attention_v_bias: return "attn.c_attn.bias";
    case Role::attention_output: return "attn.c_proj.weight";
    case Role::attention_output_bias: return "attn.c_proj.bias";
    case Role::ffn_norm: return "ln_2.weight";
    case Role::ffn_norm_bias: return "ln_2.bias";
    case Role::ffn_up: return "mlp.c_fc.weight";
    case Role::ffn_up_bias: return "mlp.c_fc.bias";
    case Role::ffn_down: return "mlp.c_proj.weight";
    case Role::ffn_down_bias: return "mlp.c_proj.bias";
    case Role::output_norm: return "ln_f.weight";
    case Role::output_norm_bias: return "ln_f.bias";
    default: return {};
  }
}

bool is_outside_layers(Role role) {
  return role == Role::token_embedding || role == Role::position_embedding || role == Role::output_norm ||
         role == Role::output_norm_bias;
}

void set_gpt2_layout(Role role, StoredName& stored) {
  switch (role) {
    case Role::attention_q:
    case Role::attention_k:
    case Role::attention_v:
    case Role::attention_output:
    case Role::ffn_up:
    case Role::ffn_down: stored.layout = StoredLayout::transposed; break;
    default: break;
  }
  switch (role) {
    case Role::attention_q:
    case Role::attention_q_bias: stored.part = 0; break;
    case Role::attention_k:
    case Role::attention_k_bias: stored.part = 1; break;
    case Role::attention_v:
    case Role::attention_v_bias: stored.part = 2; break;
    default: return;
  }
  stored.n_parts = 3;
}

}  // namespace

StoredName hugging_face_name(Architecture architecture, TensorId id, std::string_view prefix) {
  StoredName stored;
  if (id.role == Role::output) {
    stored.name = "lm_head.weight";
    return stored;
  }
  const bool is_gpt2 = architecture == Architecture::gpt2;
  const std::string_view suffix = is_gpt2 ? gpt2_suffix(id.role) : llama_suffix(id.role);
  if (is_outside_layers(id.role)) {
    stored.name = fmt::format("{}{}", prefix, suffix);
  } else {
    stored.name = fmt::format("{}{}.{}.{}", prefix, is_gpt2 ? "h" : "layers", id.layer, suffix);
  }
  if (is_gpt2) set_gpt2_layout(id.role, stored);
  return stored;
}

std::string_view usual_prefix(Architecture architecture) {
  return architecture == Architecture::gpt2 ? "transformer." : "model.";
}

bool is_buffer(Architecture architecture, std::string_view name) {
  if (architecture == Architecture::gpt2) return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
  return name.ends_with(".rotary_emb.inv_freq");
}

}  // namespace stagebench
