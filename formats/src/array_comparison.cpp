// Compares arrays.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <perdure/formats/array_comparison.hpp>
#include <string_view>

#include "numbers.hpp"

namespace perdure::formats {
namespace {

/// Elements of two arrays of one type and shape.
class element_comparison {
 public:
  element_comparison(const data_type& type, double tolerance, array_difference& found)
      : type_(type), tolerance_(tolerance), found_(found), numbers_(numbers_in(type)) {}

  void compare(const std::byte* a, const std::byte* b, std::uint64_t count) {
    const std::size_t size = type_.size();
    found_.elements += count;
    if (std::memcmp(a, b, count * size) == 0) return;
    for (std::uint64_t i = 0; i < count; ++i, a += size, b += size)
      if (std::memcmp(a, b, size) != 0 && differs(a, b)) ++found_.differing;
  }

 private:
  bool differs(const std::byte* a, const std::byte* b) {
    // What is no number, of a struct's fillers too, is compared by its bytes.
    if (!numbers_.are_all) return true;
    bool any = false;
    for (const number_place& one : numbers_.places) {
      const double left = number_at(one, a);
      const double right = number_at(one, b);
      if (left == right || (std::isnan(left) && std::isnan(right))) {
        // Integers beyond 2^53 may differ, by little, where doubles do not.
        if (!one.is_exact && tolerance_ == 0 && std::memcmp(a + one.offset, b + one.offset, one.size) != 0)
          any = true;
        continue;
      }
      const double distance = std::abs(left - right);
      if (!(distance <= tolerance_)) any = true;
      const double shown = std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
      found_.largest = std::max(found_.largest.value_or(0), shown);
    }
    return any;
  }

  const data_type& type_;
  double tolerance_;
  array_difference& found_;
  numbers_of_element numbers_;
};

void compare_variable(array_source& a, array_source& b, array_difference& found) {
  const variable_elements left = a.read_variable();
  const variable_elements right = b.read_variable();
  found.elements = left.ends.size();
  const auto at = [](const variable_elements& all, std::size_t i) {
    const std::uint64_t begin = i == 0 ? 0 : all.ends[i - 1];
    return std::string_view(all.bytes).substr(begin, all.ends[i] - begin);
  };
  for (std::size_t i = 0; i < left.ends.size(); ++i)
    if (at(left, i) != at(right, i)) ++found.differing;
}

std::vector<std::string> differing_attributes(const array_description& a, const array_description& b) {
  std::vector<std::string> keys;
  const auto find = [](const array_description& in, const std::string& key) {
    return std::find_if(in.attributes.begin(), in.attributes.end(),
                        [&](const array_attribute& one) { return one.key == key; });
  };
  for (const array_attribute& one : a.attributes) {
    const auto other = find(b, one.key);
    if (other == b.attributes.end() || other->type != one.type || other->dims != one.dims ||
        other->bytes != one.bytes)
      keys.push_back(one.key);
  }
  for (const array_attribute& one : b.attributes)
    if (find(a, one.key) == a.attributes.end()) keys.push_back(one.key);
  return keys;
}

}  // namespace

array_difference compare_arrays(array_source& a, array_source& b, double tolerance) {
  array_difference found;
  const array_description& left = a.what();
  const array_description& right = b.what();
  if (left.type != right.type || left.dims != right.dims) {
    found.is_comparable = false;
    return found;
  }
  if (left.type.is_variable()) {
    compare_variable(a, b, found);
  } else {
    element_comparison comparison(left.type, tolerance, found);
    std::vector<std::byte> first;
    std::vector<std::byte> second;
    for (array_pieces pieces = pieces_of(left); pieces.next_elements() != 0;) {
      const slab part = pieces.next();
      const std::uint64_t count = part.count.elements();
      first.resize(count * left.type.size());
      second.resize(first.size());
      a.read(part, first.data());
      b.read(part, second.data());
      comparison.compare(first.data(), second.data(), count);
    }
  }
  found.attributes = differing_attributes(left, right);
  return found;
}

}  // namespace perdure::formats
