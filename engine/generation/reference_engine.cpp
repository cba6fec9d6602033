#include "stagebench/generation/reference_engine.h"

#include <fmt/format.h>

#include "generation_loop.h"
#include "stagebench/backends/registry.h"
#include "stagebench/contracts/error.h"
#include "stagebench/instrument/stage_scope.h"
#include "stagebench/model/model_profile.h"
#include "stagebench/tokenizer/load_tokenizer.h"

namespace stagebench {
namespace {

std::unique_ptr<Tokenizer> tokenizer_of(const Model& model) {
  if (const auto* vocabulary = model.vocabulary()) return make_tokenizer(*vocabulary);
  if (const auto folder = tokenizer_folder(model)) return load_tokenizer(*folder);
  return make_byte_tokenizer(model.config().vocab_size);
}

void check_sizes(const Tokenizer& tokenizer, const Model& model) {
  if (tokenizer.vocab_size() <= model.config().vocab_size) return;
  throw InputError(fmt::format("{}: the tokenizer has {} ids, expected at most the embedding's {} rows", model.source(),
                               tokenizer.vocab_size(), model.config().vocab_size));
}

}  // namespace

ReferenceEngine::ReferenceEngine(const EngineOptions& options, EventSink& sink)
    : backend_(make_backend(options.backend)) {
  const StageScope scope(sink, Stage::load, {});
  model_ = resolve_model(options.model, options.profile_folder);
  tokenizer_ = tokenizer_of(*model_);
  check_sizes(*tokenizer_, *model_);
  loaded_ = backend_->load(model_, options.load);
}

EngineInfo ReferenceEngine::info() const {
  return {.engine = "reference",
          .backend = std::string(backend_->name()),
          .device = backend_->device(),
          .model_source = std::string(model_->source()),
          .dtype = loaded_->dtype(),
          .kv_dtype = loaded_->kv_dtype(),
          .threads = loaded_->threads()};
}

const ModelConfig& ReferenceEngine::model_config() const noexcept {
  return model_->config();
}

std::unique_ptr<Session> ReferenceEngine::new_session(const SessionOptions& options) {
  return loaded_->new_session(options);
}

GenerationResult ReferenceEngine::generate(const GenerationRequest& request, EventSink& sink,
                                           const TextCallback& on_text) {
  const GenerationParts parts{*tokenizer_, model_->config(),
                              [this](const SessionOptions& options) { return new_session(options); }};
  return run_generation(parts, request, sink, on_text);
}

}  // namespace stagebench
