#include "hugging_face_model.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "safetensors_builder.h"
#include "stagebench/contracts/error.h"
#include "stagebench/model/open_model.h"
#include "stagebench/support/half.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using test::StoredTensor;
namespace fs = std::filesystem;

namespace {

const fs::path llama_folder = fs::path(STAGEBENCH_TEST_DATA) / "models/tiny-llama-botchan";
const fs::path gpt2_folder = fs::path(STAGEBENCH_TEST_DATA) / "models/gpt2-tiny-random-f16";

std::vector<float> read_all(const Model& model, TensorId id) {
  const TensorInfo* tensor = model.find(id);
  REQUIRE(tensor != nullptr);
  std::vector<float> values(static_cast<std::size_t>(tensor->rows * tensor->columns));
  model.read_rows(*tensor, 0, tensor->rows, DType::f32, values.data());
  return values;
}

/// One value, read by itself.
float value_at(const Model& model, TensorId id, std::int64_t row, std::int64_t column) {
  const TensorInfo* tensor = model.find(id);
  REQUIRE(tensor != nullptr);
  std::vector<float> values(static_cast<std::size_t>(tensor->columns));
  model.read_rows(*tensor, row, 1, DType::f32, values.data());
  return values[static_cast<std::size_t>(column)];
}

/// A model's folder as another one's copy, with tensors to be changed before they are written.
struct ModelCopy {
  explicit ModelCopy(const fs::path& original) : tensors(test::load_safetensors(original / "model.safetensors")) {
    folder.write("config.json", read_text_file(original / "config.json"));
  }

  StoredTensor& at(const std::string& name) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == name; });
    REQUIRE(found != tensors.end());
    return *found;
  }
  void erase(const std::string& name) {
    std::erase_if(tensors, [&](const auto& tensor) { return tensor.name == name; });
  }
  std::shared_ptr<const Model> open() {
    folder.write("model.safetensors", test::safetensors_bytes(tensors));
    return open_model(folder.path());
  }

  test::TemporaryFolder folder;
  std::vector<StoredTensor> tensors;
};

/// Every value of every tensor, bit by bit.
void require_same_values(const Model& left, const Model& right) {
  REQUIRE(left.tensors().size() == right.tensors().size());
  for (const TensorInfo& tensor : left.tensors()) {
    INFO(tensor.source_name);
    REQUIRE(read_all(left, tensor.id) == read_all(right, tensor.id));
  }
}

}  // namespace

// The values in this file were read from the files with numpy.

TEST_CASE("A llama folder gives its config and its tensors by role") {
  const auto model = open_model(llama_folder);
  const ModelConfig& config = model->config();
  REQUIRE(config.name == "tiny-llama-botchan");
  REQUIRE(config.architecture == Architecture::llama);
  REQUIRE(config.n_layers == 4);
  REQUIRE(config.n_kv_heads == 3);
  REQUIRE(config.head_dim == 32);
  REQUIRE(config.max_context == 512);
  REQUIRE(config.tied_embeddings);
  REQUIRE(config.eos_ids == std::vector<TokenId>{2});
  REQUIRE(model->source() == llama_folder.string());
  REQUIRE(model->vocabulary() == nullptr);
  REQUIRE(model->tensors().size() == 2 + 4 * 9);
  REQUIRE(model->find({TensorRole::output, 0}) == nullptr);
  REQUIRE(model->find({TensorRole::attention_q_bias, 0}) == nullptr);
  REQUIRE(model->find({TensorRole::ffn_gate, 4}) == nullptr);
  REQUIRE(model->find({TensorRole::output, 1'000'000}) == nullptr);
  REQUIRE(model->find({TensorRole::ffn_up, -1}) == nullptr);

  const TensorInfo* k = model->find({TensorRole::attention_k, 2});
  REQUIRE(k->source_name == "model.layers.2.self_attn.k_proj.weight");
  REQUIRE(k->dtype == DType::f16);
  REQUIRE(k->rows == 96);
  REQUIRE(k->columns == 192);
  REQUIRE(k->stored_bytes == 36864);
  REQUIRE(k->file_offset == 3004616);
}

