#include "memkind/settings.hpp"

#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "memkind.h"

namespace perdure::memkind_compat {

namespace {

constexpr std::uint64_t default_threshold = 200 * 1024;

// Takes a decimal number off the front; nothing if there is none or it is too large.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    if (number > (UINT64_MAX - 9) / 10) return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  }
  text.remove_prefix(digits);
  return digits == 0 ? std::nullopt : std::optional(number);
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

// "1-3,5"; nothing for what is no such list.
std::optional<node_set> nodes_of(std::string_view text) {
  node_set nodes;
  for (;;) {
    const auto first = take_number(text);
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (!first || !last || *first > *last || *last >= node_set::most_nodes) return std::nullopt;
    for (std::uint64_t node = *first; node <= *last; ++node) nodes.add(static_cast<unsigned>(node));
    if (text.empty()) return nodes;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::optional<node_set> wanted(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  return nodes_of(text).value_or(node_set());
}

bool is_there(unsigned node) {
  std::error_code failure;
  return std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(node), failure);
}

bool names_nodes_or_unset(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return true;
  const auto nodes = nodes_of(text);
  if (!nodes) return false;
  bool all_there = true;
  nodes->for_each([&](unsigned node) { all_there = all_there && is_there(node); });
  return all_there;
}

bool is_number_or_unset(const char* variable, std::uint64_t least, std::uint64_t most) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return true;
  const auto number = number_of(text);
  return number && *number >= least && *number <= most;
}

int status_of(bool sound) {
  if (!sound) debug("a MEMKIND_* environment variable has no sound value");
  return sound ? MEMKIND_SUCCESS : MEMKIND_ERROR_ENVIRON;
}

}  // namespace

int environment_status() {
  return status_of(is_number_or_unset("MEMKIND_ARENA_NUM_PER_KIND", 1, INT_MAX) &&
                   is_number_or_unset("MEMKIND_HOG_MEMORY", 0, 1) &&
                   is_number_or_unset("MEMKIND_BACKGROUND_THREAD_LIMIT", 0, UINT64_MAX));
}

int high_bandwidth_status() {
  return status_of(names_nodes_or_unset("MEMKIND_HBW_NODES") &&
                   is_number_or_unset("MEMKIND_HBW_THRESHOLD", 0, UINT64_MAX));
}

int persistent_memory_status() {
  return status_of(names_nodes_or_unset("MEMKIND_DAX_KMEM_NODES"));
}

std::optional<node_set> hbw_nodes_wanted() {
  return wanted("MEMKIND_HBW_NODES");
}

std::optional<node_set> kmem_nodes_wanted() {
  return wanted("MEMKIND_DAX_KMEM_NODES");
}

std::uint64_t hbw_threshold() {
  const char* const text = std::getenv("MEMKIND_HBW_THRESHOLD");
  return text == nullptr ? default_threshold : number_of(text).value_or(UINT64_MAX);
}

bool keeps_memory() {
  const char* const text = std::getenv("MEMKIND_HOG_MEMORY");
  return text != nullptr && std::string_view(text) == "1";
}

void debug(const char* what) {
  const char* const text = std::getenv("MEMKIND_DEBUG");
  if (text != nullptr && std::string_view(text) == "1") std::fprintf(stderr, "memkind: %s\n", what);
}

}  // namespace perdure::memkind_compat
