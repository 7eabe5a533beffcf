// perdure array diff A[:ID] B[:ID]: which arrays differ, and by how much.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <perdure/array/array_pieces.hpp>
#include <perdure/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "array_options.hpp"
#include "command.hpp"
#include "formats/numbers.hpp"
#include "stored_arrays.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct array_difference {
  std::string id;
  const char* what = "same";  ///< changed, removed, added
  std::string why = {};       ///< of what is told without elements: types or shapes
  std::uint64_t elements = 0;
  std::uint64_t differing = 0;
  std::optional<double> largest = {};  ///< of numbers
  std::vector<std::string> attributes = {};

  bool is_same() const noexcept { return std::strcmp(what, "same") == 0; }
};

/// Elements of two arrays of one type and shape.
class element_comparison {
 public:
  element_comparison(const data_type& type, double tolerance, array_difference& found)
      : type_(type), tolerance_(tolerance), found_(found), numbers_(formats::numbers_in(type)) {}

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
    for (const formats::number_place& one : numbers_.places) {
      const double left = formats::number_at(one, a);
      const double right = formats::number_at(one, b);
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
  formats::numbers_of_element numbers_;
};

void compare_variable(formats::array_input& a, formats::array_input& b, array_difference& found) {
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

std::vector<std::string> differing_attributes(const formats::array_description& a,
                                              const formats::array_description& b) {
  std::vector<std::string> keys;
  const auto find = [](const formats::array_description& in, const std::string& key) {
    return std::find_if(in.attributes.begin(), in.attributes.end(),
                        [&](const formats::array_attribute& one) { return one.key == key; });
  };
  for (const formats::array_attribute& one : a.attributes) {
    const auto other = find(b, one.key);
    if (other == b.attributes.end() || other->type != one.type || other->dims != one.dims ||
        other->bytes != one.bytes)
      keys.push_back(one.key);
  }
  for (const formats::array_attribute& one : b.attributes)
    if (find(a, one.key) == a.attributes.end()) keys.push_back(one.key);
  return keys;
}

array_difference compare_arrays(std::string id, formats::array_input& a, formats::array_input& b,
                                double tolerance) {
  array_difference found{std::move(id)};
  const formats::array_description& left = a.what();
  const formats::array_description& right = b.what();
  if (left.type != right.type || left.dims != right.dims) {
    found.what = "changed";
    found.why =
        dtype_of(left.type) + ' ' + left.dims.text() + ", " + dtype_of(right.type) + ' ' + right.dims.text();
    return found;
  }
  if (left.type.is_variable()) {
    compare_variable(a, b, found);
  } else {
    element_comparison comparison(left.type, tolerance, found);
    std::vector<std::byte> first;
    std::vector<std::byte> second;
    array_pieces pieces(left.dims, formats::elements_in_piece(left.type.size()),
                        left.chunk.empty() ? 1 : left.chunk[0]);
    while (pieces.next_elements() != 0) {
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
  if (found.differing != 0 || !found.attributes.empty()) found.what = "changed";
  return found;
}

/// One side of the comparison.
struct compared_side {
  explicit compared_side(const std::string& text) : place(parse_array_place(text)), store(place.store) {
    part = take_part(place.id, [&](const std::string& id) { return store.core().find(id).has_value(); });
    is_one = !place.id.empty() && store.core().find(place.id).has_value();
    ids = is_one || !part.is_whole() ? std::vector{place.id} : store.named(place.id);
  }
  std::unique_ptr<formats::array_input> open(const std::string& id) const {
    return open_stored_array(store, id, part, id);
  }

  array_place place;
  arrays_to_read store;
  array_part part;
  bool is_one = false;
  std::vector<std::string> ids;  // sorted
};

std::vector<array_difference> differences_between(const compared_side& a, const compared_side& b,
                                                  double tolerance) {
  std::vector<array_difference> all;
  if (a.is_one && b.is_one) {
    const auto left = a.open(a.place.id);
    const auto right = b.open(b.place.id);
    all.push_back(compare_arrays(a.place.id, *left, *right, tolerance));
    return all;
  }
  for (const std::string& id : a.ids) {
    if (!std::binary_search(b.ids.begin(), b.ids.end(), id)) {
      all.push_back({id, "removed"});
      continue;
    }
    const auto left = a.open(id);
    const auto right = b.open(id);
    all.push_back(compare_arrays(id, *left, *right, tolerance));
  }
  for (const std::string& id : b.ids)
    if (!std::binary_search(a.ids.begin(), a.ids.end(), id)) all.push_back({id, "added"});
  return all;
}

std::string text_of_number(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

void show_array_differences(const std::string& first, const std::string& second, double tolerance,
                            bool as_json) {
  const compared_side a(first);
  const compared_side b(second);
  const std::vector<array_difference> all = differences_between(a, b, tolerance);
  bool any = false;
  json rows = json::array();
  output out = output::standard();
  std::uint64_t same = 0;
  for (const array_difference& one : all) {
    if (one.is_same()) {
      ++same;
      continue;
    }
    any = true;
    json row{{"id", one.id}, {"what", one.what}, {"elements", one.elements}, {"differing", one.differing}};
    if (one.largest)
      row["largest_difference"] = std::isfinite(*one.largest) ? json(*one.largest) : json("inf");
    if (!one.why.empty()) row["types"] = one.why;
    if (!one.attributes.empty()) row["attributes"] = one.attributes;
    rows.push_back(std::move(row));
    if (as_json) continue;
    std::string line = one.what;
    line.resize(9, ' ');
    line += printable_name(one.id);
    if (!one.why.empty()) line += "  " + printable_name(one.why);
    if (one.differing != 0)
      line += "  " + grouped(one.differing) + " of " + counted(one.elements, "element", "elements") +
              (one.differing == 1 ? " differs" : " differ");
    if (one.largest && one.differing != 0) line += ", by up to " + text_of_number(*one.largest);
    for (const std::string& key : one.attributes) line += "  attribute " + printable_name(key);
    out.write(line + '\n');
  }
  if (as_json) {
    print({{"stores", {a.place.store.string(), b.place.store.string()}},
           {"same", same},
           {"arrays", std::move(rows)}});
  } else {
    out.write(counted(same, "array is", "arrays are") + " the same\n");
    out.finish();
  }
  if (any) throw negative_result();
}

}  // namespace

void add_array_diff_command(command array) {
  struct options {
    std::string first;
    std::string second;
    std::string tolerance;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command diff = array.add_command("diff", "Tell which arrays of two stores differ, and by how much");
  diff.add_text("A", given->first, "A store, STORE:ID, or a part as in STORE:T[0:10]").required();
  diff.add_text("B", given->second, "What it is compared with").required();
  diff.add_text("--tolerance", given->tolerance, "Numbers that differ by no more are the same");
  add_json_option(diff, given->as_json);
  diff.footer("Exit codes: 0 the same, 1 different. NaN is the same as NaN.");
  diff.callback([given] {
    double tolerance = 0;
    const std::string& text = given->tolerance;
    if (!text.empty()) {
      const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), tolerance);
      if (problem != std::errc{} || stop != text.data() + text.size() || !(tolerance >= 0))
        throw usage_error("--tolerance takes a number, not \"" + text + '"');
    }
    show_array_differences(given->first, given->second, tolerance, given->as_json);
  });
}

}  // namespace perdure::cli
