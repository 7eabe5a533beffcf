// Compares two states of a store.
#include "perdure/inspect/differences.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/inspect/object_reader.hpp>
#include <string>
#include <utility>

namespace perdure::inspect {
namespace {

constexpr std::size_t page_size = 4096;

/// The bytes of a store, and its objects by kind and name, type or place.
class state_of_store {
 public:
  using key = std::pair<instance_kind, std::string>;

  explicit state_of_store(const manager& store)
      : store_(store), base_(store.memory().base()), bytes_(store.memory().stats().segment_bytes) {
    for (const object_range& range :
         {store.named_objects(), store.unique_objects(), store.anonymous_objects()})
      for (const object_info& one : range) objects_.emplace(key_of(one), one);
  }

  const manager& store() const noexcept { return store_; }
  const std::map<key, object_info>& objects() const noexcept { return objects_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  const std::byte* at(std::uint64_t offset) const noexcept { return base_ + offset; }
  bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return offset <= bytes_ && bytes <= bytes_ - offset;
  }

 private:
  static key key_of(const object_info& object) {
    switch (object.kind()) {
      case instance_kind::named:
        return {object.kind(), std::string(object.name())};
      case instance_kind::unique:
        return {object.kind(), std::string(object.mangled_type_name())};
      case instance_kind::anonymous:
        break;
    }
    return {object.kind(), std::to_string(object.offset())};
  }

  const manager& store_;
  const std::byte* base_;
  std::uint64_t bytes_;
  std::map<key, object_info> objects_;
};

/// Returns how an object differs whose memory has not the same bytes in the same places; nothing where it
/// has. `unsure` where what belongs to it is not known whole.
std::optional<difference> compared(const state_of_store& before, const object_info& was,
                                   const state_of_store& after, const object_info& is) {
  if (was.offset() != is.offset() || was.length() != is.length() || was.element_size() != is.element_size() ||
      was.mangled_type_name() != is.mangled_type_name() || was.layout() != is.layout() ||
      was.attributes() != is.attributes())
    return difference::changed;
  bool agree = true;
  const object_extent extent =
      object_reader(before.store(), was).each_block([&](std::uint64_t offset, std::uint64_t bytes) {
        agree = agree && before.holds(offset, bytes) && after.holds(offset, bytes) &&
                std::memcmp(before.at(offset), after.at(offset), bytes) == 0;
      });
  if (!agree) return difference::changed;
  if (!extent.is_all || extent.is_damaged) return difference::unsure;
  return std::nullopt;
}

/// Counts the pages that differ. What is behind the end of a state is as zeros.
std::uint64_t count_different_pages(const state_of_store& a, const state_of_store& b,
                                    const std::function<void(std::uint64_t)>& progress) {
  static constexpr std::array<std::byte, page_size> zeros{};
  const std::uint64_t end = std::max(a.bytes(), b.bytes());
  std::uint64_t different = 0;
  for (std::uint64_t at = 0; at < end; at += page_size) {
    const std::byte* const left = a.holds(at, page_size) ? a.at(at) : zeros.data();
    const std::byte* const right = b.holds(at, page_size) ? b.at(at) : zeros.data();
    different += std::memcmp(left, right, page_size) != 0 ? 1U : 0U;
    if (progress) progress(at + page_size);
  }
  return different;
}

}  // namespace

const char* to_string(difference what) noexcept {
  switch (what) {
    case difference::unsure:
      return "unsure";
    case difference::changed:
      return "changed";
    case difference::removed:
      return "removed";
    case difference::added:
      break;
  }
  return "added";
}

store_differences differences_between(const manager& before, const manager& after,
                                      const std::function<void(std::uint64_t)>& progress) {
  if (before.store().info().uuid != after.store().info().uuid)
    throw error(
        errc::incompatible,
        before.path().string() + " and " + after.path().string() +
            " are no copies of one store (their UUIDs differ), so their pages have nothing to do with "
            "each other; compare a store with a copy or a kept checkpoint of it, or list both");
  const state_of_store earlier(before);
  const state_of_store later(after);
  store_differences all;
  all.pages = std::max(earlier.bytes(), later.bytes()) / page_size;
  all.different_pages = count_different_pages(earlier, later, progress);
  for (const auto& [key, was] : earlier.objects()) {
    const auto is = later.objects().find(key);
    if (is == later.objects().end()) {
      all.objects.push_back({difference::removed, was});
      continue;
    }
    const auto what = compared(earlier, was, later, is->second);
    if (!what || (what == difference::unsure && all.different_pages == 0)) {
      ++all.same_objects;
    } else {
      all.objects.push_back({*what, is->second});
    }
  }
  for (const auto& [key, is] : later.objects())
    if (!earlier.objects().contains(key)) all.objects.push_back({difference::added, is});
  return all;
}

}  // namespace perdure::inspect
