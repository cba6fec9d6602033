#include "gguf_samples.h"

#include <numeric>
#include <string>
#include <vector>

namespace stagebench::test {
namespace {

/// Adds an f32 matrix whose row r is sample_value of row rows[r].
void add_rows(GgufWriter& gguf, const std::string& name, const std::vector<std::int64_t>& rows, std::int64_t columns,
              float shift) {
  std::vector<float> values;
  for (const std::int64_t row : rows) {
    for (std::int64_t column = 0; column < columns; ++column) values.push_back(sample_value(row, column, shift));
  }
  gguf.tensor(name, {static_cast<std::uint64_t>(columns), rows.size()}, 0, GgufWriter::bytes_of(values));
}

void add_matrix(GgufWriter& gguf, const std::string& name, std::int64_t n_rows, std::int64_t columns, float shift) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n_rows));
  std::iota(rows.begin(), rows.end(), 0);
  add_rows(gguf, name, rows, columns, shift);
}

void add_vector(GgufWriter& gguf, const std::string& name, std::int64_t columns, float shift) {
  std::vector<float> values;
  for (std::int64_t column = 0; column < columns; ++column) values.push_back(sample_value(0, column, shift));
  gguf.tensor(name, {static_cast<std::uint64_t>(columns)}, 0, GgufWriter::bytes_of(values));
}

}  // namespace

float sample_value(std::int64_t row, std::int64_t column, float shift) {
  return static_cast<float>(row * 64 + column) + shift;
}

GgufWriter sample_llama() {
  GgufWriter gguf;
  gguf.string("general.architecture", "llama")
      .u32("llama.block_count", 2)
      .u32("llama.context_length", 32)
      .u32("llama.embedding_length", 16)
      .u32("llama.feed_forward_length", 24)
      .u32("llama.attention.head_count", 2)
      .u32("llama.attention.head_count_kv", 1)
      .u32("llama.rope.dimension_count", 8)
      .f32("llama.rope.freq_base", 50000.0F)
      .f32("llama.attention.layer_norm_rms_epsilon", 0.0625F)
      .u32("llama.vocab_size", 5)
      .string("tokenizer.ggml.model", "llama")
      .strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x41>", "a"})
      .f32s("tokenizer.ggml.scores", {0, 0, 0, -1, -2.5F})
      .i32s("tokenizer.ggml.token_type", {2, 3, 3, 6, 1})
      .u32("tokenizer.ggml.bos_token_id", 1)
      .u32("tokenizer.ggml.eos_token_id", 2)
      .u32("tokenizer.ggml.unknown_token_id", 0)
      .boolean("tokenizer.ggml.add_bos_token", true)
      .boolean("tokenizer.ggml.add_space_prefix", false);
  // What numpy gives for arange(8).reshape(2, 4).swapaxes(0, 1).flatten(), and the same for a second head.
  const std::vector<std::int64_t> one_head{0, 4, 1, 5, 2, 6, 3, 7};
  const std::vector<std::int64_t> two_heads{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
  add_matrix(gguf, "token_embd.weight", 5, 16, 0.5F);
  for (const std::string prefix : {"blk.0.", "blk.1."}) {
    add_vector(gguf, prefix + "attn_norm.weight", 16, 1);
    add_rows(gguf, prefix + "attn_q.weight", two_heads, 16, 0);
    add_rows(gguf, prefix + "attn_k.weight", one_head, 16, 0.25F);
    add_matrix(gguf, prefix + "attn_v.weight", 8, 16, 0.75F);
    add_matrix(gguf, prefix + "attn_output.weight", 16, 16, 2);
    add_vector(gguf, prefix + "ffn_norm.weight", 16, 3);
    add_matrix(gguf, prefix + "ffn_gate.weight", 24, 16, 4);
    add_matrix(gguf, prefix + "ffn_up.weight", 24, 16, 5);
    add_matrix(gguf, prefix + "ffn_down.weight", 16, 24, 6);
  }
  add_vector(gguf, "output_norm.weight", 16, 7);
  return gguf;
}

GgufWriter sample_gpt2() {
  GgufWriter gguf;
  gguf.string("general.architecture", "gpt2")
      .u32("gpt2.block_count", 1)
      .u32("gpt2.context_length", 7)
      .u32("gpt2.embedding_length", 8)
      .u32("gpt2.feed_forward_length", 12)
      .u32("gpt2.attention.head_count", 2)
      .f32("gpt2.attention.layer_norm_epsilon", 0.125F)
      .u32("tokenizer.ggml.eos_token_id", 5);
  add_matrix(gguf, "token_embd.weight", 6, 8, 0);
  add_matrix(gguf, "position_embd.weight", 7, 8, 0);
  add_vector(gguf, "blk.0.attn_norm.weight", 8, 0);
  add_vector(gguf, "blk.0.attn_norm.bias", 8, 0);
  add_matrix(gguf, "blk.0.attn_qkv.weight", 24, 8, 0);
  add_vector(gguf, "blk.0.attn_qkv.bias", 24, 0.5F);
  add_matrix(gguf, "blk.0.attn_output.weight", 8, 8, 0);
  add_vector(gguf, "blk.0.attn_output.bias", 8, 0);
  add_vector(gguf, "blk.0.ffn_norm.weight", 8, 0);
  add_vector(gguf, "blk.0.ffn_norm.bias", 8, 0);
  add_matrix(gguf, "blk.0.ffn_up.weight", 12, 8, 0);
  add_vector(gguf, "blk.0.ffn_up.bias", 12, 0);
  add_matrix(gguf, "blk.0.ffn_down.weight", 8, 12, 0);
  add_vector(gguf, "blk.0.ffn_down.bias", 8, 0);
  add_vector(gguf, "output_norm.weight", 8, 0);
  add_vector(gguf, "output_norm.bias", 8, 0);
  return gguf;
}

}  // namespace stagebench::test
