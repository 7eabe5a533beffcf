// Types of plain data as the directory of objects records them.
#include "manager/stored_data_type.hpp"

#include <complex>

#include "perdure/error.hpp"
#include "perdure/float16.hpp"
#include "perdure/object_info.hpp"

namespace perdure::detail {

namespace {

struct number_name {
  std::string_view mangled;
  element_kind kind;
};

// As the Itanium C++ ABI and libstdc++ name them; of each kind that one first under which it is recorded.
constexpr number_name number_names[] = {
    {"b", element_kind::boolean},
    {"c", element_kind::character},
    {"a", element_kind::int8},
    {"s", element_kind::int16},
    {"i", element_kind::int32},
    {"l", element_kind::int64},
    {"h", element_kind::uint8},
    {"t", element_kind::uint16},
    {"j", element_kind::uint32},
    {"m", element_kind::uint64},
    {"N7perdure7float16E", element_kind::float16},
    {"N7perdure8bfloat16E", element_kind::bfloat16},
    {"f", element_kind::float32},
    {"d", element_kind::float64},
    {"St7complexIfE", element_kind::complex64},
    {"St7complexIdE", element_kind::complex128},
    {"x", element_kind::int64},
    {"y", element_kind::uint64},
    {"St4byte", element_kind::uint8},
    {"Du", element_kind::character},
    {"DF16_", element_kind::float16},
};

const type_stamp& stamp_of_number(element_kind kind) {
  switch (kind) {
    case element_kind::boolean:
      return type_stamp_of<bool>();
    case element_kind::character:
      return type_stamp_of<char>();
    case element_kind::int8:
      return type_stamp_of<std::int8_t>();
    case element_kind::int16:
      return type_stamp_of<std::int16_t>();
    case element_kind::int32:
      return type_stamp_of<std::int32_t>();
    case element_kind::int64:
      return type_stamp_of<std::int64_t>();
    case element_kind::uint8:
      return type_stamp_of<std::uint8_t>();
    case element_kind::uint16:
      return type_stamp_of<std::uint16_t>();
    case element_kind::uint32:
      return type_stamp_of<std::uint32_t>();
    case element_kind::uint64:
      return type_stamp_of<std::uint64_t>();
    case element_kind::float16:
      return type_stamp_of<float16>();
    case element_kind::bfloat16:
      return type_stamp_of<bfloat16>();
    case element_kind::float32:
      return type_stamp_of<float>();
    case element_kind::float64:
      return type_stamp_of<double>();
    case element_kind::complex64:
      return type_stamp_of<std::complex<float>>();
    default:
      return type_stamp_of<std::complex<double>>();
  }
}

bool is_number(const data_type& type) {
  return type.dims().empty() && type.kind() != element_kind::structure && type.kind() != element_kind::opaque;
}

std::optional<data_type> parsed(std::string_view text, std::size_t size) {
  try {
    data_type type = data_type::parse(text);
    if (type.size() == size && size != 0) return type;
  } catch (const error&) {
    // Damaged, or of a later version.
  }
  return std::nullopt;
}

/// Returns the text after "= " in the last line.
std::string_view text_in(std::string_view layout) {
  if (!layout.ends_with('\n')) return {};
  layout.remove_suffix(1);
  const std::size_t before = layout.rfind('\n');
  if (before == std::string_view::npos) return {};
  const std::string_view last = layout.substr(before + 1);
  return last.starts_with("= ") ? last.substr(2) : std::string_view();
}

}  // namespace

void add_data_type(std::string& layout, const data_type& type) {
  layout += "= " + type.text() + '\n';
}

language_neutral_stamp::language_neutral_stamp(const data_type& type) {
  if (is_number(type)) {
    stamp_ = stamp_of_number(type.kind());
    return;
  }
  name_ = '=' + type.text();
  stamp_ = make_type_stamp(name_.c_str(), type.size(), type.alignment(), 0, true);
}

std::optional<data_type> stored_data_type(std::string_view mangled_name, std::size_t size,
                                          std::string_view layout) {
  if (is_language_neutral(mangled_name)) return parsed(mangled_name.substr(1), size);
  for (const number_name& known : number_names) {
    if (known.mangled != mangled_name) continue;
    const data_type type = known.kind;
    return type.size() == size ? std::optional(type) : std::nullopt;
  }
  const std::string_view text = text_in(layout);
  return text.empty() ? std::nullopt : parsed(text, size);
}

}  // namespace perdure::detail

namespace perdure {

std::string object_info::type_name() const {
  if (detail::is_language_neutral(mangled_type_name_)) return std::string(mangled_type_name_.substr(1));
  return demangle(mangled_type_name_);
}

std::optional<data_type> object_info::data_type() const {
  return detail::stored_data_type(mangled_type_name_, element_size_, layout_);
}

}  // namespace perdure