TEST_CASE("A llama folder's rows have the file's values") {
  const auto model = open_model(llama_folder);
  REQUIRE(value_at(*model, {TensorRole::token_embedding, 0}, 5, 0) == 0.01432037353515625F);
  REQUIRE(value_at(*model, {TensorRole::token_embedding, 0}, 5, 1) == -0.10052490234375F);
  REQUIRE(value_at(*model, {TensorRole::attention_k, 2}, 95, 0) == -0.0634765625F);
  REQUIRE(value_at(*model, {TensorRole::attention_k, 2}, 95, 191) == 0x1.9ecp-5F);
  REQUIRE(value_at(*model, {TensorRole::ffn_down, 3}, 191, 1) == 0.203857421875F);
  REQUIRE(value_at(*model, {TensorRole::ffn_down, 3}, 191, 511) == 0x1.728p-4F);
  REQUIRE(value_at(*model, {TensorRole::ffn_gate, 1}, 511, 2) == 0.038726806640625F);
  REQUIRE(value_at(*model, {TensorRole::output_norm, 0}, 0, 1) == 2.27734375F);
}

TEST_CASE("A llama folder's matrices lie in the file as they are wanted") {
  const auto model = open_model(llama_folder);
  for (const TensorInfo& tensor : model->tensors()) {
    INFO(tensor.source_name);
    const auto bytes = model->mapped(tensor);
    REQUIRE(bytes.size() == tensor.stored_bytes);
    std::vector<std::uint16_t> rows(bytes.size() / 2);
    model->read_rows(tensor, 0, tensor.rows, DType::f16, rows.data());
    REQUIRE(std::equal(bytes.begin(), bytes.end(), std::as_bytes(std::span(rows)).begin()));
  }
}

TEST_CASE("A gpt2 folder gives its config and its tensors by role") {
  const auto model = open_model(gpt2_folder);
  const ModelConfig& config = model->config();
  REQUIRE(config.architecture == Architecture::gpt2);
  REQUIRE(config.hidden_size == 64);
  REQUIRE(config.intermediate_size == 256);
  REQUIRE(config.max_context == 256);
  REQUIRE(config.vocab_size == 50257);
  REQUIRE(config.bos_id == 50256);
  REQUIRE(model->tensors().size() == 4 + 2 * 16);
  const TensorInfo* v = model->find({TensorRole::attention_v, 1});
  REQUIRE(v->source_name == "transformer.h.1.attn.c_attn.weight");
  REQUIRE(v->rows == 64);
  REQUIRE(v->columns == 64);
  REQUIRE(v->stored_bytes == 64 * 64 * 2);
  REQUIRE(v->file_offset == 102976);
  const TensorInfo* up = model->find({TensorRole::ffn_up, 0});
  REQUIRE(up->rows == 256);
  REQUIRE(up->columns == 64);
}

TEST_CASE("gpt2's fused and transposed c_attn is split into rows of q, k and v") {
  const auto model = open_model(gpt2_folder);
  const TensorId q{TensorRole::attention_q, 1};
  REQUIRE(value_at(*model, q, 0, 0) == -0.003421783447265625F);
  REQUIRE(value_at(*model, q, 0, 1) == -0.083984375F);
  REQUIRE(value_at(*model, q, 1, 0) == -0.006984710693359375F);
  REQUIRE(value_at(*model, q, 5, 62) == -0.1591796875F);
  REQUIRE(value_at(*model, q, 63, 63) == 0.459716796875F);
  const TensorId k{TensorRole::attention_k, 1};
  REQUIRE(value_at(*model, k, 0, 1) == 0.2119140625F);
  REQUIRE(value_at(*model, k, 1, 0) == 0.04241943359375F);
  REQUIRE(value_at(*model, k, 63, 63) == -0.0037479400634765625F);
  const TensorId v{TensorRole::attention_v, 1};
  REQUIRE(value_at(*model, v, 1, 0) == -0.000244140625F);
  REQUIRE(value_at(*model, v, 63, 0) == 0.0662841796875F);
  REQUIRE(value_at(*model, v, 63, 63) == 0.062744140625F);
  REQUIRE(value_at(*model, {TensorRole::attention_q_bias, 1}, 0, 1) == 0.06298828125F);
  REQUIRE(value_at(*model, {TensorRole::attention_k_bias, 1}, 0, 0) == -0.10699462890625F);
  REQUIRE(value_at(*model, {TensorRole::attention_v_bias, 1}, 0, 63) == 0.08184814453125F);
}

