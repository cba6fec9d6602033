#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "commands.h"
#include "generate_flags.h"
#include "stagebench/contracts/error.h"
#include "stagebench/generation/reference_engine.h"
#include "stagebench/instrument/event_log.h"
#include "stagebench/metrics/request_costs.h"
#include "stagebench/metrics/request_timeline.h"
#include "stagebench/report/environment.h"
#include "stagebench/report/run_folder.h"
#include "stagebench/report/samples_csv.h"
#include "stagebench/report/scope_overhead.h"
#include "stagebench/report/stage_table.h"

namespace stagebench {
namespace {

/// A run of `stagebench generate` and what belongs to it.
struct GenerateRun {
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  Clock::time_point begin = Clock::now();
  std::optional<std::filesystem::path> folder;
  std::string run_id;
};

/// The folder is made first: a place that cannot be written to is found before the work is done.
GenerateRun start_run(const GenerateFlags& flags) {
  GenerateRun run;
  if (flags.out.empty()) return run;
  run.run_id = make_run_id(run.started);
  run.folder = flags.out / run.run_id;
  create_run_folder(*run.folder);
  return run;
}

/// Shows that something happens while a large model loads; silent where nobody watches.
class LoadNotice {
 public:
  explicit LoadNotice(const std::string& model) : shown_(isatty(STDERR_FILENO) == 1) {
    if (shown_) fmt::print(stderr, "loading {} ...", model);
  }
  ~LoadNotice() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  LoadNotice(const LoadNotice&) = delete;
  LoadNotice& operator=(const LoadNotice&) = delete;

 private:
  bool shown_;
};

std::unique_ptr<ReferenceEngine> load_engine(const GenerateFlags& flags, EventSink& sink) {
  const LoadNotice notice(flags.model);
  return std::make_unique<ReferenceEngine>(EngineOptions{.model = flags.model,
                                                         .profile_folder = profiles_folder() / "models",
                                                         .backend = flags.engine.backend,
                                                         .load = load_options(flags.engine)},
                                           sink);
}

GenerationResult stream_to_stdout(ReferenceEngine& engine, const GenerationRequest& request, EventLog& events) {
  auto result = engine.generate(request, events, [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  });
  std::fputc('\n', stdout);
  if (std::fflush(stdout) != 0) throw ResourceError("stdout: the text cannot be written");
  if (events.dropped() != 0)
    throw Error(fmt::format("{} stage events were lost: the log was too small", events.dropped()));
  return result;
}

Cost bytes_in_memory(const LoadedModel& loaded) {
  Cost cost;
  for (const auto& placement : loaded.placements()) cost.weight_bytes += static_cast<double>(placement.bytes);
  return cost;
}

std::string case_id(const EngineInfo& info, const ModelConfig& config, const GenerationRequest& request,
                    std::int64_t prompt_tokens) {
  const auto& sampling = request.sampling;
  const auto chosen = sampling.greedy() ? std::string("greedy")
                                        : fmt::format("temperature={},top_k={},top_p={},seed={}", sampling.temperature,
                                                      sampling.top_k, sampling.top_p, sampling.seed);
  return fmt::format("engine={}/backend={}/model={}/dtype={}/threads={}/batch={}/prompt_tokens={}/sampling={}",
                     info.engine, info.backend, config.name, name(info.dtype), info.threads, request.batch,
                     prompt_tokens, chosen);
}

void write_files(const GenerateRun& run, const ReferenceEngine& engine, const GenerationRequest& request,
                 const RequestTimeline& timeline, const StageTableContext& context, std::vector<std::string> command) {
  SamplesCsvWriter samples(*run.folder / "samples.csv");
  write_request(samples,
                {.run_id = run.run_id,
                 .case_id = case_id(engine.info(), engine.model_config(), request, timeline.prompt_tokens()),
                 .run_begin = run.begin},
                timeline);
  write_environment(*run.folder / "environment.json", {.run_id = run.run_id,
                                                       .started = run.started,
                                                       .command_line = std::move(command),
                                                       .machine = read_machine(),
                                                       .engine = engine.info(),
                                                       .model = identify_model(engine.info().model_source),
                                                       .ceilings = context.ceilings,
                                                       .scope_overhead = *context.scope_overhead});
  samples.commit();
  fmt::print(stderr, "\nwritten: {}\n", run.folder->string());
}

void generate(const GenerateFlags& flags, const std::vector<std::string>& command) {
  const auto request = to_request(flags);
  for (const auto& sentence : flags_without_effect(flags)) fmt::print(stderr, "note: {}\n", sentence);
  const auto run = start_run(flags);
  EventLog load_events(1);
  const auto engine = load_engine(flags, load_events);
  // A step has three events; the context bounds the steps.
  EventLog events(static_cast<std::size_t>(3 * engine->model_config().max_context + 2));
  const auto result = stream_to_stdout(*engine, request, events);
  const RequestTimeline timeline(result, events.events(), load_events.events());
  const auto info = engine->info();
  const StageTableContext context{.load_cost = bytes_in_memory(engine->loaded()),
                                  .costs = request_costs(timeline, engine->model_config(), info.dtype, info.kv_dtype),
                                  .ceilings = engine->backend().measure_ceilings(info.dtype, info.threads),
                                  .machine = describe(read_machine()),
                                  .scope_overhead = measure_scope_overhead()};
  fmt::print(stderr, "\n{}", stage_table(timeline, context));
  if (run.folder) write_files(run, *engine, request, timeline, context, command);
}

}  // namespace

void add_generate_command(CLI::App& program, const std::vector<std::string>& command_line) {
  auto* command =
      program.add_subcommand("generate", "Continues a prompt and shows where the time went, stage by stage");
  auto flags = std::make_shared<GenerateFlags>();
  add_generate_flags(*command, *flags);
  command->callback([flags, command_line] { generate(*flags, command_line); });
}

}  // namespace stagebench
