// perdure array diff A[:ID] B[:ID]: which arrays differ, and by how much.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <string>
#include <utility>
#include <vector>

#include "array_options.hpp"
#include "command.hpp"
#include "stored_arrays.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct compared_array {
  std::string id;
  const char* what = "same";  ///< changed, removed, added
  std::string why = {};       ///< reason of a difference that needs no elements: types or shapes
  formats::array_difference found = {};

  bool is_same() const noexcept { return std::strcmp(what, "same") == 0; }
};

compared_array compare(std::string id, formats::array_source& a, formats::array_source& b, double tolerance) {
  compared_array result{std::move(id)};
  result.found = formats::compare_arrays(a, b, tolerance);
  if (!result.found.is_same()) result.what = "changed";
  if (!result.found.is_comparable)
    result.why = dtype_of(a.what().type) + ' ' + a.what().dims.text() + ", " + dtype_of(b.what().type) + ' ' +
                 b.what().dims.text();
  return result;
}

/// One side of the comparison.
struct compared_side {
  explicit compared_side(const std::string& text) : place(parse_array_place(text)), store(place.store) {
    part = take_part(place.id, store.core());
    is_one = !place.id.empty() && store.core().find(place.id).has_value();
    ids = is_one || !part.is_whole() ? std::vector{place.id} : store.named(place.id);
  }
  std::unique_ptr<formats::array_source> open(const std::string& id) const {
    return formats::source_of(store.arrays(), id, part, id);
  }

  array_place place;
  arrays_to_read store;
  formats::array_selection part;
  bool is_one = false;
  std::vector<std::string> ids;  // sorted
};

std::vector<compared_array> differences_between(const compared_side& a, const compared_side& b,
                                                double tolerance) {
  std::vector<compared_array> all;
  if (a.is_one && b.is_one) {
    const auto left = a.open(a.place.id);
    const auto right = b.open(b.place.id);
    all.push_back(compare(a.place.id, *left, *right, tolerance));
    return all;
  }
  for (const std::string& id : a.ids) {
    if (!std::binary_search(b.ids.begin(), b.ids.end(), id)) {
      all.push_back({id, "removed"});
      continue;
    }
    const auto left = a.open(id);
    const auto right = b.open(id);
    all.push_back(compare(id, *left, *right, tolerance));
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
  const std::vector<compared_array> all = differences_between(a, b, tolerance);
  bool any = false;
  json rows = json::array();
  output out = output::standard();
  std::uint64_t same = 0;
  for (const compared_array& one : all) {
    if (one.is_same()) {
      ++same;
      continue;
    }
    any = true;
    json row{{"id", one.id},
             {"what", one.what},
             {"elements", one.found.elements},
             {"differing", one.found.differing}};
    if (one.found.largest)
      row["largest_difference"] = std::isfinite(*one.found.largest) ? json(*one.found.largest) : json("inf");
    if (!one.why.empty()) row["types"] = one.why;
    if (!one.found.attributes.empty()) row["attributes"] = one.found.attributes;
    rows.push_back(std::move(row));
    if (as_json) continue;
    std::string line = one.what;
    line.resize(9, ' ');
    line += printable_name(one.id);
    if (!one.why.empty()) line += "  " + printable_name(one.why);
    if (one.found.differing != 0)
      line += "  " + grouped(one.found.differing) + " of " +
              counted(one.found.elements, "element", "elements") +
              (one.found.differing == 1 ? " differs" : " differ");
    if (one.found.largest && one.found.differing != 0)
      line += ", by up to " + text_of_number(*one.found.largest);
    for (const std::string& key : one.found.attributes) line += "  attribute " + printable_name(key);
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
  add_wait_option(diff);
  add_json_option(diff, given->as_json);
  diff.footer("Exit codes: 0 the same, 1 different. NaN is the same as NaN.");
  diff.example("a.store b.store --tolerance 1e-9", "Compare all arrays of two stores");
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
