#include "gguf_model.h"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "crc32.h"
#include "gguf_samples.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/json.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using test::GgufWriter;
using test::sample_value;

namespace {

std::shared_ptr<const Model> model_of(const GgufWriter& gguf) {
  auto bytes = std::make_shared<const std::string>(gguf.bytes());
  return make_gguf_model(std::as_bytes(std::span(*bytes)), bytes, "sample.gguf", "sample");
}

std::vector<float> rows_of(const Model& model, TensorId id, std::int64_t first_row, std::int64_t n_rows) {
  const TensorInfo* tensor = model.find(id);
  REQUIRE(tensor != nullptr);
  std::vector<float> values(static_cast<std::size_t>(n_rows * tensor->columns));
  model.read_rows(*tensor, first_row, n_rows, DType::f32, values.data());
  return values;
}

std::vector<float> expected_rows(std::int64_t first_row, std::int64_t n_rows, std::int64_t columns, float shift) {
  std::vector<float> values;
  for (std::int64_t row = first_row; row < first_row + n_rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) values.push_back(sample_value(row, column, shift));
  }
  return values;
}

}  // namespace

TEST_CASE("a llama's configuration comes from its keys and tensors") {
  const auto model = model_of(test::sample_llama());
  const ModelConfig& config = model->config();
  REQUIRE(config.name == "sample");
  REQUIRE(model->source() == "sample.gguf");
  REQUIRE(config.architecture == Architecture::llama);
  REQUIRE(config.n_layers == 2);
  REQUIRE(config.hidden_size == 16);
  REQUIRE(config.n_heads == 2);
  REQUIRE(config.n_kv_heads == 1);
  REQUIRE(config.head_dim == 8);
  REQUIRE(config.intermediate_size == 24);
  REQUIRE(config.vocab_size == 5);
  REQUIRE(config.max_context == 32);
  REQUIRE(config.norm_epsilon == 0.0625);
  REQUIRE(config.rope_theta == 50000.0);
  REQUIRE(config.rope_frequency_divisors.empty());
  REQUIRE(config.tied_embeddings);
  REQUIRE(config.bos_id == 1);
  REQUIRE(config.eos_ids == std::vector<TokenId>{2});
  REQUIRE(model->tensors().size() == 2 + 2 * 9);
  REQUIRE(model->find({TensorRole::output, 0}) == nullptr);
  REQUIRE(model->find({TensorRole::attention_q_bias, 0}) == nullptr);
  REQUIRE(model->find({TensorRole::ffn_up, 2}) == nullptr);
}

TEST_CASE("keys that are optional have llama.cpp's defaults") {
  auto gguf = test::sample_llama();
  gguf.remove("llama.rope.freq_base").remove("llama.rope.dimension_count").remove("llama.vocab_size");
  REQUIRE(model_of(gguf)->config().rope_theta == 10000.0);
  gguf.remove("llama.attention.head_count_kv");
  REQUIRE_THROWS_SAYING(model_of(gguf), InputError, "blk.0.attn_k.weight", "16 x 16", "16 x 8");
}

TEST_CASE("ends of a turn and of a message are EOS ids too") {
  auto gguf = test::sample_llama();
  gguf.u32("tokenizer.ggml.eot_token_id", 4).u64("tokenizer.ggml.eom_token_id", 2);
  REQUIRE(model_of(gguf)->config().eos_ids == std::vector<TokenId>{2, 4});
}

TEST_CASE("q and k come in rotate-half order, whatever rows are asked for") {
  const auto model = model_of(test::sample_llama());
  for (const std::int64_t layer : {0, 1}) {
    REQUIRE(rows_of(*model, {TensorRole::attention_q, layer}, 0, 16) == expected_rows(0, 16, 16, 0));
    REQUIRE(rows_of(*model, {TensorRole::attention_q, layer}, 5, 6) == expected_rows(5, 6, 16, 0));
    REQUIRE(rows_of(*model, {TensorRole::attention_k, layer}, 0, 8) == expected_rows(0, 8, 16, 0.25F));
    REQUIRE(rows_of(*model, {TensorRole::attention_v, layer}, 3, 2) == expected_rows(3, 2, 16, 0.75F));
  }
  REQUIRE(model->mapped(*model->find({TensorRole::attention_q, 0})).empty());
  REQUIRE(model->mapped(*model->find({TensorRole::attention_k, 1})).empty());
  const TensorInfo& down = *model->find({TensorRole::ffn_down, 1});
  REQUIRE(down.source_name == "blk.1.ffn_down.weight");
  REQUIRE(down.stored_bytes == 16 * 24 * 4);
  const auto mapped = model->mapped(down);
  const auto expected = expected_rows(0, 16, 24, 6);
  REQUIRE(mapped.size() == down.stored_bytes);
  REQUIRE(std::memcmp(mapped.data(), expected.data(), mapped.size()) == 0);
}

