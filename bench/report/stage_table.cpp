#include "stagebench/report/stage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "stagebench/metrics/request_metrics.h"
#include "stagebench/metrics/stage_metrics.h"
#include "stagebench/report/human_units.h"

namespace stagebench {
namespace {

constexpr std::size_t column_count = 9;
using Cells = std::array<std::string, column_count>;

/// Cells hold no characters that combine or take two places: one code point, one place.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

/// The first and the last column stand left, numbers stand right.
std::string align(const std::vector<Cells>& rows) {
  std::array<std::size_t, column_count> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < column_count; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < column_count; ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool left = i == 0 || i + 1 == column_count;
      if (i > 0) line += "  ";
      line += left ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::optional<Cost> cost_of(TimelineStage stage, const StageTableContext& context) {
  if (stage == TimelineStage::load) return context.load_cost;
  if (!context.costs) return std::nullopt;
  if (stage == TimelineStage::prefill) return context.costs->prefill;
  if (stage == TimelineStage::decode_step) return context.costs->decode_step;
  return std::nullopt;
}

/// Prefill is bound by compute and a decode step by bandwidth: the limit that each is held against.
std::optional<Utilization> limiting_utilization(const StageMetrics& metrics) {
  if (metrics.stage == TimelineStage::prefill) return metrics.mfu;
  if (metrics.stage == TimelineStage::decode_step) return metrics.mbu;
  return std::nullopt;
}

std::string utilization_cell(const StageMetrics& metrics) {
  const auto utilization = limiting_utilization(metrics);
  if (!utilization) return "";
  return fmt::format("{:5.1f} % {}{}", utilization->fraction * 100,
                     metrics.stage == TimelineStage::prefill ? "compute" : "bandwidth",
                     utilization->above_limit() ? " !" : "");
}

std::string number_cell(const std::optional<double>& number, double unit) {
  return number ? human_number(*number / unit) : "";
}

Cells row_of(const StageMetrics& metrics) {
  Cells cells;
  cells[0] = metrics.stage == TimelineStage::end_to_end ? "end-to-end" : name(metrics.stage);
  if (!metrics.host) return cells;
  cells[1] = fmt::format("{}", metrics.host->count);
  cells[2] = human_duration(metrics.host->total);
  if (metrics.host->count > 1) {
    cells[3] = human_duration(metrics.host->median);
    cells[4] = human_duration(metrics.host->p99);
  }
  cells[5] = number_cell(metrics.tokens_per_s, 1);
  cells[6] = number_cell(metrics.bytes_per_s, 1e9);
  cells[7] = number_cell(metrics.flops_per_s, 1e9);
  cells[8] = utilization_cell(metrics);
  return cells;
}

std::string latency_line(const RequestMetrics& metrics) {
  std::string line = "TTFT " + human_duration(metrics.ttft);
  if (metrics.tpot) line += "   TPOT " + human_duration(*metrics.tpot);
  if (const auto itl = summarize(metrics.itl)) {
    line += fmt::format("   ITL {} median, {} p99", human_duration(itl->median), human_duration(itl->p99));
  }
  return line + '\n';
}

std::string ceilings_line(const Ceilings& ceilings) {
  return fmt::format("limits   {} GB/s read, {} GFLOP/s {}, measured in this run on {} {}\n",
                     human_number(ceilings.read_bytes_per_s / 1e9), human_number(ceilings.flops_per_s / 1e9),
                     name(ceilings.dtype), ceilings.threads, ceilings.threads == 1 ? "thread" : "threads");
}

std::string overhead_line(RealNanoseconds overhead, const StageMetrics& decode_step) {
  std::string line = fmt::format("harness  {} a timed stage", human_duration(overhead));
  if (decode_step.host) {
    line += fmt::format(", {} % of a decode step", human_number(overhead / decode_step.host->median * 100));
  }
  return line + '\n';
}

}  // namespace

std::string stage_table(const RequestTimeline& timeline, const StageTableContext& context) {
  std::vector<Cells> rows{
      {"stage", "count", "total", "median", "p99", "tokens/s", "GB/s", "GFLOP/s", "of measured limit"}};
  StageMetrics decode_step;
  bool above_limit = false;
  for (const TimelineStage stage : all_timeline_stages) {
    const auto metrics = stage_metrics(stage, timeline.rows(), cost_of(stage, context), context.ceilings);
    if (stage == TimelineStage::decode_step) decode_step = metrics;
    if (const auto utilization = limiting_utilization(metrics)) above_limit |= utilization->above_limit();
    rows.push_back(row_of(metrics));
  }
  std::string text = align(rows);
  text += '\n' + latency_line(request_metrics(timeline));
  if (context.ceilings) text += ceilings_line(*context.ceilings);
  if (!context.machine.empty()) text += "machine  " + context.machine + '\n';
  if (context.scope_overhead) text += overhead_line(*context.scope_overhead, decode_step);
  if (above_limit)
    text += "!        above the measured limit: the data lies in a cache, or a time or the limit is wrong\n";
  return text;
}

}  // namespace stagebench
