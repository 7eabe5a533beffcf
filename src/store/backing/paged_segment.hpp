// The backing of a store that is larger than memory: a bounded number of its pages are in memory, and come
// and go as they are touched.
#pragma once

#include <memory>
#include <mutex>

#include "os/guarded_range.hpp"
#include "pager/checkpointed_mapping.hpp"
#include "pager/publication.hpp"
#include "segment/private_segment.hpp"
#include "segment/segment.hpp"
#include "store/backing/paged_home.hpp"

namespace perdure::store {

class paged_segment final : public detail::segment {
 public:
  /// `budget` in bytes. Throws std::system_error.
  paged_segment(os::reservation place, std::unique_ptr<paged_home> home, std::size_t bytes,
                std::size_t budget, detail::page_use use);
  ~paged_segment() override;

  void grow(std::size_t bytes) override;
  /// Leaves pages that are on their way in or out as they are, so that it never waits.
  void discard(detail::page_run pages) override;
  void require_sound(detail::page_run pages) const override;

  /// Ends the time in which a read-only segment may be written (for the replay of a journal).
  void seal();
  /// Does the same as in private_segment.
  void examine_when_touched(detail::home_examiner& examiner);

  pager::detail::checkpointed_mapping& pages() noexcept { return *pages_; }
  paged_home& home() noexcept { return *home_; }

 private:
  paged_home* home_;
  std::unique_ptr<pager::detail::checkpointed_mapping> pages_;
  std::unique_ptr<os::guarded_range> range_;
  std::unique_ptr<pager::detail::publication> shown_;
  detail::home_examiner* examiner_ = nullptr;
  std::mutex growing_;
  std::size_t open_;
};

}  // namespace perdure::store
