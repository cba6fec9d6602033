#include <filesystem>
#include <string>
#include <vector>

#include "program_process.h"
#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using stagebench::test::require_error;
using stagebench::test::run_program;
using stagebench::test::run_shell;
using stagebench::test::TemporaryFolder;

namespace {

const std::string tiny = STAGEBENCH_TEST_DATA "/models/tiny-llama-botchan";

/// `stagebench generate` on the tiny model with these words behind it.
stagebench::test::ProgramResult generate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"generate", "--model", tiny});
  return run_program(arguments);
}

/// A copy of the tiny model that a test may damage.
class DamagedModel {
 public:
  DamagedModel() { std::filesystem::copy(tiny, folder_.path(), std::filesystem::copy_options::recursive); }
  void write(const std::string& name, const std::string& content) const { folder_.write(name, content); }
  std::string read(const std::string& name) const { return stagebench::read_text_file(folder_.path() / name); }
  void remove(const std::string& name) const { std::filesystem::remove(folder_.path() / name); }
  stagebench::test::ProgramResult generate() const {
    return run_program({"generate", "--model", folder_.path().string(), "Red Shirt"});
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a model that does not exist is named, and the profiles are listed") {
  require_error(run_program({"generate", "--model", "/does/not/exist", "x"}), 1, {"/does/not/exist"});
  require_error(run_program({"generate", "--model", "no-such-model", "x"}), 1, {"no-such-model", "llama-110m"});
}

TEST_CASE("a file that is no model is refused by what it should be") {
  const TemporaryFolder folder;
  const auto file = folder.write("notes.gguf", "These are notes and not a model.");
  require_error(run_program({"generate", "--model", file.string(), "x"}), 1, {"notes.gguf", "GGUF"});
  require_error(run_program({"generate", "--model", folder.path().string(), "x"}), 1, {"config.json"});
}

TEST_CASE("a damaged model file is refused with its name and what is wrong") {
  const DamagedModel model;
  const auto whole = model.read("model.safetensors");
  SECTION("truncated") {
    model.write("model.safetensors", whole.substr(0, whole.size() - 100));
    require_error(model.generate(), 1, {"model.safetensors"});
  }
  SECTION("padded") {
    model.write("model.safetensors", whole + std::string(100, '\0'));
    require_error(model.generate(), 1, {"model.safetensors"});
  }
  SECTION("a header longer than the file") {
    auto damaged = whole;
    damaged.replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f", 8);
    model.write("model.safetensors", damaged);
    require_error(model.generate(), 1, {"model.safetensors", "header"});
  }
  SECTION("no weights") {
    model.remove("model.safetensors");
    require_error(model.generate(), 1, {"model.safetensors"});
  }
  SECTION("no tokenizer") {
    model.remove("tokenizer.model");
    require_error(model.generate(), 1, {"tokenizer"});
  }
  SECTION("a damaged tokenizer") {
    model.write("tokenizer.model", model.read("tokenizer.model").substr(0, 1000));
    require_error(model.generate(), 1, {"tokenizer.model"});
  }
  SECTION("another shape than the weights have") {
    auto config = model.read("config.json");
    const std::string shape = "\"intermediate_size\": 512";
    config.replace(config.find(shape), shape.size(), "\"intermediate_size\": 500");
    model.write("config.json", config);
    require_error(model.generate(), 1, {"mlp", "500", "512"});
  }
}

TEST_CASE("wrong usage exits with 2 and one clear line") {
  require_error(generate({""}), 2, {"prompt is empty"});
  require_error(generate({}), 2, {"prompt is empty"});
  require_error(generate({"a", "--prompt", "b"}), 2, {"one prompt"});
  require_error(generate({"a", "--do-sample", "--temperature", "-0.5"}), 2, {"temperature", "-0.5"});
  require_error(generate({"a", "--do-sample", "--temperature", "nan"}), 2, {"temperature"});
  require_error(generate({"a", "--do-sample", "--top-p", "0"}), 2, {"top_p", "(0, 1]"});
  require_error(generate({"a", "--do-sample", "--top-p", "1.5"}), 2, {"top_p", "(0, 1]"});
  require_error(generate({"a", "--do-sample", "--top-k", "-1"}), 2, {"top_k", "-1"});
  require_error(generate({"a", "--max-new-tokens", "0"}), 2, {"max_new_tokens"});
  require_error(generate({"a", "--max-new-tokens", "4", "--max-length", "9"}), 2, {"max_new_tokens", "max_length"});
  require_error(generate({"a", "--batch", "0"}), 2, {"batch"});
  require_error(generate({"a", "--backend", "tpu"}), 2, {"tpu", "cpu"});
  require_error(generate({"a", "--dtype", "f8"}), 2, {"f8", "bf16"});
  require_error(generate({"a", "--dtype", "q8_0"}), 2, {"q8_0", "bf16"});
}

TEST_CASE("a prompt past the context is refused with both lengths") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 700; ++i) text += "school ";
  const auto file = folder.write("long.txt", text);
  require_error(generate({"--prompt-file", file.string()}), 2, {"context of 512"});
}

TEST_CASE("invalid UTF-8 in a prompt is no error") {
  const auto sentencepiece = generate({"caf\xe9 \xff\xfe", "--max-new-tokens", "2"});
  REQUIRE(sentencepiece.exit_code == 0);
  const auto byte_level = run_program({"generate", "--model", STAGEBENCH_TEST_DATA "/models/gpt2-tiny-random-f16",
                                       "caf\xe9 \xff\xfe", "--max-new-tokens", "2"});
  REQUIRE(byte_level.exit_code == 0);
}

TEST_CASE("a model that does not fit is refused with the bytes that it needs") {
  // 4 bytes each of 68,976,648,192 parameters, less the embedding table of 32,000 x 8,192, whose rows are read when
  // needed.
  require_error(run_program({"generate", "--model", "llama-2-70b", "--dtype", "f32", "x"}), 1,
                {"255.98 GiB", "274858016768"});
}

TEST_CASE("output that cannot be written is an error, and nothing half-written stays") {
  const TemporaryFolder folder;
  SECTION("a folder that is none") {
    const auto result = generate({"a", "--max-new-tokens", "2", "--out", "/dev/full"});
    require_error(result, 1, {"/dev/full"});
  }
  SECTION("a disk that is full") {
    // A limit on the size of files stands for it: 8 blocks, of 512 bytes or 1 KiB.
    const auto result = run_shell("trap '' XFSZ; ulimit -f 8; exec $STAGEBENCH generate --model " + tiny +
                                  " a --ignore-eos --max-new-tokens 200 --out " + folder.path().string());
    REQUIRE(result.exit_code == 1);
    REQUIRE(result.err.find("samples.csv: cannot be written") != std::string::npos);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      REQUIRE(entry.path().filename() != "samples.csv");
      REQUIRE(entry.path().string().find("partial") == std::string::npos);
    }
  }
  SECTION("a full pipe end for the text") {
    const auto result = run_shell("exec $STAGEBENCH generate --model " + tiny + " a --max-new-tokens 4 > /dev/full");
    REQUIRE(result.exit_code == 1);
    REQUIRE(result.err.find("stagebench: error: stdout: the text cannot be written") != std::string::npos);
  }
}