TEST_CASE("rows come in the type that is asked for") {
  const auto model = model_of(test::sample_llama());
  const TensorInfo& q = *model->find({TensorRole::attention_q, 0});
  std::array<std::uint16_t, 32> found{};
  model->read_rows(q, 0, 2, DType::bf16, found.data());
  REQUIRE(found[0] == 0);
  REQUIRE(found[1] == 0x3f80);   // 1
  REQUIRE(found[16] == 0x4280);  // 64: row 1, column 0
  model->read_rows(q, 0, 2, DType::f16, found.data());
  REQUIRE(found[1] == 0x3c00);
  REQUIRE(found[16] == 0x5400);
}

TEST_CASE("biases of q and k are put in order as their rows are") {
  auto gguf = test::sample_llama();
  // Values of a head in the order of sample_llama's rows.
  const std::vector<float> q{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
  const std::vector<float> k{0, 4, 1, 5, 2, 6, 3, 7};
  const std::vector<float> v{0, 1, 2, 3, 4, 5, 6, 7};
  for (const std::string prefix : {"blk.0.", "blk.1."}) {
    gguf.tensor(prefix + "attn_q.bias", {16}, 0, GgufWriter::bytes_of(q));
    gguf.tensor(prefix + "attn_k.bias", {8}, 0, GgufWriter::bytes_of(k));
    gguf.tensor(prefix + "attn_v.bias", {8}, 0, GgufWriter::bytes_of(v));
    gguf.tensor(prefix + "attn_output.bias", {16}, 0, GgufWriter::bytes_of(q));
  }
  const auto model = model_of(gguf);
  REQUIRE(rows_of(*model, {TensorRole::attention_q_bias, 0}, 0, 1) == expected_rows(0, 1, 16, 0));
  REQUIRE(rows_of(*model, {TensorRole::attention_k_bias, 1}, 0, 1) == expected_rows(0, 1, 8, 0));
  REQUIRE(rows_of(*model, {TensorRole::attention_v_bias, 1}, 0, 1) == v);
  REQUIRE(rows_of(*model, {TensorRole::attention_output_bias, 1}, 0, 1) == q);
  REQUIRE(model->mapped(*model->find({TensorRole::attention_q_bias, 0})).empty());
  std::array<std::uint16_t, 8> half{};
  model->read_rows(*model->find({TensorRole::attention_k_bias, 0}), 0, 1, DType::f16, half.data());
  REQUIRE(half == std::array<std::uint16_t, 8>{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700});
}

TEST_CASE("an output matrix of its own and RoPE's divisors are read") {
  auto gguf = test::sample_llama();
  gguf.tensor("output.weight", {16, 5}, 0, std::string(5 * 16 * 4, '\0'));
  gguf.tensor("rope_freqs.weight", {4}, 0, GgufWriter::bytes_of(std::vector<float>{1, 1, 2.5F, 8}));
  const auto model = model_of(gguf);
  REQUIRE_FALSE(model->config().tied_embeddings);
  REQUIRE(model->config().rope_frequency_divisors == std::vector<float>{1, 1, 2.5F, 8});
  REQUIRE(model->find({TensorRole::output, 0})->rows == 5);
  REQUIRE(model->tensors().size() == 3 + 2 * 9);
}

TEST_CASE("block types are dequantised row by row") {
  auto gguf = test::sample_gpt2();
  gguf.u32("gpt2.feed_forward_length", 32);
  gguf.tensor_named("blk.0.ffn_up.weight") = {"blk.0.ffn_up.weight", {8, 32}, 0, std::string(8 * 32 * 4, '\0'), -1};
  gguf.tensor_named("blk.0.ffn_up.bias") = {"blk.0.ffn_up.bias", {32}, 0, std::string(32 * 4, '\0'), -1};
  std::string blocks;
  for (int row = 0; row < 8; ++row) {
    blocks += GgufWriter::bytes_of(std::uint16_t{0x3800});  // q8_0: d = 0.5
    for (int i = 0; i < 32; ++i) blocks += static_cast<char>(row * 8 - i);
  }
  gguf.tensor_named("blk.0.ffn_down.weight") = {"blk.0.ffn_down.weight", {32, 8}, 8, blocks, -1};
  const auto model = model_of(gguf);
  const TensorInfo& down = *model->find({TensorRole::ffn_down, 0});
  REQUIRE(down.dtype == DType::q8_0);
  REQUIRE(down.stored_bytes == 8 * 34);
  const auto values = rows_of(*model, down.id, 3, 2);
  for (int i = 0; i < 32; ++i) {
    REQUIRE(values[static_cast<std::size_t>(i)] == 0.5F * static_cast<float>(24 - i));
    REQUIRE(values[static_cast<std::size_t>(32 + i)] == 0.5F * static_cast<float>(32 - i));
  }
}

TEST_CASE("gpt2's fused qkv is three matrices and three biases") {
  const auto model = model_of(test::sample_gpt2());
  const ModelConfig& config = model->config();
  REQUIRE(config.architecture == Architecture::gpt2);
  REQUIRE((config.n_heads == 2 && config.n_kv_heads == 2 && config.head_dim == 4));
  REQUIRE((config.vocab_size == 6 && config.max_context == 7 && config.norm_epsilon == 0.125));
  REQUIRE(config.eos_ids == std::vector<TokenId>{5});
  REQUIRE(model->vocabulary() == nullptr);
  REQUIRE(rows_of(*model, {TensorRole::attention_q, 0}, 0, 8) == expected_rows(0, 8, 8, 0));
  REQUIRE(rows_of(*model, {TensorRole::attention_k, 0}, 0, 8) == expected_rows(8, 8, 8, 0));
  REQUIRE(rows_of(*model, {TensorRole::attention_v, 0}, 2, 3) == expected_rows(18, 3, 8, 0));
  const auto bias = expected_rows(0, 1, 24, 0.5F);
  REQUIRE(rows_of(*model, {TensorRole::attention_q_bias, 0}, 0, 1) ==
          std::vector<float>(bias.begin(), bias.begin() + 8));
  REQUIRE(rows_of(*model, {TensorRole::attention_k_bias, 0}, 0, 1) ==
          std::vector<float>(bias.begin() + 8, bias.begin() + 16));
  REQUIRE(rows_of(*model, {TensorRole::attention_v_bias, 0}, 0, 1) ==
          std::vector<float>(bias.begin() + 16, bias.end()));
  const TensorInfo& q = *model->find({TensorRole::attention_q, 0});
  const TensorInfo& v = *model->find({TensorRole::attention_v, 0});
  REQUIRE(v.source_name == "blk.0.attn_qkv.weight");
  REQUIRE(v.stored_bytes == 8 * 8 * 4);
  REQUIRE(v.file_offset == q.file_offset + 2 * 8 * 8 * 4);
  REQUIRE(model->mapped(v).empty());
}

TEST_CASE("version 2 and a file's own alignment are read as well") {
  auto gguf = test::sample_llama();
  gguf.version = 2;
  gguf.alignment = 128;
  gguf.u32("general.alignment", 128);
  const auto model = model_of(gguf);
  REQUIRE(model->tensors()[3].file_offset % 128 == 0);
  REQUIRE(rows_of(*model, {TensorRole::ffn_up, 0}, 23, 1) == expected_rows(23, 1, 16, 5));
}

TEST_CASE("the vocabulary is handed on as the file has it") {
  const auto model = model_of(test::sample_llama());
  const Vocabulary* vocabulary = model->vocabulary();
  REQUIRE(vocabulary != nullptr);
  REQUIRE(vocabulary->source == "sample.gguf");
  REQUIRE(vocabulary->model == "llama");
  REQUIRE(vocabulary->pre.empty());
  REQUIRE(vocabulary->pieces == std::vector<std::string>{"<unk>", "<s>", "</s>", "<0x41>", "a"});
  REQUIRE(vocabulary->scores == std::vector<float>{0, 0, 0, -1, -2.5F});
  REQUIRE(vocabulary->types == std::vector<PieceType>{PieceType::unknown, PieceType::control, PieceType::control,
                                                      PieceType::byte, PieceType::normal});
  REQUIRE(vocabulary->merges.empty());
  REQUIRE((vocabulary->bos_id == 1 && vocabulary->eos_id == 2 && vocabulary->unknown_id == 0));
  REQUIRE_FALSE(vocabulary->padding_id);
  REQUIRE(vocabulary->add_bos == true);
  REQUIRE(vocabulary->add_space_prefix == false);
  REQUIRE_FALSE(vocabulary->add_eos);
}

TEST_CASE("rows outside a tensor are refused") {
  const auto model = model_of(test::sample_llama());
  const TensorInfo& norm = model->tensors()[1];
  std::vector<float> values(64);
  for (const auto& [first, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {0, 2}, {-1, 1}, {0, -1}}) {
    REQUIRE_THROWS_SAYING(model->read_rows(norm, first, n, DType::f32, values.data()), UsageError, "attn_norm",
                          "1 rows");
  }
}

TEST_CASE("a file on disk is mapped and named after itself") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("tiny.Q8.gguf", test::sample_gpt2().bytes());
  const auto model = open_gguf(path);
  REQUIRE(model->config().name == "tiny.Q8");
  REQUIRE(model->source() == path.string());
  REQUIRE(rows_of(*model, {TensorRole::token_embedding, 0}, 5, 1) == expected_rows(5, 1, 8, 0));
  REQUIRE_THROWS_SAYING(open_gguf(folder.path() / "none.gguf"), InputError, "none.gguf");
}

