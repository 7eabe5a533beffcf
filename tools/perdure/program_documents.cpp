#include "program_documents.hpp"

#include <perdure/error.hpp>
#include <string>
#include <system_error>

#include "completions.hpp"
#include "man_page.hpp"
#include "output.hpp"

namespace perdure::cli {
namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  output out = output::to(path);
  out.write(text);
  out.finish();
}

std::filesystem::path made(const std::filesystem::path& directory) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem)
    throw error(errc::io, directory.string() + ": cannot make the directory: " + problem.message());
  return directory;
}

void write_man_pages(const described_command& command, const std::string& above,
                     const std::filesystem::path& directory, const std::string& version) {
  write_file(directory / (man_page_name(command.path) + ".1"), man_page(command, above, version));
  for (const described_command& one : command.commands)
    write_man_pages(one, command.path, directory, version);
}

}  // namespace

void write_program_documents(const described_command& program, const std::filesystem::path& directory,
                             const std::string& version) {
  write_man_pages(program, {}, made(directory / "man" / "man1"), version);
  write_file(made(directory / "bash-completion" / "completions") / program.path, bash_completion(program));
  write_file(made(directory / "zsh" / "site-functions") / ('_' + program.path), zsh_completion(program));
  write_file(made(directory / "fish" / "vendor_completions.d") / (program.path + ".fish"),
             fish_completion(program));
}

}  // namespace perdure::cli