TEST_CASE("gpt2's other matrices are transposed, its embeddings and vectors are not") {
  const auto model = open_model(gpt2_folder);
  REQUIRE(value_at(*model, {TensorRole::attention_output, 0}, 0, 1) == 0.04217529296875F);
  REQUIRE(value_at(*model, {TensorRole::attention_output, 0}, 1, 0) == 0.10009765625F);
  REQUIRE(value_at(*model, {TensorRole::ffn_up, 0}, 1, 0) == 0.0626220703125F);
  REQUIRE(value_at(*model, {TensorRole::ffn_up, 0}, 200, 7) == 0.2313232421875F);
  REQUIRE(value_at(*model, {TensorRole::ffn_down, 0}, 0, 1) == -0.042022705078125F);
  REQUIRE(value_at(*model, {TensorRole::ffn_down, 0}, 7, 200) == 0.062347412109375F);
  REQUIRE(value_at(*model, {TensorRole::token_embedding, 0}, 50256, 1) == 0.204345703125F);
  REQUIRE(value_at(*model, {TensorRole::position_embedding, 0}, 255, 0) == -0.143310546875F);
  REQUIRE(value_at(*model, {TensorRole::output_norm_bias, 0}, 0, 1) == 0.1978759765625F);
}

TEST_CASE("Only what is neither transposed nor fused is mapped") {
  const auto model = open_model(gpt2_folder);
  for (const TensorRole role : {TensorRole::attention_q, TensorRole::attention_v_bias, TensorRole::attention_output,
                                TensorRole::ffn_up, TensorRole::ffn_down}) {
    REQUIRE(model->mapped(*model->find({role, 0})).empty());
  }
  REQUIRE(model->mapped(*model->find({TensorRole::token_embedding, 0})).size() == 50257 * 64 * 2);
  REQUIRE(model->mapped(*model->find({TensorRole::ffn_up_bias, 1})).size() == 256 * 2);
}

TEST_CASE("Rows read in pieces and in any type are the whole ones, rounded") {
  for (const auto& folder : {llama_folder, gpt2_folder}) {
    const auto model = open_model(folder);
    for (const TensorRole role : {TensorRole::attention_k, TensorRole::ffn_up, TensorRole::ffn_down}) {
      const TensorInfo& tensor = *model->find({role, 1});
      const std::vector<float> whole = read_all(*model, tensor.id);
      const auto columns = static_cast<std::size_t>(tensor.columns);
      for (std::int64_t row = 0; row < tensor.rows; row += 37) {
        const std::int64_t n_rows = std::min<std::int64_t>(37, tensor.rows - row);
        const auto n_values = static_cast<std::size_t>(n_rows) * columns;
        std::vector<float> piece(n_values);
        std::vector<std::uint16_t> bf16(n_values);
        model->read_rows(tensor, row, n_rows, DType::f32, piece.data());
        model->read_rows(tensor, row, n_rows, DType::bf16, bf16.data());
        int wrong = 0;
        for (std::size_t i = 0; i < n_values; ++i) {
          const float expected = whole[static_cast<std::size_t>(row) * columns + i];
          wrong += piece[i] == expected && bf16[i] == f32_to_bf16(expected) ? 0 : 1;
        }
        REQUIRE(wrong == 0);
      }
    }
  }
}

