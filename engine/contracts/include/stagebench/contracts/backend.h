#pragma once

/// What computes: a Backend loads a Model, a LoadedModel makes Sessions, a Session owns the KV cache of a batch.
///
///   auto loaded = backend->load(model, {.dtype = DType::bf16, .threads = 2});
///   auto session = loaded->new_session({.batch = 1, .context_tokens = 512});
///   session->prefill(prompt_ids);                       // logits of the last token
///   while (...) { id = arg_max(session->logits()); session->decode_step({&id, 1}); }

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/model.h"
#include "stagebench/contracts/token.h"

namespace stagebench {

struct LoadOptions {
  std::optional<DType> dtype;  ///< of weights in memory: f32, f16 or bf16; absent: what the machine does best
  int threads = 0;             ///< 0: as many as there are usable CPUs
};

struct SessionOptions {
  std::int64_t batch = 1;           ///< sequences, all of one length
  std::int64_t context_tokens = 0;  ///< capacity of the KV cache, a sequence; > 0, <= the model's max_context
};

/// Bytes that a session of a model would take, known before anything is loaded.
struct MemoryPlan {
  std::uint64_t weight_bytes = 0;
  std::uint64_t kv_cache_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  constexpr std::uint64_t total() const noexcept { return weight_bytes + kv_cache_bytes + scratch_bytes; }
};

/// How a tensor came into memory: used in place from the file, converted to another type or order, or converted and
/// then laid out for a matrix library.
enum class Placement : std::uint8_t { mapped, converted, packed };

constexpr std::string_view name(Placement placement) noexcept {
  switch (placement) {
    case Placement::mapped: return "mapped";
    case Placement::converted: return "converted";
    case Placement::packed: return "packed";
  }
  return "";
}

struct TensorPlacement {
  const TensorInfo* tensor = nullptr;  ///< of the model that was loaded, which outlives this
  DType dtype{};                       ///< in memory
  Placement placement{};
  std::uint64_t bytes = 0;              ///< in memory; 0 where it shares another tensor's (tied output)
  std::chrono::nanoseconds duration{};  ///< of bringing it there
};

/// The KV cache and scratch memory of `batch` sequences of equal length. Not thread-safe. All memory is allocated by
/// the constructor: prefill and decode_step do not allocate once each shape has been seen.
class Session {
 public:
  virtual ~Session() = default;

  virtual std::int64_t batch() const noexcept = 0;
  virtual std::int64_t capacity() const noexcept = 0;  ///< tokens a sequence
  virtual std::int64_t depth() const noexcept = 0;     ///< tokens a sequence in the KV cache

  /// Appends a prompt in one parallel pass and leaves the logits of each sequence's last token.
  /// `ids` is [batch][n] row-major, n >= 1. Throws UsageError where depth() + n > capacity() or an id is outside the
  /// vocabulary; the session is unchanged then.
  virtual void prefill(std::span<const TokenId> ids) = 0;
  /// Appends one token a sequence; `ids` is [batch]. Same errors.
  virtual void decode_step(std::span<const TokenId> ids) = 0;
  /// Logits of the last token of each sequence, [batch][vocab_size], valid until the next call. A device backend
  /// synchronises here.
  virtual std::span<const float> logits() = 0;
  /// Forgets all tokens; keeps the memory.
  virtual void reset() noexcept = 0;
};

class LoadedModel {
 public:
  virtual ~LoadedModel() = default;
  virtual const ModelConfig& config() const noexcept = 0;
  virtual DType dtype() const noexcept = 0;     ///< of weights in memory
  virtual DType kv_dtype() const noexcept = 0;  ///< of the KV caches of its sessions
  virtual int threads() const noexcept = 0;
  virtual std::span<const TensorPlacement> placements() const noexcept = 0;
  /// Throws ResourceError where the memory cannot be had.
  virtual std::unique_ptr<Session> new_session(const SessionOptions& options) = 0;
};

/// What this machine reaches, measured now; the yardstick of MFU and MBU.
struct Ceilings {
  int threads = 0;
  DType dtype{};
  double read_bytes_per_s = 0;  ///< streaming reads from memory, best of several passes
  double flops_per_s = 0;       ///< matrix product in `dtype`, 2mnk, best of several passes
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const noexcept = 0;
  /// The device in words, with what its instruction set offers.
  virtual std::string device() const = 0;
  virtual DType default_dtype() const noexcept = 0;
  virtual int default_threads() const noexcept = 0;
  /// Bytes free for models now.
  virtual std::uint64_t available_memory_bytes() const = 0;
  virtual MemoryPlan plan(const Model& model, const LoadOptions& load, const SessionOptions& session) const = 0;
  /// Throws UsageError for a dtype that it cannot compute in, ResourceError where plan() exceeds what is available.
  virtual std::unique_ptr<LoadedModel> load(std::shared_ptr<const Model> model, const LoadOptions& options) = 0;
  /// Takes about a second.
  virtual Ceilings measure_ceilings(DType dtype, int threads) = 0;
};

}  // namespace stagebench
