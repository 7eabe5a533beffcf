// Stored values as text, so that tests compare them at a glance.
#pragma once

#include <cstddef>
#include <perdure/inspect/value.hpp>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace perdure::test {

template <class Number>
std::string text_of(Number number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

inline std::string shown(const inspect::value& one);

inline std::string shown(const std::vector<inspect::value>& all) {
  std::string text;
  for (const inspect::value& one : all) text += (text.empty() ? "" : " ") + shown(one);
  return text;
}

inline std::string shown(const inspect::value& one) {
  using inspect::value;
  struct to_text {
    std::string operator()(const value::nothing&) const { return "nothing"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
    std::string operator()(float number) const { return text_of(number); }
    std::string operator()(double number) const { return text_of(number); }
    std::string operator()(const value::text& text) const {
      return '"' + text.characters + '"' + more(text.more);
    }
    std::string operator()(const value::list& list) const {
      return '[' + shown(list.elements) + more(list.more) + ']';
    }
    std::string operator()(const value::record& record) const {
      std::string text;
      for (const auto& [name, member] : record.fields)
        text.append(text.empty() ? "" : " ").append(name).append("=").append(shown(member));
      return '{' + text + '}';
    }
    std::string operator()(const value::opaque& opaque) const {
      return '<' + opaque.type + ' ' + std::to_string(opaque.bytes) +
             (opaque.elements ? " of " + std::to_string(*opaque.elements) : "") + '>';
    }
    std::string operator()(const value::damaged&) const { return "damaged"; }
    std::string operator()(const value::left_out&) const { return "left out"; }

    static std::string more(std::uint64_t count) { return count == 0 ? "" : " +" + std::to_string(count); }
  };
  return std::visit(to_text(), one.held);
}

}  // namespace perdure::test
