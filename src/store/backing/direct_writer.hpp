// Writes whole pages that a program gives home at once, past its memory, for the checkpoint to come.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "segment/private_segment.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/store_parts.hpp"

namespace perdure::store {

/// Only pages whose place at home the last checkpoint has no use for are written there: nothing need be
/// saved, and a crash leaves what nobody will look at. They are *settled* then: the next checkpoint syncs
/// home and names them, as it does with pages that were written early. To be used only while the last
/// checkpoint is home and no failed one has left a journal that might count.
class direct_writer {
 public:
  /// `journaled` knows where pages are that have left memory, if there are such.
  direct_writer(store_parts& parts, early_pages& early, const committed_state& before,
                journaled_pages* journaled = nullptr)
      : parts_(parts), early_(early), before_(before), journaled_(journaled) {}

  /// The runs of `pages` that can go home; normalized.
  std::vector<detail::page_run> writable(detail::page_run pages) const;

  /// Writes one of these runs, from a copy, so that a thread that changes the bytes meanwhile cannot make a
  /// page contradict its checksum. `of_bytes` gets the checksum of each page's bytes alone. If it throws,
  /// home has anything there, and the pages are touched.
  void write(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes);
  /// The run that was written last is settled. Nothing else may count it among what is to be written.
  void settle() noexcept;

 private:
  store_parts& parts_;
  early_pages& early_;
  const committed_state& before_;
  journaled_pages* journaled_;
  std::unique_ptr<std::byte[]> copied_;
  detail::page_run written_{0, 0};
  std::vector<std::uint32_t> checksums_;  // of that
};

/// Copies what was given for `some` of the `pages` from `base` on to memory, and gives the checksums as a
/// direct_writer does.
void copy_to_memory(std::byte* base, detail::page_run pages, const std::vector<detail::page_run>& some,
                    const std::byte* from, std::uint32_t* of_bytes) noexcept;

}  // namespace perdure::store
