// An NVTX tool for tests: a shared library that a program loads by itself where NVTX_INJECTION64_PATH names it. It
// writes one JSON object a line, at once, to the file that STAGEBENCH_NVTX_RECORDING names; nvtx_recorder_log.h reads
// it. A process that inherits both variables truncates the file: give each process its own.
//
// Keys: event (domain, string, category, push, pop, start, end, mark), time_ns (CLOCK_MONOTONIC, the steady clock),
// thread, domain; where they apply: name, registered, category, argb, payload_kind, payload (a string: 64 bits), depth
// (of this thread and domain, after the event), range_id.
//
// NVTX keeps its state once a shared object, so this is initialised once for each that uses NVTX.

#include <fcntl.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

namespace {

struct RecordedDomain {
  std::string name;
};
struct RecordedString {
  std::string text;
};

RecordedDomain& default_domain() {
  static RecordedDomain domain;
  return domain;
}

// Handles are addresses of these. NVTX has no end of life for strings, and domains live as long as the process.
RecordedDomain& as_domain(nvtxDomainHandle_t handle) {
  return handle == nullptr ? default_domain() : *reinterpret_cast<RecordedDomain*>(handle);
}

int& depth_of(const RecordedDomain& domain) {
  thread_local std::map<const RecordedDomain*, int> depths;
  return depths[&domain];
}

int recording_file() {
  static const int descriptor = [] {
    const char* path = std::getenv("STAGEBENCH_NVTX_RECORDING");
    return path == nullptr ? -1 : ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  }();
  return descriptor;
}

std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class Line {
 public:
  Line(const char* event, std::int64_t time_ns, const RecordedDomain& domain) {
    text_ = "{\"event\":\"" + std::string(event) + "\",\"time_ns\":" + std::to_string(time_ns) +
            ",\"thread\":" + std::to_string(::gettid());
    add_text("domain", domain.name);
  }
  void add_number(const char* key, std::int64_t value) { add(key, std::to_string(value)); }
  void add_bool(const char* key, bool value) { add(key, value ? "true" : "false"); }
  void add_text(const char* key, const std::string& value) {
    std::string quoted = "\"";
    for (const char c : value) {
      if (static_cast<unsigned char>(c) < 0x20) {
        quoted += '?';
        continue;
      }
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    add(key, quoted + '"');
  }
  // One write to a file opened for appending: lines of several threads do not mix.
  void write() {
    text_ += "}\n";
    if (recording_file() < 0) return;
    if (::write(recording_file(), text_.data(), text_.size()) != static_cast<ssize_t>(text_.size())) {
      std::perror("nvtx_recorder: write");
      std::abort();
    }
  }

 private:
  void add(const char* key, const std::string& value) { text_ += std::string(",\"") + key + "\":" + value; }
  std::string text_;
};

void add_payload(Line& line, const nvtxEventAttributes_t& attributes) {
  switch (attributes.payloadType) {
    case NVTX_PAYLOAD_UNKNOWN: line.add_text("payload_kind", "none"); break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      line.add_text("payload_kind", "u64");
      line.add_text("payload", std::to_string(attributes.payload.ullValue));
      break;
    case NVTX_PAYLOAD_TYPE_INT64:
      line.add_text("payload_kind", "i64");
      line.add_text("payload", std::to_string(attributes.payload.llValue));
      break;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      line.add_text("payload_kind", "f64");
      line.add_text("payload", std::to_string(attributes.payload.dValue));
      break;
    default: line.add_text("payload_kind", "other"); break;
  }
}

void add_attributes(Line& line, const nvtxEventAttributes_t& attributes) {
  const bool registered = attributes.messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  if (registered) {
    line.add_text("name", reinterpret_cast<const RecordedString*>(attributes.message.registered)->text);
  } else if (attributes.messageType == NVTX_MESSAGE_TYPE_ASCII) {
    line.add_text("name", attributes.message.ascii);
  }
  line.add_bool("registered", registered);
  line.add_number("category", attributes.category);
  line.add_number("argb", attributes.colorType == NVTX_COLOR_ARGB ? attributes.color : 0);
  add_payload(line, attributes);
}

nvtxEventAttributes_t plain_message(const char* message) {
  nvtxEventAttributes_t attributes{};
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = message;
  return attributes;
}

nvtxDomainHandle_t NVTX_API domain_create(const char* name) {
  auto* domain = new RecordedDomain{name};
  Line("domain", now_ns(), *domain).write();
  return reinterpret_cast<nvtxDomainHandle_t>(domain);
}

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char* text) {
  auto* string = new RecordedString{text};
  Line line("string", now_ns(), as_domain(domain));
  line.add_text("name", string->text);
  line.write();
  return reinterpret_cast<nvtxStringHandle_t>(string);
}

void NVTX_API name_category(nvtxDomainHandle_t domain, std::uint32_t category, const char* name) {
  Line line("category", now_ns(), as_domain(domain));
  line.add_text("name", name);
  line.add_number("category", category);
  line.write();
}

// A range's own times are the innermost ones: taken first at its begin and first at its end.
int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  Line line("push", now_ns(), as_domain(domain));
  add_attributes(line, *attributes);
  const int depth = ++depth_of(as_domain(domain));
  line.add_number("depth", depth);
  line.write();
  return depth - 1;
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  Line line("pop", now_ns(), as_domain(domain));
  const int depth = --depth_of(as_domain(domain));
  line.add_number("depth", depth);
  line.write();
  return depth;
}

