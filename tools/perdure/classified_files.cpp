#include "classified_files.hpp"

#include <algorithm>
#include <string>

#include "command_line.hpp"

namespace perdure::cli {
namespace {

std::filesystem::path file_of_pairs(const std::filesystem::path& name, const char* instead) {
  std::string text = name.string();
  return text.replace(text.find('#'), 1, instead);
}

}  // namespace

void check_read_files(const char* option, const std::filesystem::path& name, bool in_pairs) {
  const std::string text = name.string();
  if (!in_pairs || text.empty() || std::count(text.begin(), text.end(), '#') == 1) return;
  throw usage_error(std::string(option) + " " + text +
                    ": pairs go to two files, so the name needs one '#', which becomes _1 and _2");
}

read_files::read_files(const std::filesystem::path& name, bool in_pairs) {
  if (name.empty()) return;
  reads_.emplace(output::to(in_pairs ? file_of_pairs(name, "_1") : name));
  if (in_pairs) mates_.emplace(output::to(file_of_pairs(name, "_2")));
}

void read_files::write(std::string_view reads, std::string_view mates) {
  reads_->write(reads);
  if (mates_) mates_->write(mates);
}

void read_files::finish() {
  if (reads_) reads_->finish();
  if (mates_) mates_->finish();
}

}  // namespace perdure::cli
