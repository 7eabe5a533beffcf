// What the pager did in a run, as the programs that use it report it.
#pragma once

#include <nlohmann/json.hpp>
#include <perdure/pager_monitor.hpp>

namespace perdure::bench {

inline nlohmann::json paging_counters(const pager::statistics& counted) {
  nlohmann::json all{{"most_resident_bytes", counted.most_resident_bytes}};
  for (const pager::named_counter& one : pager::event_counters) all[one.name] = counted.*one.value;
  return all;
}

/// Those of a region, and how it works.
inline nlohmann::json paging_counters(const pager::region& region) {
  nlohmann::json all = paging_counters(region.statistics());
  all["tier"] = pager::to_string(region.tier());
  all["direct"] = region.is_direct();
  return all;
}

}  // namespace perdure::bench
