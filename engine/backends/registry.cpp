#include "stagebench/backends/registry.h"

#include "cpu/cpu_backend.h"
#include "stagebench/contracts/error.h"

namespace stagebench {

std::vector<std::string> backend_names() {
  return {"cpu"};
}

std::unique_ptr<Backend> make_backend(std::string_view name) {
  if (name == "auto" || name == "cpu") return std::make_unique<cpu::CpuBackend>();
  std::string known = "auto";
  for (const std::string& backend : backend_names()) known += ", " + backend;
  throw UsageError("backend: expected one of " + known + ", found \"" + std::string(name) + "\"");
}

}  // namespace stagebench