TEST_CASE("Weights without the usual prefix are the same model") {
  for (const auto& [folder, prefix] :
       {std::pair(llama_folder, std::string("model.")), std::pair(gpt2_folder, std::string("transformer."))}) {
    ModelCopy copy(folder);
    for (StoredTensor& tensor : copy.tensors) tensor.name = tensor.name.substr(prefix.size());
    require_same_values(*open_model(folder), *copy.open());
  }
}

TEST_CASE("f32 and bf16 files are read") {
  ModelCopy copy(llama_folder);
  StoredTensor& wide = copy.at("model.norm.weight");
  std::string f32;
  std::vector<float> values(192);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F + static_cast<float>(i) / 3;
  wide.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  wide.type = "F32";
  StoredTensor& brain = copy.at("model.layers.0.input_layernorm.weight");
  brain.data.clear();
  for (int i = 0; i < 192; ++i) brain.data += std::string("\x49\x40", 2);  // 3.140625
  brain.type = "BF16";
  const auto model = copy.open();
  REQUIRE(read_all(*model, {TensorRole::output_norm, 0}) == values);
  REQUIRE(read_all(*model, {TensorRole::attention_norm, 0}) == std::vector<float>(192, 3.140625F));
  REQUIRE(model->find({TensorRole::output_norm, 0})->dtype == DType::f32);
}

TEST_CASE("A sharded folder is the same model") {
  for (const auto& folder : {llama_folder, gpt2_folder}) {
    ModelCopy copy(folder);
    const auto half = copy.tensors.begin() + static_cast<std::ptrdiff_t>(copy.tensors.size() / 2);
    copy.folder.write("model-00001-of-00002.safetensors", test::safetensors_bytes({copy.tensors.begin(), half}));
    copy.folder.write("model-00002-of-00002.safetensors", test::safetensors_bytes({half, copy.tensors.end()}));
    std::string index = R"({"metadata":{"total_size":1},"weight_map":{)";
    for (auto tensor = copy.tensors.begin(); tensor != copy.tensors.end(); ++tensor) {
      index += (tensor == copy.tensors.begin() ? "\"" : ",\"") + tensor->name + "\":\"model-0000" +
               (tensor < half ? "1" : "2") + "-of-00002.safetensors\"";
    }
    copy.folder.write("model.safetensors.index.json", index + "}}");
    require_same_values(*open_model(folder), *open_model(copy.folder.path()));
  }
}

TEST_CASE("An index that disagrees with its shards is refused") {
  ModelCopy copy(llama_folder);
  copy.folder.write("a.safetensors", test::safetensors_bytes({copy.tensors[0], copy.tensors[1]}));
  copy.folder.write("b.safetensors", test::safetensors_bytes({copy.tensors[1]}));
  const std::string first = "\"" + copy.tensors[0].name + "\":";
  const std::string second = "\"" + copy.tensors[1].name + "\":";
  const auto open_with = [&](const std::string& weight_map) {
    copy.folder.write("model.safetensors.index.json", R"({"weight_map":{)" + weight_map + "}}");
    return open_model(copy.folder.path());
  };
  REQUIRE_THROWS_SAYING(open_with(first + R"("absent.safetensors")"), InputError, "index.json",
                        "expected the file absent.safetensors", "found none");
  REQUIRE_THROWS_SAYING(open_with(first + R"("a.safetensors")"), InputError, copy.tensors[1].name,
                        "expected every tensor in the index", "a.safetensors");
  REQUIRE_THROWS_SAYING(open_with(first + R"("b.safetensors",)" + second + R"("b.safetensors")"), InputError,
                        copy.tensors[0].name, "found it nowhere");
  REQUIRE_THROWS_SAYING(open_with(first + R"("a.safetensors",)" + second + R"("b.safetensors")"), InputError,
                        "b.safetensors", copy.tensors[1].name, "expected each tensor once", "a.safetensors");
  REQUIRE_THROWS_SAYING(open_with(first + "3"), InputError, "weight_map." + copy.tensors[0].name, "expected a string");
  REQUIRE_THROWS_SAYING(open_with(first + R"("a.safetensors",)" + first + R"("a.safetensors")"), InputError,
                        "found it twice");
  copy.folder.write("a.safetensors", test::safetensors_bytes({copy.tensors[0]}));
  REQUIRE_THROWS_SAYING(open_with(first + R"("b.safetensors",)" + second + R"("a.safetensors")"), InputError,
                        copy.tensors[0].name, "b.safetensors, found it in", "a.safetensors");
  copy.folder.write("model.safetensors.index.json", "{}");
  REQUIRE_THROWS_SAYING(open_model(copy.folder.path()), InputError, "\"weight_map\"");
}

