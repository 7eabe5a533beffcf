// Writes dirty pages to where they belong: ahead of their eviction, as they leave, or when the program asks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

/// All functions need signals blocked, and are async-signal-safe. Those that are given a scratch use its
/// `writes`.
class page_cleaner {
 public:
  explicit page_cleaner(region_pages& pages) noexcept : pages_(pages) {}

  /// Writes every page that is dirty. Returns the first failure; what can be written is written all the same.
  std::optional<failed_transfer> clean_all() noexcept;

  /// Takes pages whose turn to leave has come, and writes the dirty ones with all other dirty pages of their
  /// area, which will mostly be clean when their own turn comes. Returns the last failure.
  std::optional<failed_transfer> clean_areas_of(std::span<const page_number> victims, scratch& own) noexcept;

  /// Protects pages that the caller owns and that are `writing`: from here on a write to them is a fault, and
  /// that thread waits. So what goes to disk is what is in memory now. False, with `failed` set, if the
  /// kernel refuses.
  bool protect(page_transfer& run) noexcept;
  /// Writes such pages to disk, and sets `failed` of each run.
  void transfer(std::span<page_transfer> runs, scratch& own) noexcept;

 private:
  /// Which dirty pages of an area are worth a call of the kernel.
  enum class wanted { all, cold };
  /// Neighbours in an area that one call of the kernel protects.
  struct stretch {
    std::size_t first;      ///< place in the area
    std::size_t end;        ///< behind the last page that this thread has claimed
    std::size_t dirty_end;  ///< behind the last of them that is dirty
  };

  std::optional<failed_transfer> take_dirty(page_span area, wanted which, scratch& own,
                                            std::size_t& runs) noexcept;
  stretch claim_stretch(page_span area, std::size_t first, std::size_t end, wanted which,
                        scratch& own) noexcept;
  void collect(page_span area, const stretch& taken, bool is_protected, scratch& own,
               std::size_t& runs) noexcept;
  std::optional<failed_transfer> write_taken(std::size_t runs, scratch& own) noexcept;

  region_pages& pages_;
};

}  // namespace perdure::pager::detail
