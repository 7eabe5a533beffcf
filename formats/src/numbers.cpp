// Finds the numbers in elements.
#include "numbers.hpp"

#include <algorithm>
#include <cstring>
#include <perdure/float16.hpp>

namespace perdure::formats {

namespace {

constexpr std::size_t most_numbers = 65536;

void add_numbers(numbers_of_element& found, const data_type& type, std::size_t offset) {
  const data_type base = type.base();
  std::size_t count = 1;
  for (const std::uint64_t n : type.dims()) count *= n;
  if (count > most_numbers - std::min(most_numbers, found.places.size())) {
    found.are_all = false;
    return;
  }
  for (std::size_t i = 0; i < count && found.are_all; ++i) {
    const std::size_t at = offset + i * base.size();
    switch (base.kind()) {
      case element_kind::structure:
        for (const data_field& field : base.fields()) add_numbers(found, field.type, at + field.offset);
        break;
      case element_kind::complex64:
        found.places.push_back({element_kind::float32, at, 4, true});
        found.places.push_back({element_kind::float32, at + 4, 4, true});
        break;
      case element_kind::complex128:
        found.places.push_back({element_kind::float64, at, 8, true});
        found.places.push_back({element_kind::float64, at + 8, 8, true});
        break;
      case element_kind::opaque:
      case element_kind::character:
      case element_kind::text:
      case element_kind::sequence:
        found.are_all = false;
        return;
      default: {
        const bool is_exact = base.kind() != element_kind::int64 && base.kind() != element_kind::uint64;
        found.places.push_back({base.kind(), at, base.size(), is_exact});
      }
    }
  }
}

template <class T>
double as_double(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

numbers_of_element numbers_in(const data_type& type) {
  numbers_of_element found;
  add_numbers(found, type, 0);
  return found;
}

double number_at(const number_place& place, const std::byte* element) noexcept {
  const std::byte* const at = element + place.offset;
  switch (place.kind) {
    case element_kind::boolean:
    case element_kind::uint8:
      return as_double<std::uint8_t>(at);
    case element_kind::int8:
      return as_double<std::int8_t>(at);
    case element_kind::int16:
      return as_double<std::int16_t>(at);
    case element_kind::int32:
      return as_double<std::int32_t>(at);
    case element_kind::int64:
      return as_double<std::int64_t>(at);
    case element_kind::uint16:
      return as_double<std::uint16_t>(at);
    case element_kind::uint32:
      return as_double<std::uint32_t>(at);
    case element_kind::uint64:
      return as_double<std::uint64_t>(at);
    case element_kind::float16: {
      float16 value;
      std::memcpy(&value, at, sizeof value);
      return static_cast<float>(value);
    }
    case element_kind::bfloat16: {
      bfloat16 value;
      std::memcpy(&value, at, sizeof value);
      return static_cast<float>(value);
    }
    case element_kind::float32:
      return as_double<float>(at);
    default:
      return as_double<double>(at);
  }
}

}  // namespace perdure::formats
