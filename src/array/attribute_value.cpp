// Packs texts and lists into the bytes of an attribute. Modules of formats have a copy of this source.
#include "perdure/array/attribute_value.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <perdure/error.hpp>
#include <utility>

namespace perdure {
namespace {

static_assert(std::endian::native == std::endian::little, "ends are kept as this machine has them");

constexpr std::string_view null_name = "null";

}  // namespace

std::string pack_elements(const variable_elements& elements) {
  const std::size_t head = elements.ends.size() * sizeof(std::uint64_t);
  std::string packed(head + elements.bytes.size(), '\0');
  if (head != 0) std::memcpy(packed.data(), elements.ends.data(), head);
  elements.bytes.copy(packed.data() + head, elements.bytes.size());
  return packed;
}

variable_elements unpack_elements(const extents& dims, std::string_view bytes) {
  const std::uint64_t count = dims.elements();
  if (count > bytes.size() / sizeof(std::uint64_t))
    throw error(errc::bad_input, std::to_string(bytes.size()) + " bytes are too few for the ends of " +
                                     std::to_string(count) + " texts or lists");
  variable_elements elements;
  elements.ends.resize(count);
  const std::size_t head = count * sizeof(std::uint64_t);
  if (head != 0) std::memcpy(elements.ends.data(), bytes.data(), head);
  elements.bytes = bytes.substr(head);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : elements.ends) {
    if (end < begin) throw error(errc::bad_input, "a text or list ends before it begins");
    begin = end;
  }
  if (begin != elements.bytes.size())
    throw error(errc::bad_input, "the texts or lists have " + std::to_string(begin) + " bytes, not " +
                                     std::to_string(elements.bytes.size()));
  return elements;
}

data_type null_type(const data_type& of) {
  std::string name(null_name);
  if (of != data_type()) name.append(1, ' ').append(of.text());
  return data_type::opaque(name, 0, 1);
}

bool is_null(const data_type& type) noexcept {
  const std::string& name = type.name();
  return type.kind() == element_kind::opaque && type.size() == 0 && name.starts_with(null_name) &&
         (name.size() == null_name.size() || name[null_name.size()] == ' ');
}

data_type type_without_value(const data_type& type) {
  if (!is_null(type)) throw error(errc::invalid_argument, type.text() + " is not the type of null");
  const std::string& name = type.name();
  return name.size() == null_name.size() ? data_type() : data_type::parse(name.substr(null_name.size() + 1));
}

}  // namespace perdure
