#include "stagebench/report/model_identity.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "stagebench/contracts/error.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using stagebench::test::TemporaryFolder;

namespace {

/// Byte i is (7 i + i / 8192) mod 256.
std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>((i * 7 + (i >> 13)) & 255);
  return text;
}

}  // namespace

// The digests come from Python's hashlib.

TEST_CASE("a file's digest is the one that sha256sum prints") {
  const TemporaryFolder folder;
  const auto path = folder.write("model.gguf", "abc");
  const auto identity = identify_model(path.string());
  REQUIRE(identity.source == path.string());
  REQUIRE(identity.scheme == "sha256");
  REQUIRE(identity.digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  REQUIRE(identity.files.size() == 1);
  REQUIRE(identity.files[0].name == "model.gguf");
  REQUIRE(identity.files[0].bytes == 3);
  REQUIRE(identity.files[0].digest == identity.digest);
}

TEST_CASE("a folder's digest is that of its configuration and weights, whatever else lies there") {
  const TemporaryFolder folder;
  folder.write("model.safetensors", "weights");
  folder.write("config.json", "{}");
  folder.write("README.md", "words");
  const auto identity = identify_model(folder.path().string());
  REQUIRE(identity.scheme == "sha256");
  REQUIRE(identity.files.size() == 2);
  REQUIRE(identity.files[0].name == "config.json");
  REQUIRE(identity.files[0].digest == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  REQUIRE(identity.files[1].digest == "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c");
  REQUIRE(identity.digest == "4d29798c6e59eb7dfc2b375b8998040ed29cf33c98038b41e9717a6c37f5dad7");
}

TEST_CASE("large models are sampled, from the first byte to the last") {
  const TemporaryFolder folder;
  auto content = pattern((std::size_t{70} << 20) + 12345);
  const auto path = folder.write("model.gguf", content).string();
  const std::uint64_t limit = 1000;
  REQUIRE(identify_model(path).digest == "0207ce5338aeb0145b4ca7cde8d1402690e99e2a537d6620c7425bb5ee3ca327");
  const auto identity = identify_model(path, limit);
  REQUIRE(identity.scheme == "sha256-sampled");
  REQUIRE(identity.digest == "9fbe039ca263dd28696f9473dcd21ffea53373e7e4d09665a9ed20c1c3902189");

  content.back() = static_cast<char>(content.back() + 1);
  folder.write("model.gguf", content);
  REQUIRE(identify_model(path, limit).digest != identity.digest);
  content.pop_back();
  folder.write("model.gguf", content);
  REQUIRE(identify_model(path, limit).digest != identity.digest);
}

TEST_CASE("a small file beside large ones is sampled whole") {
  const TemporaryFolder folder;
  const auto path = folder.write("model.gguf", pattern(1000)).string();
  REQUIRE(identify_model(path, 999).digest == "d98a2d3444511f5904d30fcbf97925ba8ae83c22053626d9034f324a50f98fc0");
  REQUIRE(identify_model(path, 1000).scheme == "sha256");
}

TEST_CASE("synthetic weights have no files") {
  const auto identity = identify_model("synthetic seed=1");
  REQUIRE(identity.source == "synthetic seed=1");
  REQUIRE(identity.files.empty());
  REQUIRE((!identity.scheme && !identity.digest));
}
