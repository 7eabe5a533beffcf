// The exception of a heap that has no block to give, and its message.
#include "heap/allocation_failure.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>

#include "heap/layout.hpp"

namespace perdure::detail {
namespace {

/// Holds its text itself: the store may be closed by the time somebody reads it.
template <class Standard>
class told final : public Standard {
 public:
  template <class... Values>
  explicit told(const char* format, Values... values) noexcept {
    std::snprintf(text_.data(), text_.size(), format, values...);
  }
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 640> text_;
};
using allocation_failure = told<std::bad_alloc>;
using length_failure = told<std::bad_array_new_length>;

/// A number of bytes as a person would say it; allocates nothing.
class in_units {
 public:
  explicit in_units(std::size_t bytes) noexcept {
    constexpr std::array names{"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto number = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; number >= 1024 && unit + 1 < names.size(); number /= 1024) ++unit;
    std::snprintf(text_.data(), text_.size(), "%.4g %s", number, names[unit]);
  }
  const char* text() const noexcept { return text_.data(); }

 private:
  std::array<char, 32> text_;
};

/// The name of the memory's owner, or the end of a long one, which says more than its beginning. Throws a
/// plain `std::bad_alloc` where there is none.
const char* owner_of(const segment& memory) {
  constexpr std::size_t most = 255;
  const std::string& owner = memory.owner();
  if (owner.empty()) throw std::bad_alloc();
  return owner.c_str() + (owner.size() - std::min(owner.size(), most));
}

constexpr const char* way_out =
    "Free something, or give it more capacity (store_options::capacity when a store is made, "
    "store_maintenance::raise_capacity while nobody has it open)";

}  // namespace

void throw_no_allowance(const segment& memory, std::size_t bytes) {
  throw allocation_failure("%s: no room for a block of %s: less than that is left of its capacity of %s. %s",
                           owner_of(memory), in_units(bytes).text(), in_units(memory.limit()).text(),
                           way_out);
}

void throw_no_block(const segment& memory, std::size_t bytes) {
  const char* const owner = owner_of(memory);
  const std::size_t left = memory.capacity() - std::min(memory.size(), memory.capacity());
  if (bytes > left || left < chunk_size)
    throw allocation_failure(
        "%s: no room for a block of %s: of its capacity of %s, %s were never used, and what was freed has no "
        "gap of that size. %s",
        owner, in_units(bytes).text(), in_units(memory.capacity()).text(), in_units(left).text(), way_out);
  throw allocation_failure(
      "%s: the system gives no memory for a block of %s: see how much is free, and what "
      "`ulimit -v`, `ulimit -d`, the control group and vm.overcommit_memory allow",
      owner, in_units(bytes).text());
}

void throw_no_such_alignment(const segment& memory, std::size_t alignment) {
  throw allocation_failure(
      "%s: blocks cannot be aligned to %zu bytes: an alignment is a power of two, up to %zu",
      owner_of(memory), alignment, chunk_size);
}

void throw_no_such_length(const segment& memory, std::size_t elements, std::size_t element_bytes) {
  if (memory.owner().empty()) throw std::bad_array_new_length();
  throw length_failure(
      "%s: no room for %zu elements of %s: no memory has so many bytes, and this store's "
      "capacity is %s. See where that number comes from",
      owner_of(memory), elements, in_units(element_bytes).text(), in_units(memory.limit()).text());
}

}  // namespace perdure::detail
