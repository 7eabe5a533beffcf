// Lists the objects in a store.
#include "perdure/inspect/contents.hpp"

#include <algorithm>
#include <map>
#include <perdure/error.hpp>
#include <perdure/type_stamp.hpp>
#include <utility>

namespace perdure::inspect {

std::vector<listed_object> objects_in(const manager& store) {
  std::vector<listed_object> all;
  for (const object_range& range : {store.named_objects(), store.unique_objects()})
    for (const object_info& object : range) all.push_back({object, object_reader(store, object).extent()});
  std::sort(all.begin(), all.end(), [](const listed_object& a, const listed_object& b) {
    return std::pair(a.info.name(), a.info.type_name()) < std::pair(b.info.name(), b.info.type_name());
  });
  return all;
}

std::vector<anonymous_objects> anonymous_objects_in(const manager& store) {
  std::map<std::string_view, anonymous_objects> by_mangled_name;
  for (const object_info& object : store.anonymous_objects()) {
    anonymous_objects& all = by_mangled_name[object.mangled_type_name()];
    if (all.objects++ == 0) all.type = object.type_name();
    all.bytes += object.size();
  }
  std::vector<anonymous_objects> all;
  all.reserve(by_mangled_name.size());
  for (auto& [name, objects] : by_mangled_name) all.push_back(std::move(objects));
  std::sort(all.begin(), all.end(),
            [](const anonymous_objects& a, const anonymous_objects& b) { return a.type < b.type; });
  return all;
}

object_info object_called(const manager& store, std::string_view name) {
  for (const object_info& object : store.named_objects())
    if (object.name() == name) return object;
  std::vector<object_info> found;
  for (const object_info& object : store.unique_objects()) {
    const std::string type = object.type_name();
    if (type == name || object.mangled_type_name() == name) return object;
    if (short_type_name(type) == name) found.push_back(object);
  }
  if (found.size() > 1)
    throw error(errc::invalid_argument, store.path().string() + ": there are " +
                                            std::to_string(found.size()) +
                                            " unique objects of types called \"" + std::string(name) +
                                            "\"; give the whole name of one type, with default arguments");
  if (found.empty())
    throw error(errc::not_found, store.path().string() + ": there is no object named \"" + std::string(name) +
                                     "\", and no unique one of such a type");
  return found.front();
}

}  // namespace perdure::inspect
