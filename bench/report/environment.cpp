#include "stagebench/report/environment.h"

#include <nlohmann/json.hpp>

#include "stagebench/report/build_info.h"
#include "stagebench/support/atomic_file.h"
#include "utc_time.h"

namespace stagebench {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json machine_json(const Machine& machine) {
  return {{"cpu_model", or_null(machine.cpu_model)},
          {"cpu_vendor", or_null(machine.cpu_vendor)},
          {"cpu_family", or_null(machine.cpu_family)},
          {"cpu_model_number", or_null(machine.cpu_model_number)},
          {"cpu_stepping", or_null(machine.cpu_stepping)},
          {"architecture", machine.architecture},
          {"isa_level", or_null(machine.isa_level)},
          {"isa_extensions", machine.isa_extensions},
          {"usable_cpus", machine.usable_cpus},
          {"cpu_quota", or_null(machine.cpu_quota)},
          {"numa_nodes", or_null(machine.numa_nodes)},
          {"cpu_mhz", or_null(machine.mhz)},
          {"cpu_governor", or_null(machine.governor)},
          {"load_average_1min", or_null(machine.load_average)},
          {"memory_bytes", or_null(machine.memory_bytes)},
          {"virtualised", or_null(machine.virtualised)},
          {"kernel", machine.kernel},
          {"libc", machine.libc},
          {"gpu", nullptr},
          {"gpu_driver", nullptr},
          {"cuda", nullptr}};
}

Json build_json(const BuildInfo& build) {
  Json libraries = Json::object();
  for (const auto& library : build.libraries) libraries[std::string(library.name)] = library.version;
  return {{"version", build.version},
          {"commit", or_null(build.commit)},
          {"modified", or_null(build.modified)},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"flags", build.flags},
          {"sanitizers", build.sanitizers.empty() ? Json() : Json(build.sanitizers)},
          {"libraries", libraries}};
}

Json engine_json(const EngineInfo& engine) {
  return {{"name", engine.engine},
          {"backend", engine.backend},
          {"device", engine.device},
          {"dtype", name(engine.dtype)},
          {"threads", engine.threads}};
}

Json model_json(const ModelIdentity& model) {
  Json files = Json::array();
  for (const auto& file : model.files) {
    files.push_back(Json{{"name", file.name}, {"bytes", file.bytes}, {"digest", file.digest}});
  }
  return {{"source", model.source},
          {"digest_scheme", or_null(model.scheme)},
          {"digest", or_null(model.digest)},
          {"files", files}};
}

Json ceilings_json(const std::optional<Ceilings>& ceilings) {
  if (!ceilings) return nullptr;
  return {{"read_bytes_per_s", ceilings->read_bytes_per_s},
          {"flops_per_s", ceilings->flops_per_s},
          {"dtype", name(ceilings->dtype)},
          {"threads", ceilings->threads}};
}

}  // namespace

std::string environment_json(const RunEnvironment& environment) {
  const Json json{{"schema", 1},
                  {"run_id", environment.run_id},
                  {"started_utc", format_utc(environment.started, "%Y-%m-%dT%H:%M:%SZ")},
                  {"command_line", environment.command_line},
                  {"machine", machine_json(environment.machine)},
                  {"build", build_json(build_info())},
                  {"engine", engine_json(environment.engine)},
                  {"model", model_json(environment.model)},
                  {"ceilings", ceilings_json(environment.ceilings)},
                  {"scope_overhead_ns", environment.scope_overhead.count()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_environment(const std::filesystem::path& path, const RunEnvironment& environment) {
  AtomicFile file(path);
  file.write(environment_json(environment));
  file.commit();
}

}  // namespace stagebench
