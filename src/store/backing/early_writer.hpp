// Writes changed pages home before the checkpoint that will need them, so that their memory can be given
// back.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "os/file_extents.hpp"
#include "segment/private_segment.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/store_parts.hpp"

namespace perdure::store {

/// Holds all threads that write to the segment or make it grow, from the moment on when `must_hold` says so.
class write_brake {
 public:
  write_brake(detail::private_segment& memory, std::function<bool()> must_hold)
      : memory_(memory), must_hold_(std::move(must_hold)) {}
  void check() {
    if (all_ || !must_hold_()) return;
    growth_ = memory_.hold_growth();
    all_.emplace(memory_, detail::page_run{0, memory_.size() / page_size});
  }
  bool is_on() const noexcept { return all_.has_value(); }

 private:
  detail::private_segment& memory_;
  std::function<bool()> must_hold_;
  std::unique_lock<std::mutex> growth_;
  std::optional<detail::write_pause> all_;
};

/// First it saves before-images in the undo log, of all pages that the last checkpoint needs, so a crash
/// loses nothing of that checkpoint. It gives up memory only for pages that a sync has made durable: after a
/// write-back that failed, file systems let a page read as what it was before. Threads that write to the
/// segment are held for one extent (2 MiB) at a time. To be used only while the last checkpoint is home and
/// no failed one has left a journal that might count.
class early_writer {
 public:
  early_writer(store_parts& parts, detail::private_segment& memory, early_pages& early,
               const committed_state& before, const known_checkpoint& last)
      : parts_(parts), memory_(memory), early_(early), before_(before), last_(last) {}

  /// Writes `part`, whole extents: afterwards its pages take no memory, but for the few that were written to
  /// meanwhile. Asks the brake often. On failure (`no_space`, `io`) nothing is lost, and the call may be
  /// repeated.
  void write(detail::page_run part, changed_pages& changed, write_brake& brake);

 private:
  void gather(detail::page_run part, changed_pages& changed, const write_brake& brake);
  void save_needed(const changed_pages& changed, write_brake& brake);
  template <class Visit>
  void for_extents(detail::page_run part, write_brake& brake, Visit&& visit);
  void write_extent(detail::page_run extent, changed_pages& changed);
  void write_home(detail::page_run run);
  void give_up(detail::page_run extent, changed_pages& changed, os::data_walk& walk);

  store_parts& parts_;
  detail::private_segment& memory_;
  early_pages& early_;
  const committed_state& before_;
  known_checkpoint last_;
  // The pages of the part that home has now; empty pages are holes there.
  std::map<std::uint64_t, std::uint32_t> written_;  // page and checksum
  std::vector<detail::page_run> empty_;
  bool is_held_ = false;  // threads that write to the part are held until it is done
};

}  // namespace perdure::store
