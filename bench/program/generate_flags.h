#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine_flags.h"
#include "stagebench/contracts/generation.h"

namespace stagebench {

/// What `stagebench generate` takes. Names and meaning are those of Hugging Face transformers' generate.
struct GenerateFlags {
  EngineFlags engine;
  std::string model;
  std::string positional_prompt;
  std::string prompt;
  std::filesystem::path prompt_file;
  std::optional<std::int64_t> max_new_tokens;
  std::optional<std::int64_t> max_length;
  std::optional<bool> do_sample;
  std::optional<double> temperature;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::optional<std::uint64_t> seed;
  std::int64_t batch = 1;
  bool ignore_eos = false;
  std::filesystem::path out;
};

void add_generate_flags(CLI::App& command, GenerateFlags& flags);

/// Throws UsageError where there is no prompt or more than one, and InputError where its file cannot be read.
GenerationRequest to_request(const GenerateFlags& flags);

/// One sentence for each flag that was given and changes nothing, so that nobody takes it for measured.
std::vector<std::string> flags_without_effect(const GenerateFlags& flags);

}  // namespace stagebench
