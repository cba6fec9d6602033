#include "stagebench/support/json.h"

#include "stagebench/contracts/error.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;

TEST_CASE("JSON values are read with their types") {
  const JsonDocument document(R"({"text": "a\u00e9", "flag": true, "whole": -7, "real": 2.5, "list": [1, 2],
                                  "nothing": null})",
                              "a.json");
  const JsonValue root = document.root();
  REQUIRE(root.at("text").as_string() == "a\xc3\xa9");
  REQUIRE(root.at("flag").as_bool());
  REQUIRE(root.at("whole").as_int64() == -7);
  REQUIRE(root.at("whole").as_double() == -7.0);
  REQUIRE(root.at("real").as_double() == 2.5);
  REQUIRE(root.at("list").as_array().size() == 2);
  REQUIRE(root.at("real").is_number());
  REQUIRE_FALSE(root.at("real").is_integer());
  REQUIRE_FALSE(root.find("nothing"));
  REQUIRE_FALSE(root.find("absent"));
}

TEST_CASE("JSON errors say where, what was expected and what was found") {
  const JsonDocument document(R"({"a": {"b": {"c": "text", "d": 1.5, "e": 18446744073709551615}}})", "m/config.json");
  const JsonValue inner = document.root().at("a").at("b");
  REQUIRE_THROWS_SAYING(inner.at("c").as_double(), InputError, "m/config.json: a.b.c: ", "expected a number",
                        "found a string");
  REQUIRE_THROWS_SAYING(inner.at("d").as_int64(), InputError, "a.b.d: ", "expected a whole number", "found a number");
  REQUIRE_THROWS_SAYING(inner.at("e").as_int64(), InputError, "a.b.e: ", "64 bits");
  REQUIRE_THROWS_SAYING(inner.at("c").as_bool(), InputError, "expected true or false");
  REQUIRE_THROWS_SAYING(inner.as_string(), InputError, "a.b: ", "expected a string", "found an object");
  REQUIRE_THROWS_SAYING(inner.at("c").find("x"), InputError, "expected an object");
  REQUIRE_THROWS_SAYING(inner.as_array(), InputError, "expected an array");
  REQUIRE_THROWS_SAYING(inner.at("x"), InputError, "a.b: ", "\"x\"", "found none");
  REQUIRE_THROWS_SAYING(inner.fail("too bad"), InputError, "m/config.json: a.b: too bad");
}

TEST_CASE("What is not JSON is refused with the file's name") {
  for (const std::string text : {"", "{", "{\"a\": }", "nonsense", "{} {}", "{\"a\": \"\xff\"}"}) {
    INFO("text: " << text);
    REQUIRE_THROWS_SAYING(JsonDocument(text, "b.json"), InputError, "b.json: expected JSON");
  }
  REQUIRE_THROWS_SAYING(JsonDocument(std::string(100000, '['), "deep.json"), InputError, "deep.json");
}

TEST_CASE("A JSON file is read from disk and stays valid when its document moves") {
  const test::TemporaryFolder folder;
  JsonDocument document = JsonDocument::from_file(folder.write("c.json", R"({"key": "value"})"));
  const JsonDocument moved(std::move(document));
  REQUIRE(moved.root().at("key").as_string() == "value");
  REQUIRE_THROWS_SAYING(moved.root().at("key").as_bool(), InputError, (folder.path() / "c.json").string() + ": key");
  REQUIRE_THROWS_SAYING(JsonDocument::from_file(folder.path() / "absent.json"), InputError, "absent.json");
}
