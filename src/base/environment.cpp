// Reading the environment's variables. Nothing else calls getenv.
#include "base/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <perdure/error.hpp>
#include <system_error>

namespace perdure::base {

namespace {

std::optional<std::size_t> choice_of(const environment_variable& of, std::string_view value) noexcept {
  const auto found = std::find(of.choices.begin(), of.choices.end(), value);
  if (found == of.choices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - of.choices.begin());
}

std::optional<std::uint64_t> number_of(const environment_variable& of, std::string_view value) noexcept {
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, problem] = std::from_chars(value.data(), end, number);
  if (problem != std::errc{} || stop != end || number < of.least || number > of.most) return std::nullopt;
  return number;
}

std::string refusal(const environment_variable& of, std::string_view value) {
  return std::string(of.name) + " is '" + std::string(value) + "'; it may be " + allowed_values(of);
}

[[noreturn]] void refuse(const environment_variable& of, std::string_view value) {
  throw error(errc::invalid_argument, refusal(of, value));
}

}  // namespace

std::optional<std::string_view> value_of(const environment_variable& of) noexcept {
  const char* const value = std::getenv(of.name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string allowed_values(const environment_variable& of) {
  if (!of.unit.empty())
    return "a whole number of " + std::string(of.unit) + " from " + std::to_string(of.least) + " to " +
           std::to_string(of.most);
  return of.choices.empty() ? std::string(of.form) : listed(of.choices);
}

std::optional<std::string> why_refused(const environment_variable& of, std::string_view value) {
  const bool is_possible = !of.unit.empty()     ? number_of(of, value).has_value()
                           : of.choices.empty() ? true
                                                : choice_of(of, value).has_value();
  if (is_possible) return std::nullopt;
  return refusal(of, value);
}

std::optional<std::size_t> choice_in(variable of) {
  const auto value = value_of(of.row());
  if (!value) return std::nullopt;
  const auto choice = choice_of(of.row(), *value);
  if (!choice) refuse(of.row(), *value);
  return choice;
}

std::optional<std::uint64_t> number_in(variable of) {
  const auto value = value_of(of.row());
  if (!value) return std::nullopt;
  const auto number = number_of(of.row(), *value);
  if (!number) refuse(of.row(), *value);
  return number;
}

std::optional<std::string_view> directory_in(variable of) noexcept {
  return value_of(of.row());
}

}  // namespace perdure::base
