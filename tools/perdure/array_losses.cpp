// Names losses by the array or group that they concern.
#include "array_losses.hpp"

#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <string>

#include "complaint.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

std::string subject_of(const formats::loss& one) {
  if (one.array.empty()) return "the array";
  if (one.array == formats::group_attributes_name) return "the file";
  if (one.array.ends_with('/' + std::string(formats::group_attributes_name)))
    return "the group " + printable_name(std::string(formats::group_of_attributes(one.array)));
  return printable_name(one.array);
}

}  // namespace

void array_losses::add(const formats::loss& one) {
  const std::string line = file_.string() + ": " + subject_of(one) + ' ' + printable_name(one.what);
  if (is_strict_) throw error(errc::unsupported, line + " (an error because of --strict)");
  all_.push_back({{"array", one.array}, {"what", one.what}});
  if (all_.size() <= most_printed) remark("perdure", line);
}

void array_losses::finish() const {
  if (all_.size() > most_printed)
    remark("perdure", file_.string() + ": and " + std::to_string(all_.size() - most_printed) +
                          " more losses; --json lists all");
}

void add_strict_option(command target, bool& is_strict) {
  target.add_flag("--strict", is_strict, "Fail if anything is lost, instead of naming it on standard error");
}

}  // namespace perdure::cli
