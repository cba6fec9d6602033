#include "generate_flags.h"

#include <fmt/format.h>

#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"

namespace stagebench {
namespace {

constexpr std::int64_t default_max_new_tokens = 128;

std::string prompt_of(const GenerateFlags& flags) {
  const int given =
      int{!flags.positional_prompt.empty()} + int{!flags.prompt.empty()} + int{!flags.prompt_file.empty()};
  if (given > 1)
    throw UsageError("expected one prompt, found several: PROMPT, --prompt and --prompt-file exclude each other");
  if (!flags.prompt_file.empty()) return read_text_file(flags.prompt_file);
  const auto& text = flags.prompt.empty() ? flags.positional_prompt : flags.prompt;
  if (text.empty()) throw UsageError("the prompt is empty: expected text as PROMPT, --prompt or --prompt-file");
  return text;
}

}  // namespace

void add_generate_flags(CLI::App& command, GenerateFlags& flags) {
  command.add_option("PROMPT", flags.positional_prompt, "The text to continue");
  command.add_option("--prompt", flags.prompt, "The same as PROMPT");
  command.add_option("--prompt-file", flags.prompt_file, "A file with the text to continue");
  command
      .add_option("-m,--model", flags.model,
                  "A profile's name (stagebench info lists them), a Hugging Face folder or a GGUF file")
      ->required();
  add_engine_flags(command, flags.engine);
  command.add_option("--max-new-tokens", flags.max_new_tokens,
                     fmt::format("Output tokens at most [{}, unless --max-length is given]", default_max_new_tokens));
  command.add_option("--max-length", flags.max_length, "Prompt and output tokens at most");
  command.add_flag("--do-sample,!--no-do-sample", flags.do_sample, "Draw tokens instead of taking the most probable");
  command.add_option("--temperature", flags.temperature, "Divides the logits; 0 is greedy [1]");
  command.add_option("--top-k", flags.top_k, "Keeps the k most probable; 0 keeps all [50]");
  command.add_option("--top-p", flags.top_p, "Keeps the smallest set of this probability, in (0, 1] [0.95]");
  command.add_option("--seed", flags.seed, "The same tokens for a seed on every machine [0]");
  command.add_flag("--ignore-eos", flags.ignore_eos, "Go on past the end-of-text token");
  command.add_option("--batch", flags.batch, "Sequences that start from the prompt at once")->capture_default_str();
  command.add_option("--out", flags.out, "Write samples.csv and environment.json to a new folder in this one");
}

GenerationRequest to_request(const GenerateFlags& flags) {
  GenerationRequest request;
  request.prompt = prompt_of(flags);
  request.max_length = flags.max_length;
  request.max_new_tokens = flags.max_new_tokens;
  if (!flags.max_length && !flags.max_new_tokens) request.max_new_tokens = default_max_new_tokens;
  request.sampling.do_sample = flags.do_sample.value_or(request.sampling.do_sample);
  request.sampling.temperature = flags.temperature.value_or(request.sampling.temperature);
  request.sampling.top_k = flags.top_k.value_or(request.sampling.top_k);
  request.sampling.top_p = flags.top_p.value_or(request.sampling.top_p);
  request.sampling.seed = flags.seed.value_or(request.sampling.seed);
  request.ignore_eos = flags.ignore_eos;
  request.batch = flags.batch;
  return request;
}

std::vector<std::string> flags_without_effect(const GenerateFlags& flags) {
  if (flags.do_sample.value_or(false) && flags.temperature.value_or(1.0) != 0.0) return {};
  const char* why = flags.do_sample.value_or(false) ? "at temperature 0" : "without --do-sample";
  std::vector<std::string> sentences;
  const auto add = [&](bool given, const char* flag) {
    if (given) sentences.push_back(fmt::format("{} has no effect {}: the most probable token is taken", flag, why));
  };
  add(flags.temperature && !flags.do_sample.value_or(false), "--temperature");
  add(flags.top_k.has_value(), "--top-k");
  add(flags.top_p.has_value(), "--top-p");
  add(flags.seed.has_value(), "--seed");
  return sentences;
}

}  // namespace stagebench
