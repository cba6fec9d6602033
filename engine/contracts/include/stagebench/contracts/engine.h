#pragma once

/// Tokenizer, backend and loop behind one interface: all that a driver sees. Another engine takes the reference
/// engine's place by implementing this.

#include <cstdint>
#include <memory>
#include <string>

#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/generation.h"
#include "stagebench/contracts/model.h"
#include "stagebench/contracts/tokenizer.h"

namespace stagebench {

struct EngineInfo {
  std::string engine;   ///< "reference", or the name that a plugin gives itself
  std::string backend;  ///< "cpu", "cuda"
  std::string device;   ///< in words
  std::string model_source;
  DType dtype{};     ///< of weights in memory
  DType kv_dtype{};  ///< of KV caches
  int threads = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual EngineInfo info() const = 0;
  virtual const ModelConfig& model_config() const noexcept = 0;
  virtual const Tokenizer& tokenizer() const noexcept = 0;
  /// A fresh KV cache. Throws ResourceError where memory does not suffice.
  virtual std::unique_ptr<Session> new_session(const SessionOptions& options) = 0;
  /// Runs one request to its end on a fresh session. Records tokenize, prefill, decode_step, sample and detokenize
  /// events to `sink`. Throws UsageError for an empty prompt, one past the context, or senseless limits.
  virtual GenerationResult generate(const GenerationRequest& request, EventSink& sink, const TextCallback& on_text) = 0;
};

}  // namespace stagebench