nvtxRangeId_t NVTX_API start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  static std::atomic<std::uint64_t> last_id{0};
  Line line("start", now_ns(), as_domain(domain));
  add_attributes(line, *attributes);
  const std::uint64_t id = ++last_id;
  line.add_number("range_id", static_cast<std::int64_t>(id));
  line.write();
  return id;
}

void NVTX_API end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  Line line("end", now_ns(), as_domain(domain));
  line.add_number("range_id", static_cast<std::int64_t>(id));
  line.write();
}

void NVTX_API mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  Line line("mark", now_ns(), as_domain(domain));
  add_attributes(line, *attributes);
  line.write();
}

int NVTX_API core_push(const nvtxEventAttributes_t* attributes) {
  return push(nullptr, attributes);
}
int NVTX_API core_push_text(const char* message) {
  const nvtxEventAttributes_t attributes = plain_message(message);
  return push(nullptr, &attributes);
}
int NVTX_API core_pop() {
  return pop(nullptr);
}
nvtxRangeId_t NVTX_API core_start(const nvtxEventAttributes_t* attributes) {
  return start(nullptr, attributes);
}
nvtxRangeId_t NVTX_API core_start_text(const char* message) {
  const nvtxEventAttributes_t attributes = plain_message(message);
  return start(nullptr, &attributes);
}
void NVTX_API core_end(nvtxRangeId_t id) {
  end(nullptr, id);
}
void NVTX_API core_mark(const nvtxEventAttributes_t* attributes) {
  mark(nullptr, attributes);
}
void NVTX_API core_mark_text(const char* message) {
  const nvtxEventAttributes_t attributes = plain_message(message);
  mark(nullptr, &attributes);
}

class FunctionTable {
 public:
  FunctionTable(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &table_, &size_) == 0) size_ = 0;
  }
  template <typename Function>
  void set(unsigned int index, Function function) {
    if (index < size_) *table_[index] = reinterpret_cast<NvtxFunctionPointer>(function);
  }

 private:
  NvtxFunctionTable table_ = nullptr;
  unsigned int size_ = 0;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  FunctionTable core(*callbacks, NVTX_CB_MODULE_CORE);
  core.set(NVTX_CBID_CORE_RangePushEx, core_push);
  core.set(NVTX_CBID_CORE_RangePushA, core_push_text);
  core.set(NVTX_CBID_CORE_RangePop, core_pop);
  core.set(NVTX_CBID_CORE_RangeStartEx, core_start);
  core.set(NVTX_CBID_CORE_RangeStartA, core_start_text);
  core.set(NVTX_CBID_CORE_RangeEnd, core_end);
  core.set(NVTX_CBID_CORE_MarkEx, core_mark);
  core.set(NVTX_CBID_CORE_MarkA, core_mark_text);
  FunctionTable core2(*callbacks, NVTX_CB_MODULE_CORE2);
  core2.set(NVTX_CBID_CORE2_DomainCreateA, domain_create);
  core2.set(NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  core2.set(NVTX_CBID_CORE2_DomainNameCategoryA, name_category);
  core2.set(NVTX_CBID_CORE2_DomainRangePushEx, push);
  core2.set(NVTX_CBID_CORE2_DomainRangePop, pop);
  core2.set(NVTX_CBID_CORE2_DomainRangeStartEx, start);
  core2.set(NVTX_CBID_CORE2_DomainRangeEnd, end);
  core2.set(NVTX_CBID_CORE2_DomainMarkEx, mark);
  return 1;
}
