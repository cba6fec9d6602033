#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stagebench {

/// Each adds a subcommand to `program`; its callback runs it and throws Error where it fails.
/// `command_line` is kept with the results.
void add_generate_command(CLI::App& program, const std::vector<std::string>& command_line);
void add_info_command(CLI::App& program);

}  // namespace stagebench
