#include "stagebench/program/run_program.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "commands.h"
#include "stagebench/contracts/error.h"

namespace stagebench {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

int report(const char* message, int code) {
  fmt::print(stderr, "stagebench: error: {}\n", message);
  return code;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App program("Profiles and benchmarks the stages of language-model inference", "stagebench");
  program.set_version_flag("--version", "stagebench " STAGEBENCH_VERSION);
  program.require_subcommand(1);
  add_generate_command(program, {argv, argv + argc});
  add_info_command(program);
  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? program.exit(error) : report(error.what(), exit_usage);
  } catch (const UsageError& error) {
    return report(error.what(), exit_usage);
  } catch (const std::bad_alloc&) {
    return report("out of memory", exit_failed);
  } catch (const std::exception& error) {
    return report(error.what(), exit_failed);
  }
}

}  // namespace stagebench
