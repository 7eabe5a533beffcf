// Mapped files.
#include "perdure/c/pager.h"

#include <memory>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "perdure/pager.hpp"

using namespace perdure::c;
namespace pager = perdure::pager;

static_assert(PERDURE_MAP_PRIVATE_COPY == static_cast<int>(pager::mode::private_copy));
static_assert(PERDURE_MAP_WRITE_BACK == static_cast<int>(pager::mode::write_back));
static_assert(PERDURE_PAGER_UFFD_SIGBUS == static_cast<int>(pager::tier::uffd_sigbus));
static_assert(PERDURE_PAGER_PLAIN == static_cast<int>(pager::tier::plain));
static_assert(PERDURE_PAGER_GUARD == static_cast<int>(pager::tier::guard));
static_assert(PERDURE_ADVICE_RANDOM == static_cast<int>(pager::advice::random));
static_assert(PERDURE_ADVICE_WILL_NEED == static_cast<int>(pager::advice::will_need));
static_assert(PERDURE_ADVICE_DONT_NEED == static_cast<int>(pager::advice::dont_need));

namespace {

pager::options options_for(const perdure_map_options* given) {
  const perdure_map_options wanted = options_from(given, "options");
  if (wanted.reserved != 0) refuse("options->reserved is not 0");
  pager::options options;
  options.budget = wanted.budget;
  options.mode = static_cast<pager::mode>(wanted.mode);
  options.tier = static_cast<pager::tier>(wanted.tier);
  if (wanted.buffered != 0) options.transfer = pager::transfer::buffered;
  options.offset = wanted.offset;
  options.bytes = wanted.bytes;
  if (wanted.spill_directory != nullptr) options.spill_directory = wanted.spill_directory;
  return options;
}

template <class Map>
perdure_status map_file(perdure_mapping** mapping, void** data, size_t* size, Map&& map) noexcept {
  return guarded([&] {
    perdure_mapping*& result = required_result(mapping, "mapping");
    if (data != nullptr) *data = nullptr;
    if (size != nullptr) *size = 0;
    auto made = std::make_unique<perdure_mapping>(perdure_mapping{std::make_shared<pager::region>(map())});
    void* const first = made->region->data();
    const std::size_t bytes = made->region->size();
    result = new_handle(std::move(made));
    if (data != nullptr) *data = first;
    if (size != nullptr) *size = bytes;
  });
}

pager::region& region_of(const perdure_mapping* mapping) {
  return *object_of(mapping).region;
}

}  // namespace

perdure_status perdure_map(const char* path, const perdure_map_options* options, perdure_mapping** mapping,
                           void** data, size_t* size) {
  return map_file(mapping, data, size,
                  [&] { return pager::map(required_text(path, "path"), options_for(options)); });
}

perdure_status perdure_map_descriptor(int descriptor, const perdure_map_options* options,
                                      perdure_mapping** mapping, void** data, size_t* size) {
  return map_file(mapping, data, size, [&] { return pager::map(descriptor, options_for(options)); });
}

perdure_status perdure_unmap(perdure_mapping* mapping) {
  return guarded([&] {
    if (mapping == nullptr) return;
    if (object_of(mapping).region.use_count() != 1)
      throw perdure::error(perdure::errc::in_use, "pages of the mapping are still pinned");
    take_object(mapping);
  });
}

perdure_status perdure_flush(perdure_mapping* mapping) {
  return guarded([&] { region_of(mapping).flush(); });
}

perdure_status perdure_map_prefetch(perdure_mapping* mapping, const perdure_map_range* ranges, size_t count) {
  return guarded([&] {
    std::vector<pager::byte_range> wanted;
    wanted.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const perdure_map_range& range = (&required(ranges, "ranges"))[i];
      wanted.push_back({range.offset, range.bytes});
    }
    region_of(mapping).prefetch(wanted);
  });
}

perdure_status perdure_map_advise(perdure_mapping* mapping, perdure_map_range range, int advice) {
  return guarded([&] {
    if (advice < 0 || advice > PERDURE_ADVICE_DONT_NEED)
      refuse("advice is " + std::to_string(advice) + ", which is none");
    region_of(mapping).advise({range.offset, range.bytes}, static_cast<pager::advice>(advice));
  });
}

perdure_status perdure_map_pin(perdure_mapping* mapping, const void* address, size_t bytes, int for_writing,
                               perdure_pin** pin) {
  return guarded([&] {
    perdure_pin*& result = required_result(pin, "pin");
    const perdure_mapping& from = object_of(mapping);
    auto made = std::make_unique<perdure_pin>();
    made->region = from.region;
    made->pin = from.region->pin(address, bytes,
                                 for_writing != 0 ? pager::pin_for::writing : pager::pin_for::reading);
    result = new_handle(std::move(made));
  });
}

perdure_status perdure_map_unpin(perdure_pin* pin) {
  return free_handle(pin);
}

perdure_status perdure_map_statistics_get(const perdure_mapping* mapping,
                                          perdure_map_statistics* statistics) {
  return guarded([&] {
    const pager::statistics s = region_of(mapping).statistics();
    perdure_map_statistics all{};
    all.faults = s.faults;
    all.loads = s.loads;
    all.read_ahead = s.read_ahead;
    all.first_stores = s.first_stores;
    all.hot_loads = s.hot_loads;
    all.evictions = s.evictions;
    all.evictions_by_touch = s.evictions_by_touch;
    all.rescues = s.rescues;
    all.bytes_read = s.bytes_read;
    all.bytes_written = s.bytes_written;
    all.resident_bytes = s.resident_bytes;
    all.most_resident_bytes = s.most_resident_bytes;
    static_assert(sizeof all.latency == sizeof s.latency);
    std::copy(s.latency.begin(), s.latency.end(), all.latency);
    fill(statistics, all, "statistics");
  });
}

perdure_status perdure_map_tier(const perdure_mapping* mapping, int* tier) {
  return guarded([&] { required(tier, "tier") = static_cast<int>(region_of(mapping).tier()); });
}

perdure_status perdure_map_failure(const perdure_mapping* mapping) {
  return guarded([&] {
    const auto failed = region_of(mapping).failure();
    if (failed) throw perdure::error(failed->code, failed->message);
  });
}