TEST_CASE("SmolLM2's GGUF has the values that the gguf package reads") {
  const char* cache = std::getenv("STAGEBENCH_CACHE");
  const std::filesystem::path root = cache != nullptr ? cache : STAGEBENCH_SOURCE_DIR "/.cache";
  const auto path = root / "models" / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: " << path.string() << " is not there; scripts/fetch_model smollm2-135m brings it");
    return;
  }
  const auto model = open_gguf(path);
  const ModelConfig& config = model->config();
  REQUIRE((config.n_layers == 30 && config.hidden_size == 576 && config.n_heads == 9 && config.n_kv_heads == 3));
  REQUIRE((config.head_dim == 64 && config.intermediate_size == 1536 && config.vocab_size == 49152));
  REQUIRE((config.max_context == 8192 && config.rope_theta == 100000.0 && config.tied_embeddings));
  REQUIRE(config.norm_epsilon == Approx(1e-5));
  REQUIRE((config.bos_id == 1 && config.eos_ids == std::vector<TokenId>{2}));
  REQUIRE(model->tensors().size() == 272);
  REQUIRE(model->vocabulary()->pre == "smollm");
  REQUIRE(model->vocabulary()->merges.size() == 48900);

  const auto golden = JsonDocument::from_file(STAGEBENCH_TEST_DATA "/golden/gguf-checksums.json");
  for (const TensorId id : {TensorId{TensorRole::attention_q, 0}, TensorId{TensorRole::attention_k, 29},
                            TensorId{TensorRole::ffn_down, 7}}) {
    const TensorInfo& tensor = *model->find(id);
    for (const DType target : {DType::f32, DType::f16, DType::bf16}) {
      std::vector<std::byte> rows(static_cast<std::size_t>(tensor.rows * row_bytes(target, tensor.columns)));
      model->read_rows(tensor, 0, tensor.rows, target, rows.data());
      INFO(tensor.source_name << " as " << name(target));
      const auto expected = golden.root().at("smollm2").at(tensor.source_name).at(name(target));
      REQUIRE(static_cast<std::int64_t>(test::crc32(rows)) == expected.as_int64());
    }
  }
}
