// Chooses the page tracker: the first that passes its self-test.
#include "os/page_tracker.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/environment.hpp"
#include "base/page_size.hpp"
#include "os/file.hpp"
#include "os/mapping.hpp"

namespace perdure::os {

namespace {

// Best first: in the order of the enumerators, and of what the environment's variable may be.
constexpr std::array all_kinds{tracker_kind::uffd, tracker_kind::pagemap, tracker_kind::mprotect};
constexpr std::array<std::string_view, 3> names{"uffd", "pagemap", "mprotect"};
static_assert(base::has_choices("PERDURE_TRACKER", names));

bool covers(const std::vector<byte_range>& ranges, std::uint64_t offset) {
  return std::any_of(ranges.begin(), ranges.end(), [offset](const byte_range& range) {
    return offset >= range.offset && offset < range.offset + range.bytes;
  });
}

// On memory like a segment's, half of it a private file mapping, half anonymous. Reads everything, writes to
// one page of each half, and expects that exactly these are found, twice.
bool self_test(tracker_kind kind) {
  constexpr std::size_t block = std::size_t{256} << 10;
  constexpr std::size_t in_file = std::size_t{64} << 10;
  constexpr std::size_t in_memory = block + (std::size_t{128} << 10);
  constexpr std::size_t untouched_in_file = std::size_t{192} << 10;
  file scratch(::memfd_create("page tracker self-test", MFD_CLOEXEC), "memfd");
  if (!scratch) return false;
  scratch.resize(block);
  reservation range(2 * block, std::size_t{2} << 20);
  map_private(range.base(), block, scratch.descriptor(), 0, access::read_write);
  guarded_range memory(range.base(), range.size());
  const auto tracker = make_page_tracker(kind, memory);
  tracker->open_range(0, 2 * block);

  volatile std::byte* bytes = range.base();
  for (std::size_t i = 0; i < 2 * block; i += page_size) (void)bytes[i];
  bool sound = true;
  for (int round = 0; round < 2 && sound; ++round) {
    bytes[in_file] = std::byte{1};
    bytes[in_memory] = std::byte{1};
    std::vector<byte_range> dirty;
    tracker->collect({0, 2 * block}, dirty);
    sound = covers(dirty, in_file) && covers(dirty, in_memory) && !covers(dirty, untouched_in_file);
    if (tracker->rearms()) {
      dirty.clear();
      tracker->collect({0, 2 * block}, dirty);
      sound = sound && dirty.empty();
    }
  }
  tracker->detach();
  return sound;
}

bool try_self_test(tracker_kind kind) noexcept {
  try {
    return self_test(kind);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::string_view name_of(tracker_kind kind) noexcept {
  return names[static_cast<std::size_t>(kind)];
}

std::optional<tracker_kind> tracker_wanted() {
  const auto choice = base::choice_in("PERDURE_TRACKER");
  if (!choice) return std::nullopt;
  return all_kinds[*choice];
}

bool tracker_works(tracker_kind kind) {
  switch (kind) {
    case tracker_kind::uffd: {
      static const bool works = try_self_test(tracker_kind::uffd);
      return works;
    }
    case tracker_kind::pagemap: {
      static const bool works = try_self_test(tracker_kind::pagemap);
      return works;
    }
    case tracker_kind::mprotect: {
      static const bool works = try_self_test(tracker_kind::mprotect);
      return works;
    }
  }
  return false;
}

tracker_kind choose_tracker(mapped_medium medium) {
  if (medium == mapped_medium::direct_access && tracker_works(tracker_kind::mprotect))
    return tracker_kind::mprotect;
  if (const auto wanted = tracker_wanted(); wanted && tracker_works(*wanted)) return *wanted;
  for (const tracker_kind kind : all_kinds) {
    if (tracker_works(kind)) return kind;
  }
  throw std::system_error(
      ENOTSUP, std::generic_category(),
      "no way to track stores works here: userfaultfd, /proc/self/pagemap and mprotect all failed");
}

std::unique_ptr<page_tracker> make_page_tracker(tracker_kind kind, guarded_range& memory) {
  switch (kind) {
    case tracker_kind::uffd:
      return make_uffd_tracker(memory);
    case tracker_kind::pagemap:
      return make_pagemap_tracker(memory);
    case tracker_kind::mprotect:
      break;
  }
  return make_mprotect_tracker(memory);
}

}  // namespace perdure::os
