#include "stagebench/metrics/request_costs.h"

namespace stagebench {

RequestCosts request_costs(const RequestTimeline& timeline, const ModelConfig& config, DType weights, DType kv) {
  RequestCosts costs;
  for (const auto& row : timeline.rows()) {
    if (row.stage == TimelineStage::prefill) {
      costs.prefill += prefill_cost(config, weights, kv, timeline.sequences(), timeline.prompt_tokens(), *row.depth);
    }
    if (row.stage == TimelineStage::decode_step) {
      if (!costs.decode_step) costs.decode_step.emplace();
      *costs.decode_step += decode_step_cost(config, weights, kv, *row.tokens, *row.depth);
    }
  }
  return costs;
}

}  // namespace stagebench
