#pragma once

/// Every metric of the project, once: what it is called, in which unit, how it is computed and whose definition it is.
/// results/README.md repeats this table, and a test compares the two.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stagebench {

enum class Metric : std::uint8_t {
  count,
  total,
  median,
  p99,
  tokens_per_s,
  flops,
  bytes,
  flops_per_s,
  bytes_per_s,
  mfu,
  mbu,
  ttft,
  itl,
  tpot,
  e2e,
  end_to_end,
  prefill_throughput,
  decode_throughput,
};

struct MetricDefinition {
  Metric metric{};
  std::string_view name;
  std::string_view unit;
  std::string_view formula;  ///< t0, t_i, N and P as below
  std::string_view source;   ///< whose definition it is
};

/// t0: the request is accepted, before tokenization. t_i: output id i is on the host, after sampling. P prompt tokens
/// and N output tokens, a sequence.
inline constexpr std::array<MetricDefinition, 18> metric_table{{
    {Metric::count, "count", "1", "how often the stage ran", "stagebench"},
    {Metric::total, "total", "ns", "sum of the stage's host times", "stagebench"},
    {Metric::median, "median", "ns", "50th percentile of the stage's host times", "Hyndman and Fan (1996), type 7"},
    {Metric::p99, "p99", "ns", "99th percentile of the stage's host times", "Hyndman and Fan (1996), type 7"},
    {Metric::tokens_per_s, "tokens/s", "tokens/s",
     "tokens of all sequences and all runs of the stage / total; never a mean of rates", "llama-bench"},
    {Metric::flops, "FLOPs", "FLOP",
     "floating-point operations of the model from its shape: a matrix product is 2mnk, causal attention counts half",
     "PaLM (Chowdhery et al., 2022)"},
    {Metric::bytes, "bytes", "B",
     "weights that the stage needs and places of the KV cache in use after it, each once, from the model's shape",
     "Databricks, LLM inference performance engineering"},
    {Metric::flops_per_s, "GFLOP/s", "GFLOP/s", "FLOPs / total / 10^9", "PaLM (Chowdhery et al., 2022)"},
    {Metric::bytes_per_s, "GB/s", "GB/s", "bytes / total / 10^9", "Databricks, LLM inference performance engineering"},
    {Metric::mfu, "MFU", "1", "FLOPs / (total x FLOP/s that a matrix product of that dtype reached in this run)",
     "PaLM (Chowdhery et al., 2022)"},
    {Metric::mbu, "MBU", "1", "bytes / (total x bytes/s that streaming reads reached in this run)",
     "Databricks, LLM inference performance engineering"},
    {Metric::ttft, "TTFT", "ns", "t_1 - t0: tokenization, prefill and the first sample", "AIPerf, NVIDIA NIM"},
    {Metric::itl, "ITL", "ns", "each t_i - t_(i-1) for i >= 2: a distribution, without TTFT", "vLLM"},
    {Metric::tpot, "TPOT", "ns", "(t_N - t_1) / (N - 1) for N >= 2, else absent", "vLLM"},
    {Metric::e2e, "E2E", "ns", "t_N - t0", "vLLM"},
    {Metric::end_to_end, "end-to-end", "ns",
     "the whole text is out - t0: what stages and residual add up to; E2E and what detokenization comes after it",
     "stagebench"},
    {Metric::prefill_throughput, "prefill throughput", "tokens/s", "P x sequences / prefill time", "llama-bench pp"},
    {Metric::decode_throughput, "decode throughput", "tokens/s",
     "(N - 1) / (t_N - t_1) a sequence for N >= 2, else absent", "llama-bench tg"},
}};

constexpr const MetricDefinition& definition(Metric metric) noexcept {
  return metric_table[static_cast<std::size_t>(metric)];
}

}  // namespace stagebench
