// The backing of kinds: commits memory granule by granule, as a policy says.
#include "segment/policy_segment.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <perdure/error.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/owner_process.hpp"
#include "os/mapping.hpp"
#include "segment/growth.hpp"

namespace perdure::detail {

namespace {

// The state of each granule. Where the heap's bookkeeping has granules of its own it lies in ordinary memory:
// it must not take pages that are scarce, nor be lost with a file.
enum class granule_state : std::uint8_t { absent = 0, bookkeeping = 1, data = 2 };

os::reservation reserve(memory_policy& policy, std::size_t capacity) {
  void* const hint = policy.address_hint(capacity);
  if (hint != nullptr && reinterpret_cast<std::uintptr_t>(hint) % segment_alignment == 0) {
    try {
      return os::reservation(hint, capacity);
    } catch (const std::system_error&) {  // the place is taken: any other will do
    }
  }
  return os::reservation(capacity, segment_alignment);
}

class segment_of_policy final : public policy_segment {
 public:
  segment_of_policy(memory_policy& policy, std::size_t capacity)
      : policy_(policy),
        granule_(policy.granularity()),
        granule_shift_(static_cast<unsigned>(std::countr_zero(granule_))),
        zone_shift_(static_cast<unsigned>(std::countr_zero(segment_alignment)) - granule_shift_),
        per_zone_(std::size_t{1} << zone_shift_),
        memory_(reserve(policy, capacity)),
        is_private_(policy.is_private()) {
    base_ = memory_.base();
    capacity_ = memory_.size();
    commits_on_use_ = true;
    states_.resize(capacity_ / segment_alignment);
  }

  std::size_t committed() const noexcept override { return committed_.load(std::memory_order_relaxed); }

  possession held() const noexcept override {
    return is_private_ || owner_.is_here() ? possession::own : possession::parents;
  }

  void grow(std::size_t bytes) override {
    if (bytes <= size()) return;
    if (bytes > capacity_) throw std::bad_alloc();
    const std::size_t wanted = round_up(bytes, size_step);
    std::size_t known = size();
    while (known < wanted && !size_.compare_exchange_weak(known, wanted, std::memory_order_release)) {
    }
  }

  void commit(page_run pages, page_role role) override {
    const std::size_t begin = pages.first * page_size >> granule_shift_;
    const std::size_t end = ((pages.first + pages.count) * page_size + granule_ - 1) >> granule_shift_;
    if (is_data(begin, end)) return;  // as it is for nearly all blocks
    make_states(begin, end);
    const bool apart = role == page_role::bookkeeping && (pages.first * page_size) % granule_ == 0 &&
                       ((pages.first + pages.count) * page_size) % granule_ == 0;
    for (std::size_t g = begin; g < end;) {
      const granule_state state = state_of(g);
      if (state == granule_state::data || (apart && state == granule_state::bookkeeping)) {
        ++g;
        continue;
      }
      std::size_t stop = g + 1;
      while (stop < end && state_of(stop) == state) ++stop;
      if (apart)
        open_bookkeeping(g, stop);
      else
        stop = open_data(g, stop);
      g = stop;
    }
  }

  void discard(page_run pages) override {
    const std::size_t begin = (pages.first * page_size + granule_ - 1) >> granule_shift_;
    const std::size_t end = (pages.first + pages.count) * page_size >> granule_shift_;
    if (begin < end) give_back(begin, end);
  }

 private:
  granule_state state_of(std::size_t granule) const noexcept {
    const auto& zone = states_[granule >> zone_shift_];
    return zone == nullptr ? granule_state::absent : zone[granule & (per_zone_ - 1)];
  }
  bool is_data(std::size_t first, std::size_t end) const noexcept {
    while (first < end && state_of(first) == granule_state::data) ++first;
    return first == end;
  }
  /// Makes room for the states of [first, end), and of all other granules in their zones.
  void make_states(std::size_t first, std::size_t end) {
    for (std::size_t r = first / per_zone_; r * per_zone_ < end; ++r)
      if (states_[r] == nullptr) states_[r] = std::make_unique<granule_state[]>(per_zone_);
  }
  void set_states(std::size_t first, std::size_t end, granule_state state) noexcept {
    for (std::size_t g = first; g < end; ++g) states_[g / per_zone_][g % per_zone_] = state;
  }

