// Memory tiering.
#include "perdure/c/tiered_kind.h"

#include <algorithm>
#include <vector>

#include "c/boundary.hpp"
#include "c/kinds.hpp"
#include "perdure/tiered_kind.hpp"

using namespace perdure::c;

static_assert(PERDURE_TIERING_SIZE_THRESHOLD == static_cast<int>(perdure::tiering::size_threshold));

namespace {

perdure::tiering_options options_for(const perdure_tiering_options& wanted) {
  perdure::tiering_options options;
  if (wanted.check_interval != 0) options.check_interval = wanted.check_interval;
  if (wanted.tolerance != 0) options.tolerance = wanted.tolerance;
  if (wanted.degree != 0) options.degree = wanted.degree;
  options.fall_back = wanted.no_fall_back == 0;
  if (wanted.reserved != 0) refuse("tiering->reserved is not 0");
  for (std::size_t i = 0; i < wanted.threshold_count; ++i) {
    const perdure_size_threshold& given = (&required(wanted.thresholds, "tiering->thresholds"))[i];
    options.thresholds.push_back({given.initial, given.least, given.most});
  }
  return options;
}

template <class Number>
void copy_out(const std::vector<Number>& from, Number* to, std::size_t count) {
  if (from.empty()) return;
  required(to, "the array");
  if (count < from.size()) refuse("there are " + std::to_string(from.size()) + " values");
  std::copy(from.begin(), from.end(), to);
}

}  // namespace

perdure_status perdure_kind_create_tiered(const perdure_memory_tier* tiers, size_t count,
                                          const perdure_tiering_options* tiering,
                                          const perdure_kind_options* options, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    const perdure_tiering_options wanted = options_from(tiering, "tiering");
    if (wanted.tiering < 0 || wanted.tiering > PERDURE_TIERING_SIZE_THRESHOLD)
      refuse("tiering->tiering is " + std::to_string(wanted.tiering) + ", which is none");
    std::vector<perdure::memory_tier_share> shares;
    for (std::size_t i = 0; i < count; ++i) {
      const perdure_memory_tier& given = (&required(tiers, "tiers"))[i];
      shares.push_back({&kind_of(given.kind), given.share});
    }
    result = handle_of(perdure::create_tiered(shares, static_cast<perdure::tiering>(wanted.tiering),
                                              options_for(wanted), kind_options_from(options))
                           .release());
  });
}

perdure_status perdure_kind_tier_bytes(const perdure_kind* kind, uint64_t* bytes, size_t count) {
  return guarded([&] { copy_out(perdure::bytes_of_tiers(kind_of(kind)), bytes, count); });
}

perdure_status perdure_kind_tier_thresholds(const perdure_kind* kind, size_t* thresholds, size_t count) {
  return guarded([&] { copy_out(perdure::thresholds_of_tiers(kind_of(kind)), thresholds, count); });
}