TEST_CASE("An index cannot name files outside its folder") {
  ModelCopy copy(llama_folder);
  const auto outside = llama_folder / "model.safetensors";
  for (const std::string& name :
       {outside.string(), std::string("../model.safetensors"), std::string(".."), std::string("."), std::string(),
        std::string("shards/a.safetensors"), std::string("a\\\\b"), std::string("a\\u0000b")}) {
    INFO("shard: " << name);
    copy.folder.write("model.safetensors.index.json", R"({"weight_map":{"model.norm.weight":")" + name + R"("}})");
    REQUIRE_THROWS_SAYING(open_model(copy.folder.path()), InputError, "weight_map.model.norm.weight",
                          "a file in the same folder");
  }
}

TEST_CASE("Tensors that are missing, superfluous, misshapen or of another type are named") {
  ModelCopy copy(llama_folder);
  SECTION("missing") {
    copy.erase("model.layers.3.mlp.up_proj.weight");
    REQUIRE_THROWS_SAYING(copy.open(), InputError,
                          "model.safetensors: ", "expected the tensor model.layers.3.mlp.up_proj.weight, found none");
  }
  SECTION("superfluous") {
    copy.tensors.push_back({"model.layers.4.mlp.up_proj.weight", "F16", {1}, "dd"});
    REQUIRE_THROWS_SAYING(copy.open(), InputError, "model.layers.4.mlp.up_proj.weight: ", "llama model of 4 layers");
  }
  SECTION("transposed") {
    std::swap(copy.at("model.layers.1.self_attn.k_proj.weight").shape[0],
              copy.at("model.layers.1.self_attn.k_proj.weight").shape[1]);
    REQUIRE_THROWS_SAYING(copy.open(), InputError,
                          "model.layers.1.self_attn.k_proj.weight: ", "expected the shape [96, 192]",
                          "found [192, 96]");
  }
  SECTION("a vector with two dimensions") {
    copy.at("model.norm.weight").shape = {1, 192};
    REQUIRE_THROWS_SAYING(copy.open(), InputError, "model.norm.weight: ", "expected the shape [192]", "found [1, 192]");
  }
  SECTION("type") {
    copy.at("model.norm.weight").type = "I16";
    REQUIRE_THROWS_SAYING(copy.open(), InputError, "model.norm.weight: ", "F32, F16 or BF16", "found I16");
  }
}

TEST_CASE("What old files hold beside the weights is passed over") {
  ModelCopy llama(llama_folder);
  llama.tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {1}, "dddd"});
  REQUIRE(llama.open()->tensors().size() == 2 + 4 * 9);
  ModelCopy gpt2(gpt2_folder);
  gpt2.tensors.push_back({"transformer.h.0.attn.bias", "BOOL", {1, 1, 2, 2}, "dddd"});
  gpt2.tensors.push_back({"transformer.h.0.attn.masked_bias", "F32", {}, "dddd"});
  REQUIRE(gpt2.open()->tensors().size() == 4 + 2 * 16);
}

