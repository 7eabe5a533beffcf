// The files that are installed beside a program and say what its commands say: man pages, completions.
#pragma once

#include <filesystem>
#include <string>

#include "command_description.hpp"

namespace perdure::cli {

/// Writes man pages of all commands and completions for bash, zsh and fish below `directory`, which is as
/// `share` of an installation.
void write_program_documents(const described_command& program, const std::filesystem::path& directory,
                             const std::string& version);

}  // namespace perdure::cli
