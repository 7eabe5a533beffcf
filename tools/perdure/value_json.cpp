// Turns stored values into JSON.
#include "value_json.hpp"

#include <array>
#include <charconv>
#include <string>
#include <variant>

#include "type_names.hpp"

namespace perdure::cli {
namespace {

using inspect::value;

struct to_json_value {
  json operator()(const value::nothing&) const { return nullptr; }
  json operator()(bool flag) const { return flag; }
  json operator()(std::int64_t number) const { return number; }
  json operator()(std::uint64_t number) const { return number; }
  json operator()(double number) const { return number; }
  /// The shortest digits that mean this number.
  json operator()(float number) const {
    std::array<char, 64> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    double same = 0;
    std::from_chars(digits.data(), written.ptr, same);
    return same;
  }
  json operator()(const value::text& text) const {
    return text.more == 0 ? text.characters : text.characters + "…";
  }
  json operator()(const value::list& list) const {
    json all = json::array();
    for (const value& one : list.elements) all.push_back(to_json(one));
    if (list.more != 0) all.push_back({{"more", list.more}});
    return all;
  }
  json operator()(const value::record& record) const {
    json members = json::object();
    for (const auto& [name, member] : record.fields) members[name] = to_json(member);
    return members;
  }
  json operator()(const value::opaque& opaque) const {
    json summary{{"bytes", opaque.bytes}, {"type", printable_name(opaque.type)}};
    if (opaque.elements) summary["elements"] = *opaque.elements;
    return summary;
  }
  json operator()(const value::damaged&) const { return {{"damaged", true}}; }
  json operator()(const value::left_out&) const { return {{"more", 1}}; }
};

}  // namespace

json to_json(const value& one) {
  return std::visit(to_json_value(), one.held);
}

}  // namespace perdure::cli
