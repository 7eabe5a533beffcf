// Key of an object in the directory, and its name in messages.
#include "manager/object_key.hpp"

#include "manager/name_directory.hpp"
#include "perdure/error.hpp"

namespace perdure::detail {

std::string_view key_of(const object_name& name, const type_stamp& type) noexcept {
  return name.kind() == instance_kind::unique ? type.name : name.name();
}

std::string printable(instance_kind kind, std::string_view key) {
  switch (kind) {
    case instance_kind::named: {
      constexpr std::size_t shown = 80;
      std::string text = "\"";
      for (const char c : key.substr(0, shown))
        text += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
      return text + (key.size() > shown ? "…\"" : "\"");
    }
    case instance_kind::unique:
      return "the unique instance of " + short_type_name(demangle(key));
    case instance_kind::anonymous:
      break;
  }
  return "an anonymous object";
}

void require_sound_name(const object_name& name, const std::string& path) {
  if (name.kind() != instance_kind::named) return;
  if (name.name().empty())
    throw error(errc::invalid_argument,
                path + ": an object's name is empty; give it one, or use anonymous_instance");
  if (name.name().size() > max_name_length)
    throw error(errc::invalid_argument, path + ": an object's name has at most " +
                                            std::to_string(max_name_length) + " bytes, not " +
                                            std::to_string(name.name().size()));
}

}  // namespace perdure::detail
