#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "stagebench/contracts/engine.h"

namespace stagebench {

struct EngineOptions {
  std::string model;                     ///< a profile's name, a Hugging Face folder or a GGUF file
  std::filesystem::path profile_folder;  ///< where profiles lie
  std::string backend = "auto";
  LoadOptions load{};
};

/// The project's own engine: its tokenizer, one of its backends and its loop.
class ReferenceEngine final : public Engine {
 public:
  /// Opens the model and its tokenizer and loads the weights: one `load` event into `sink`. Throws InputError,
  /// UsageError and ResourceError as the layers below do, and InputError where the tokenizer has more ids than the
  /// embedding has rows.
  ReferenceEngine(const EngineOptions& options, EventSink& sink);

  EngineInfo info() const override;
  const ModelConfig& model_config() const noexcept override;
  const Tokenizer& tokenizer() const noexcept override { return *tokenizer_; }
  std::unique_ptr<Session> new_session(const SessionOptions& options) override;
  GenerationResult generate(const GenerationRequest& request, EventSink& sink, const TextCallback& on_text) override;

  Backend& backend() noexcept { return *backend_; }
  const Model& model() const noexcept { return *model_; }
  const LoadedModel& loaded() const noexcept { return *loaded_; }

 private:
  std::unique_ptr<Backend> backend_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<LoadedModel> loaded_;
};

}  // namespace stagebench
