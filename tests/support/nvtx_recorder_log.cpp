#include "support/nvtx_recorder_log.h"

#include <fstream>
#include <map>
#include <utility>

#include "stagebench/contracts/error.h"
#include "stagebench/support/json.h"

namespace stagebench::test {
namespace {

std::string text_of(const JsonValue& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? std::string(value->as_string()) : std::string();
}

std::optional<std::int64_t> number_of(const JsonValue& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? std::optional(value->as_int64()) : std::nullopt;
}

NvtxEvent event_of(const JsonValue& object) {
  NvtxEvent event;
  event.kind = object.at("event").as_string();
  event.time_ns = object.at("time_ns").as_int64();
  event.thread = object.at("thread").as_int64();
  event.domain = object.at("domain").as_string();
  event.name = text_of(object, "name");
  if (const auto registered = object.find("registered")) event.registered = registered->as_bool();
  event.category = number_of(object, "category").value_or(0);
  event.argb = static_cast<std::uint32_t>(number_of(object, "argb").value_or(0));
  event.payload_kind = text_of(object, "payload_kind");
  event.payload = text_of(object, "payload");
  event.depth = number_of(object, "depth");
  event.range_id = number_of(object, "range_id");
  return event;
}

}  // namespace

std::vector<NvtxEvent> read_nvtx_recording(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path.string() + ": no NVTX recording");
  std::vector<NvtxEvent> events;
  for (std::string line; std::getline(file, line);) {
    events.push_back(event_of(JsonDocument(line, path.string()).root()));
  }
  return events;
}

std::vector<NvtxRange> paired_ranges(const std::vector<NvtxEvent>& events) {
  std::map<std::pair<std::int64_t, std::string>, std::vector<NvtxEvent>>
      open;                                   // (thread, domain): pushed, innermost last
  std::map<std::int64_t, NvtxEvent> started;  // range id
  std::vector<NvtxRange> ranges;
  for (const NvtxEvent& event : events) {
    if (event.kind == "push") {
      open[{event.thread, event.domain}].push_back(event);
    } else if (event.kind == "pop") {
      auto& pushed = open[{event.thread, event.domain}];
      if (pushed.empty()) throw Error("NVTX recording: a pop without a push");
      ranges.push_back({pushed.back(), event.time_ns});
      pushed.pop_back();
    } else if (event.kind == "start") {
      started.emplace(event.range_id.value(), event);
    } else if (event.kind == "end") {
      const auto begin = started.find(event.range_id.value());
      if (begin == started.end()) throw Error("NVTX recording: an end without a start");
      ranges.push_back({begin->second, event.time_ns});
      started.erase(begin);
    }
  }
  return ranges;
}

}  // namespace stagebench::test
