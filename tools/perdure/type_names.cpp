#include "type_names.hpp"

#include <cstdio>

namespace perdure::cli {

std::string printable_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      text += c;
    } else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += escape;
    }
  }
  return text;
}

}  // namespace perdure::cli
