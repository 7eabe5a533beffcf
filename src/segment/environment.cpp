#include "segment/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <perdure/error.hpp>
#include <system_error>

namespace perdure {

std::optional<std::string_view> setting(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

void refuse_setting(const char* variable, std::string_view value, const std::string& choices) {
  throw error(errc::invalid_argument,
              std::string(variable) + " is '" + std::string(value) + "'; it may be " + choices);
}

std::optional<bool> switch_in(const char* variable) {
  const auto value = setting(variable);
  if (!value) return std::nullopt;
  if (*value != "0" && *value != "1") refuse_setting(variable, *value, "0 or 1");
  return *value == "1";
}

std::optional<std::uint64_t> number_in(const char* variable, std::uint64_t least, std::uint64_t most,
                                       const char* unit) {
  const auto value = setting(variable);
  if (!value) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = value->data() + value->size();
  const auto [stop, problem] = std::from_chars(value->data(), end, number);
  if (problem != std::errc{} || stop != end || number < least || number > most)
    refuse_setting(variable, *value,
                   std::string("a whole number of ") + unit + " from " + std::to_string(least) + " to " +
                       std::to_string(most));
  return number;
}

}  // namespace perdure
