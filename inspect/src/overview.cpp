// Gathers what a store contains.
#include "perdure/inspect/overview.hpp"

#include <algorithm>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>

namespace perdure::inspect {
namespace {

void find_objects(store_overview& found, const manager& store, std::size_t most) {
  found.objects = objects_in(store);
  std::stable_sort(
      found.objects.begin(), found.objects.end(),
      [](const listed_object& a, const listed_object& b) { return a.extent.bytes > b.extent.bytes; });
  while (found.objects.size() > most) {
    ++found.other_objects;
    found.other_object_bytes += found.objects.back().extent.bytes;
    found.objects.pop_back();
  }
  found.anonymous = anonymous_objects_in(store);
  std::stable_sort(found.anonymous.begin(), found.anonymous.end(),
                   [](const anonymous_objects& a, const anonymous_objects& b) { return a.bytes > b.bytes; });
  while (found.anonymous.size() > most) {
    found.other_anonymous += found.anonymous.back().objects;
    found.other_anonymous_bytes += found.anonymous.back().bytes;
    found.anonymous.pop_back();
  }
}

array_overview overview_of_array(const untyped_arrays& arrays, array_info info,
                                 const summary_options& options) {
  array_overview found;
  found.info = std::move(info);
  try {
    for (const std::string& key : arrays.attributes(found.info.id))
      if (auto value = arrays.attribute(found.info.id, key))
        found.attributes.emplace_back(key, std::move(*value));
    found.summary = summary_of(arrays, found.info, options);
  } catch (const error& failure) {
    found.problem = failure.what();
  }
  return found;
}

}  // namespace

store_overview overview_of(const manager& store, const overview_options& options) {
  store_overview found;
  const auto part = [&](std::string_view name, const auto& find) {
    if (options.progress) options.progress(name, 0, 0);
    try {
      find();
    } catch (const error& failure) {
      found.problems.push_back("the " + std::string(name) + " could not be read: " + failure.what());
    }
  };
  part("heap", [&] {
    found.heap = store.memory().stats();
    found.occupancy = occupancy_of(store.memory(), options.most_stretches);
  });
  part("objects", [&] { find_objects(found, store, options.most_rows); });
  if (!options.reads_arrays) return found;
  part("arrays", [&] {
    // The store is not const: what is in it may be, as the arrays of a store that is open for reading are.
    const array_store opened(const_cast<manager&>(store));
    static_cast<arrays_overview&>(found) = overview_of(*opened.untyped(), options);
  });
  return found;
}

arrays_overview overview_of(const untyped_arrays& arrays, const overview_options& options) {
  arrays_overview found;
  std::vector<array_info> infos;
  for (const std::string& id : arrays.list({})) infos.push_back(arrays.info(id));
  std::stable_sort(infos.begin(), infos.end(),
                   [](const array_info& a, const array_info& b) { return a.stored_bytes > b.stored_bytes; });
  while (infos.size() > options.most_rows) {
    ++found.other_arrays;
    found.other_array_bytes += infos.back().stored_bytes;
    infos.pop_back();
  }
  for (array_info& one : infos) {
    if (options.progress) options.progress("arrays", found.arrays.size(), infos.size());
    found.arrays.push_back(overview_of_array(arrays, std::move(one), options.summaries));
  }
  return found;
}

}  // namespace perdure::inspect
