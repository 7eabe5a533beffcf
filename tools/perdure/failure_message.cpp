#include "failure_message.hpp"

#include <array>
#include <filesystem>
#include <new>
#include <perdure/error.hpp>
#include <stdexcept>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace perdure::cli {
namespace {

/// Advice of the libraries to programs, and what it is to users.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> advice{{
    {" (store_options::capacity when a store is made, store_maintenance::raise_capacity while nobody has it "
     "open)",
     " (--capacity when it is made)"},
    {" (manager::discard)", ""},
    {"use store_maintenance::copy, which", "use 'perdure copy', which"},
    {"; a program that wants it so sets `store_options::others_may_write`", ""},
    {", or say so by `store_options::last_decided`", ""},
    {"; open it with perdure::manager", ""},
}};

std::string in_options(std::string text) {
  // "give --append (in C++ file_ingest_options::again)"
  constexpr std::string_view language = "in C++ ";
  for (std::size_t at; (at = text.find(language)) != std::string::npos;) {
    std::size_t end = text.find(')', at);
    if (end == std::string::npos) end = text.size();
    std::size_t begin = at;
    if (text.substr(0, at).ends_with(" (")) {
      begin -= 2;
      if (end != text.size()) ++end;
    } else if (text.substr(0, at).ends_with("; ")) {
      begin -= 2;
    }
    text.erase(begin, end - begin);
  }
  for (const auto& [library, program] : advice)
    if (const std::size_t at = text.find(library); at != std::string::npos)
      text.replace(at, library.size(), program);
  return text;
}

}  // namespace

std::string failure_message(const std::exception& failure) {
  if (typeid(failure) == typeid(std::bad_alloc)) return "out of memory";
  if (const auto* const of_file = dynamic_cast<const std::filesystem::filesystem_error*>(&failure))
    return of_file->path1().string() + (of_file->path2().empty() ? "" : " and " + of_file->path2().string()) +
           ": " + of_file->code().message();
  // Those of the libraries have sentences, and so have system calls that failed.
  if (dynamic_cast<const std::runtime_error*>(&failure) != nullptr ||
      dynamic_cast<const std::bad_alloc*>(&failure) != nullptr)
    return in_options(failure.what());
  return "a mistake in this program: it met what it was not made for; report the command and its input";
}

}  // namespace perdure::cli