TEST_CASE("lm_head.weight of a tied model must be the embedding") {
  ModelCopy copy(llama_folder);
  StoredTensor output = copy.at("model.embed_tokens.weight");
  output.name = "lm_head.weight";
  copy.tensors.push_back(output);
  SECTION("equal") {
    REQUIRE(copy.open()->find({TensorRole::output, 0}) == nullptr);
  }
  SECTION("different") {
    copy.tensors.back().data.back() ^= 1;
    REQUIRE_THROWS_SAYING(copy.open(), InputError, "lm_head.weight: ", "tied", "found other values");
  }
}

TEST_CASE("An untied model has its output matrix") {
  ModelCopy copy(llama_folder);
  std::string config = read_text_file(copy.folder.path() / "config.json");
  const std::string tied = R"("tie_word_embeddings": true)";
  config.replace(config.find(tied), tied.size(), R"("tie_word_embeddings": false)");
  copy.folder.write("config.json", config);
  REQUIRE_THROWS_SAYING(copy.open(), InputError, "expected the tensor lm_head.weight");
  StoredTensor output = copy.at("model.embed_tokens.weight");
  output.name = "lm_head.weight";
  output.data.replace(0, 2, std::string("\x00\x3c", 2));  // 1.0
  copy.tensors.push_back(output);
  const auto model = copy.open();
  REQUIRE(value_at(*model, {TensorRole::output, 0}, 0, 0) == 1.0F);
  REQUIRE(value_at(*model, {TensorRole::output, 0}, 5, 1) == -0.10052490234375F);
}

TEST_CASE("attention_bias brings the biases of the projections") {
  ModelCopy copy(llama_folder);
  std::string config = read_text_file(copy.folder.path() / "config.json");
  const std::string off = R"("attention_bias": false)";
  config.replace(config.find(off), off.size(), R"("attention_bias": true)");
  copy.folder.write("config.json", config);
  for (int layer = 0; layer < 4; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".self_attn.";
    for (const auto& [name, size] :
         {std::pair("q_proj", 192), std::pair("k_proj", 96), std::pair("v_proj", 96), std::pair("o_proj", 192)}) {
      std::string data(static_cast<std::size_t>(size) * 2, '\0');
      data.replace(0, 2, std::string("\x00\x3c", 2));
      copy.tensors.push_back({prefix + name + ".bias", "F16", {size}, data});
    }
  }
  const auto model = copy.open();
  REQUIRE(model->tensors().size() == 2 + 4 * 13);
  REQUIRE(value_at(*model, {TensorRole::attention_k_bias, 3}, 0, 0) == 1.0F);
  REQUIRE(model->find({TensorRole::attention_output_bias, 0})->columns == 192);
}

TEST_CASE("Data that lies askew in the file is read, but not handed out in place") {
  ModelCopy copy(llama_folder);
  copy.tensors.insert(copy.tensors.begin(), {"model.layers.0.self_attn.rotary_emb.inv_freq", "U8", {1}, "d"});
  const auto model = copy.open();
  const TensorInfo& norm = *model->find({TensorRole::output_norm, 0});
  REQUIRE(model->mapped(norm).empty());
  REQUIRE(value_at(*model, norm.id, 0, 1) == 2.27734375F);
}

TEST_CASE("A path that is no model is refused with what was expected") {
  const test::TemporaryFolder folder;
  REQUIRE_THROWS_SAYING(open_model(folder.path() / "absent"), InputError, "absent", "found nothing of that name");
  REQUIRE_THROWS_SAYING(open_model(folder.path()), InputError, folder.path().string(), "found no config.json");
  folder.write("config.json", read_text_file(llama_folder / "config.json"));
  REQUIRE_THROWS_SAYING(open_model(folder.path()), InputError, folder.path().string(),
                        "model.safetensors or model.safetensors.index.json");
  REQUIRE_THROWS_SAYING(open_model(folder.path() / "config.json"), InputError, "config.json", "GGUF file",
                        "give the folder");
  REQUIRE_THROWS_SAYING(open_model(folder.write("x.bin", "GGU")), InputError, "x.bin", "begins with \"GGUF\"");
  REQUIRE_THROWS_SAYING(open_model(folder.write("empty", "")), InputError, "empty", "GGUF");
}
