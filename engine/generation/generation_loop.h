#pragma once

#include <functional>

#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/generation.h"
#include "stagebench/contracts/tokenizer.h"

namespace stagebench {

/// What the loop needs of an engine.
struct GenerationParts {
  const Tokenizer& tokenizer;
  const ModelConfig& config;
  std::function<std::unique_ptr<Session>(const SessionOptions&)> new_session;
};

/// text -> ids -> prefill -> (sample -> text -> decode_step)* : one request, each stage in its scope. See
/// Engine::generate.
GenerationResult run_generation(const GenerationParts& parts, const GenerationRequest& request, EventSink& sink,
                                const TextCallback& on_text);

}  // namespace stagebench
