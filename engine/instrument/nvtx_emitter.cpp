#include "nvtx_emitter.h"

#include <nvtx3/nvToolsExt.h>
#include <array>
#include <cstddef>
#include <string_view>

namespace stagebench::nvtx {
namespace {

enum class Category : std::uint32_t { request = 1, stage, step, op, transfer, harness };

struct CategoryStyle {
  const char* name;
  std::uint32_t argb;
};

// In the order of Category, from 1. Alpha is FF: a tool draws a colour without alpha as transparent.
constexpr std::array<CategoryStyle, 6> category_styles{{
    {"request", 0xFF4E79A7},
    {"stage", 0xFF59A14F},
    {"step", 0xFFF28E2B},
    {"op", 0xFF9C755F},
    {"transfer", 0xFFB07AA1},
    {"harness", 0xFF79706E},
}};

struct Row {
  const char* name;
  Category category;
};

constexpr std::array<Row, Name::row_count> rows{{
    // Stage
    {"load", Category::stage},
    {"tokenize", Category::stage},
    {"prefill", Category::stage},
    {"decode_step", Category::step},
    {"sample", Category::step},
    {"detokenize", Category::stage},
    // Range
    {"measure", Category::harness},
    {"map", Category::transfer},
    {"convert", Category::transfer},
    {"upload", Category::transfer},
    {"wait_gpu", Category::transfer},
    {"graph_capture", Category::step},
    {"graph_replay", Category::step},
    {"request", Category::request},
    // Mark
    {"first_token", Category::request},
    {"eos", Category::request},
    {"throttled", Category::harness},
}};

constexpr bool stages_match_their_names() {
  for (const Stage stage : all_stages) {
    if (rows[Name(stage).row()].name != name(stage)) return false;
  }
  return true;
}
static_assert(stages_match_their_names(), "the first rows are the stages, in the order of the enum");
static_assert(rows[Name(Range::graph_replay).row()].name == std::string_view("graph_replay"));
static_assert(rows[Name::request().row()].name == std::string_view("request"));
static_assert(rows[Name(Mark::throttled).row()].name == std::string_view("throttled"));

class Domain {
 public:
  Domain() noexcept : handle_(nvtxDomainCreateA("stagebench")) {
    std::uint32_t category = 0;
    for (const CategoryStyle& style : category_styles) nvtxDomainNameCategoryA(handle_, ++category, style.name);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      strings_[row] = nvtxDomainRegisterStringA(handle_, rows[row].name);
    }
  }

  nvtxDomainHandle_t handle() const noexcept { return handle_; }

  nvtxEventAttributes_t attributes(Name name, std::uint64_t payload) const noexcept {
    const auto category = static_cast<std::uint32_t>(rows[name.row()].category);
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = category;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = category_styles[category - 1].argb;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    attributes.payload.ullValue = payload;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = strings_[name.row()];
    return attributes;
  }

 private:
  nvtxDomainHandle_t handle_;
  std::array<nvtxStringHandle_t, rows.size()> strings_{};
};

const Domain& domain() noexcept {
  static const Domain instance;
  return instance;
}

}  // namespace

void push(Name name, std::uint64_t payload) noexcept {
  const nvtxEventAttributes_t attributes = domain().attributes(name, payload);
  nvtxDomainRangePushEx(domain().handle(), &attributes);
}

void pop() noexcept {
  nvtxDomainRangePop(domain().handle());
}

std::uint64_t start(Name name, std::uint64_t payload) noexcept {
  const nvtxEventAttributes_t attributes = domain().attributes(name, payload);
  return nvtxDomainRangeStartEx(domain().handle(), &attributes);
}

void end(std::uint64_t range_id) noexcept {
  nvtxDomainRangeEnd(domain().handle(), range_id);
}

void mark(Name name, std::uint64_t payload) noexcept {
  const nvtxEventAttributes_t attributes = domain().attributes(name, payload);
  nvtxDomainMarkEx(domain().handle(), &attributes);
}

}  // namespace stagebench::nvtx
