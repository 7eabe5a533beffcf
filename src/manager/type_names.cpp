// Names of types as a person would write them.
#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/type_stamp.hpp"

namespace perdure {

namespace {

constexpr std::array defaults{"perdure::allocator",
                              "perdure::fallback_allocator",
                              "perdure::pinned_allocator",
                              "std::allocator",
                              "std::scoped_allocator_adaptor",
                              "boost::container::scoped_allocator_adaptor",
                              "metall::stl_allocator",
                              "metall::container::fallback_allocator_adaptor",
                              "metall::kernel::manager_kernel",
                              "perdure_interprocess::allocator",
                              "perdure_interprocess::detail::pool_allocator",
                              "perdure_interprocess::segment_manager",
                              "perdure::hash",
                              "perdure::equal_to",
                              "std::hash",
                              "std::equal_to",
                              "std::less",
                              "std::char_traits",
                              "boost::hash",
                              "boost::container::dtl::nat"};

/// The usual name of a specialisation, as in the standard library and Boost.
std::string known_name(std::string name) {
  constexpr std::string_view version = "std::__cxx11::";
  if (name.starts_with(version)) name.replace(0, version.size(), "std::");
  for (const char* const library : {"perdure::", "boost::container::", "std::"})
    if (name == std::string(library) + "basic_string<char>") return std::string(library) + "string";
  return name;
}

class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  /// Parses a name, up to a comma, the end of the arguments that it is among, or the end of the text.
  std::string name() {
    std::string read;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '>') {
      const char c = text_[at_++];
      if (c == '<') {
        read += arguments(read);
        read = known_name(read);
      } else if (c == '(') {
        read += c;
        read += parenthesised();
      } else {
        read += c;
      }
    }
    while (!read.empty() && read.back() == ' ') read.pop_back();
    return read;
  }
  bool is_at_end() const { return at_ == text_.size() && !broken_; }

 private:
  /// Parses what follows a '(': `(anonymous namespace)`, or the parameters of a function.
  std::string parenthesised() {
    std::string read;
    for (std::size_t depth = 1; at_ < text_.size() && depth != 0; ++at_) {
      depth += text_[at_] == '(' ? 1U : 0U;
      depth -= text_[at_] == ')' ? 1U : 0U;
      read += text_[at_];
    }
    return read;
  }
  /// Parses what follows a '<', up to the '>' that closes it.
  std::string arguments(const std::string& of) {
    std::vector<std::string> all;
    for (;;) {
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      all.push_back(name());
      if (at_ == text_.size()) {
        broken_ = true;
        break;
      }
      if (text_[at_++] == '>') break;
    }
    const auto is_default = [](const std::string& argument) {
      return std::any_of(defaults.begin(), defaults.end(), [&](const char* name) {
        return argument == name || argument.starts_with(std::string(name) + '<');
      });
    };
    while (all.size() > 1 && (is_default(all.back()) || (all.back() == "void" && of.starts_with("boost::"))))
      all.pop_back();
    std::string joined = "<";
    for (std::size_t i = 0; i < all.size(); ++i) joined += (i == 0 ? "" : ", ") + all[i];
    return joined + '>';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

}  // namespace

std::string demangle(std::string_view mangled) {
  const std::string text(mangled);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && readable != nullptr ? std::string(readable.get()) : text;
}

std::string short_type_name(std::string_view demangled) {
  reader whole(demangled);
  std::string name = whole.name();
  return whole.is_at_end() ? name : std::string(demangled);
}

}  // namespace perdure
