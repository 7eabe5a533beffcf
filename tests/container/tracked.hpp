// Elements that watch over containers: they count themselves, notice being used dead, and throw on demand.
#pragma once

#include <gtest/gtest.h>

#include <compare>
#include <cstdint>
#include <perdure/hash.hpp>
#include <set>
#include <stdexcept>

namespace perdure::test {

struct construction_failed : std::runtime_error {
  construction_failed() : std::runtime_error("construction failed, as asked for") {}
};

/// Counts of all tracked elements. Their addresses are kept, so that relocation by bytes (which these types
/// do not allow) or a missed destructor shows.
class census {
 public:
  static census& of_tracked() {
    static census instance;
    return instance;
  }
  void born(const void* p) {
    if (!alive_.insert(p).second) ADD_FAILURE() << "constructed over a living element";
  }
  void dead(const void* p) {
    if (alive_.erase(p) == 0) ADD_FAILURE() << "destroyed what was not alive";
  }
  void check(const void* p) const {
    if (!alive_.contains(p)) ADD_FAILURE() << "used a dead element";
  }
  std::size_t alive() const { return alive_.size(); }

  /// The `n`-th step from now that may throw does (1 is the next).
  void throw_at(std::uint64_t n) { countdown_ = n; }
  void never_throw() { countdown_ = 0; }
  void step() {
    if (countdown_ != 0 && --countdown_ == 0) throw construction_failed();
  }

 private:
  std::set<const void*> alive_;
  std::uint64_t countdown_ = 0;
};

enum class moves { nothrow, may_throw };

/// Copyable element; its constructors and assignments are the steps that may throw.
template <moves Moves>
class tracked {
  static constexpr bool nothrow_move = Moves == moves::nothrow;

 public:
  tracked() : tracked(0) {}
  tracked(int value) : value_(value) {
    census::of_tracked().step();
    census::of_tracked().born(this);
  }
  tracked(const tracked& other) : value_(other.value()) {
    census::of_tracked().step();
    census::of_tracked().born(this);
  }
  tracked(tracked&& other) noexcept(nothrow_move) : value_(other.value()) {
    if constexpr (!nothrow_move) census::of_tracked().step();
    census::of_tracked().born(this);
    other.value_ = moved_from;
  }
  tracked& operator=(const tracked& other) {
    census::of_tracked().check(this);
    const int value = other.value();
    census::of_tracked().step();
    value_ = value;
    return *this;
  }
  tracked& operator=(tracked&& other) noexcept(nothrow_move) {
    census::of_tracked().check(this);
    const int value = other.value();
    if constexpr (!nothrow_move) census::of_tracked().step();
    if (this != &other) other.value_ = moved_from;
    value_ = value;
    return *this;
  }
  ~tracked() { census::of_tracked().dead(this); }

  int value() const {
    census::of_tracked().check(this);
    return value_;
  }
  friend bool operator==(const tracked& a, const tracked& b) { return a.value() == b.value(); }
  friend std::strong_ordering operator<=>(const tracked& a, const tracked& b) {
    return a.value() <=> b.value();
  }
  friend std::uint64_t hash_value(const tracked& t) noexcept { return static_cast<std::uint64_t>(t.value()); }
  friend void PrintTo(const tracked& t, std::ostream* out) { *out << t.value_; }

  static constexpr int moved_from = -1;

 private:
  int value_;
};

/// Whether the operation fails where a tracked element's `point`-th step from now on throws.
template <class Operation>
bool fails_at(std::uint64_t point, Operation&& operation) {
  census& counts = census::of_tracked();
  counts.throw_at(point);
  bool failed = false;
  try {
    operation();
  } catch (const construction_failed&) {
    failed = true;
  }
  counts.never_throw();
  return failed;
}

/// As above, but cannot be copied.
class tracked_move_only : public tracked<moves::nothrow> {
 public:
  using tracked::tracked;
  tracked_move_only(const tracked_move_only&) = delete;
  tracked_move_only(tracked_move_only&&) noexcept = default;
  tracked_move_only& operator=(const tracked_move_only&) = delete;
  tracked_move_only& operator=(tracked_move_only&&) noexcept = default;
};

struct alignas(64) over_aligned {
  over_aligned(int v = 0) : value(v) {  // NOLINT: converting on purpose
    if (reinterpret_cast<std::uintptr_t>(this) % 64 != 0) ADD_FAILURE() << "misaligned element";
  }
  over_aligned(const over_aligned& other) : over_aligned(other.value) {}
  over_aligned& operator=(const over_aligned&) = default;
  int value;
  friend bool operator==(const over_aligned& a, const over_aligned& b) { return a.value == b.value; }
  friend auto operator<=>(const over_aligned& a, const over_aligned& b) { return a.value <=> b.value; }
  friend std::uint64_t hash_value(const over_aligned& t) noexcept {
    return static_cast<std::uint64_t>(t.value);
  }
};

}  // namespace perdure::test