  void open_bookkeeping(std::size_t first, std::size_t end) {
    try {
      os::protect(base_ + first * granule_, (end - first) * granule_, os::access::read_write);
    } catch (const std::system_error&) {
      throw std::bad_alloc();
    }
    // Bookkeeping is touched here and there: with huge pages an empty kind would take megabytes.
    os::prefer_small_pages(base_ + first * granule_, (end - first) * granule_);
    set_states(first, end, granule_state::bookkeeping);
  }

  /// Commits [first, end), or more, as far as the policy likes and no granule is committed yet. Returns where
  /// that ends.
  std::size_t open_data(std::size_t first, std::size_t end) {
    const std::size_t missing = (end - first) * granule_;
    const std::size_t step = std::max(policy_.step(missing, committed()), missing);
    const std::size_t most = std::max(end, (first / per_zone_ + 1) * per_zone_);
    std::size_t wanted = end;
    while (wanted < most && (wanted - first) * granule_ < step && state_of(wanted) == granule_state::absent)
      ++wanted;
    if (wanted > end) {
      try {
        open_exactly(first, wanted);
        return wanted;
      } catch (const std::bad_alloc&) {  // perhaps there is enough memory for what is needed
      }
    }
    open_exactly(first, end);
    return end;
  }

  void open_exactly(std::size_t first, std::size_t end) {
    const std::size_t bytes = (end - first) * granule_;
    try {
      policy_.commit(base_ + first * granule_, bytes, first * granule_);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      throw std::bad_alloc();
    }
    set_states(first, end, granule_state::data);
    committed_.fetch_add(bytes, std::memory_order_relaxed);
  }

  void give_back(std::size_t begin, std::size_t end) noexcept {
    for (std::size_t g = begin; g < end;) {
      const granule_state state = state_of(g);
      std::size_t stop = g + 1;
      while (stop < end && state_of(stop) == state) ++stop;
      std::byte* const address = base_ + g * granule_;
      const std::size_t bytes = (stop - g) * granule_;
      if (state == granule_state::bookkeeping) {
        os::drop_pages(address, bytes);
      } else if (state == granule_state::data && policy_.decommit(address, bytes, g * granule_)) {
        set_states(g, stop, granule_state::absent);
        committed_.fetch_sub(bytes, std::memory_order_relaxed);
      }
      g = stop;
    }
  }

  memory_policy& policy_;
  const std::size_t granule_;
  const unsigned granule_shift_;
  const unsigned zone_shift_;  // from granules
  const std::size_t per_zone_;
  os::reservation memory_;
  const bool is_private_;
  const base::owner_process owner_;
  // The states, by zone of 1 GiB; null where nothing was ever committed.
  std::vector<std::unique_ptr<granule_state[]>> states_;
  std::atomic<std::size_t> committed_{0};
};

}  // namespace

std::unique_ptr<policy_segment> make_policy_segment(memory_policy& policy, std::size_t capacity) {
  if (capacity == 0) capacity = segment_alignment;
  if (capacity > (std::size_t{1} << 47))
    throw error(errc::invalid_argument,
                "a kind of " + std::to_string(capacity) + " bytes exceeds the address space");
  const std::size_t granule = policy.granularity();
  if (!std::has_single_bit(granule) || granule < size_step || granule > segment_alignment)
    throw error(errc::invalid_argument, "a granularity of " + std::to_string(granule) +
                                            " bytes: take a power of two from 2 MiB to 1 GiB");
  try {
    return std::make_unique<segment_of_policy>(policy, round_up(capacity, segment_alignment));
  } catch (const std::system_error& failure) {
    throw error(errc::out_of_memory, std::string("cannot reserve address space for a kind: ") +
                                         failure.what() + "; raise what limits it, " +
                                         os::mapping_limits_in_words() + ", or ask for a smaller capacity");
  }
}

}  // namespace perdure::detail
