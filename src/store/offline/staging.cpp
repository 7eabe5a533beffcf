// Staging: work on a copy in a faster place, then write back to the store what is different in the copy.
//
// What differs is found by comparing the two checksum tables, so only pages that changed are read and
// written. (Two contents of a page have the same checksum with a chance of one in four thousand million.)
// They go through an ordinary checkpoint of the store, which makes the write-back atomic. Identities of
// checkpoints tell whether the two have the same history: the copy records that of the checkpoint at which
// both agreed last. Before the checkpoint it also records the epoch that is to be made and a token, which the
// label of that checkpoint has too: so after a crash between the checkpoint and the copy's recording of it,
// the copy recognises its own write-back.
#include <fcntl.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/progress.hpp>
#include <perdure/store_maintenance.hpp>
#include <vector>

#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checkpoint_log.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/failure.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"

namespace perdure::store {

namespace {

std::string label_for(std::uint64_t token) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "staged %016llx", static_cast<unsigned long long>(token));
  return text.data();
}

/// Returns whether the store's present epoch is the one that an interrupted write-back of this copy made.
bool is_own_write(const os::file& store, const layout::super_slot& now, const layout::super_slot& copy) {
  if (now.epoch != copy.staging_epoch) return false;
  const auto header = journal(store, now.epoch & 1, now.uuid, false).header();
  return header && label_of(*header) == label_for(copy.staging_token);
}

/// Returns whether the store is still at the checkpoint that the copy agreed with last. Copies that earlier
/// libraries made know its number only.
bool is_as_copied(const layout::super_slot& now, const layout::super_slot& copy) {
  if (now.epoch != copy.copied_epoch) return false;
  return copy.copied_checkpoint == 0 || copy.copied_checkpoint == now.checkpoint;
}

void require_descent(const os::file& store, const layout::super_slot& now, const os::file& fast,
                     const layout::super_slot& copy) {
  const std::string names = fast.path().string() + " and " + store.path().string();
  if ((copy.compat & layout::compat_copied) == 0 || copy.uuid != now.uuid ||
      copy.home_file_bytes != now.home_file_bytes || copy.segment_bytes > now.capacity) {
    throw error(errc::incompatible, fast.path().string() + " is no copy of " + store.path().string());
  }
  if (((copy.flags | now.flags) & layout::flag_checksums_stale) != 0) {
    throw error(errc::unsupported, names +
                                       ": one of them was written through a shared mapping, which keeps "
                                       "no checksums to compare; `perdure repair` makes them anew");
  }
  if (is_as_copied(now, copy) || is_own_write(store, now, copy)) return;
  const std::string what = now.epoch == copy.copied_epoch
                               ? " has another checkpoint " + std::to_string(now.epoch) + " than when "
                               : " is at epoch " + std::to_string(now.epoch) + " and was at " +
                                     std::to_string(copy.copied_epoch) + " when ";
  throw error(errc::conflict, store.path().string() + what + fast.path().string() +
                                  " was taken: writing back would undo what was done to it since");
}

/// Makes the pages of the store's segment what they are in the copy. Released pages are only listed.
class write_back {
 public:
  write_back(const os::file& fast, const layout::super_slot& copy, const os::file& store,
             const layout::super_slot& now, detail::segment& memory)
      : home_(fast, copy, false),
        theirs_(fast, copy, false),
        ours_(store, now, false),
        pages_(copy.segment_bytes / page_size),
        our_pages_(now.segment_bytes / page_size),
        our_home_(store, now, false),
        fast_(fast.path()),
        memory_(memory) {}

  void run(stage_report& report) {
    memory_.grow(pages_ * page_size);
    begin_progress_stage("comparing", pages_ * page_size, "bytes");
    for (std::uint64_t page = 0; page < pages_; ++page) {
      add_progress(page_size);
      const std::uint32_t wanted = theirs_.get(page);
      const std::uint32_t there = page < our_pages_ ? ours_.get(page) : layout::no_checksum;
      if (wanted == there && is_same(page, wanted)) continue;
      std::byte* const to = memory_.base() + page * page_size;
      if (wanted == layout::any_content) {
        if (there < layout::first_checksum) continue;
        released_.push_back({page, 1});
        ++report.pages_released;
      } else if (wanted == layout::no_checksum) {
        std::memset(to, 0, page_size);
        ++report.pages_written;
      } else {
        // Not read into the store itself, where writers may be held: the system call would fail.
        alignas(64) std::array<std::byte, page_size> bytes;
        home_.read(page, bytes.data());
        if (page_checksum(page, bytes.data()) != wanted) {
          throw_damaged(
              fast_, "page " + std::to_string(page) + " contradicts its checksum; nothing was written back");
        }
        std::memcpy(to, bytes.data(), page_size);
        ++report.pages_written;
      }
    }
    report.pages = pages_;
  }

  const std::vector<detail::page_run>& released() const noexcept { return released_; }

 private:
  // One in four billion changed pages has the same checksum as before.
  bool is_same(std::uint64_t page, std::uint32_t checksum) {
    if (checksum < layout::first_checksum) return true;
    if (page < compared_.first || page >= compared_.first + compared_.count) {
      compared_ = {page, std::min<std::uint64_t>(batch_pages, std::min(pages_, our_pages_) - page)};
      home_.read(compared_.first, compared_.count, theirs_read_.data());
      our_home_.read(compared_.first, compared_.count, ours_read_.data());
    }
    const std::size_t at = static_cast<std::size_t>(page - compared_.first) * page_size;
    return std::memcmp(theirs_read_.data() + at, ours_read_.data() + at, page_size) == 0;
  }

  home_files home_;
  checksum_table theirs_;
  checksum_table ours_;
  std::uint64_t pages_;
  std::uint64_t our_pages_;
  home_files our_home_;
  detail::page_run compared_{};  // pages that have been read from both
  std::vector<std::byte> theirs_read_ = std::vector<std::byte>(batch_pages * page_size);
  std::vector<std::byte> ours_read_ = std::vector<std::byte>(batch_pages * page_size);
  std::filesystem::path fast_;
  detail::segment& memory_;
  std::vector<detail::page_run> released_;
};

}  // namespace

}  // namespace perdure::store

namespace perdure {

void store_maintenance::stage_in(const std::filesystem::path& store, const std::filesystem::path& fast) {
  store_maintenance::copy(store, fast);
}

stage_report store_maintenance::stage_out(const std::filesystem::path& given_fast,
                                          const std::filesystem::path& given_store) {
  // Before either is opened, which would touch its files.
  for (const std::filesystem::path& one : {given_fast, given_store}) require_changeable_store(one);
  const std::filesystem::path fast = store::normalized_store_path(given_fast);
  const std::filesystem::path path = store::normalized_store_path(given_store);
  return store::reporting("write back " + fast.string() + " to", path, [&] {
    // Brings the copy's last checkpoint home, so that its files alone say what it holds.
    datastore::open(fast)->close();
    const os::file fast_directory = store::open_store_directory(fast);
    const store::store_lock lock(fast_directory, store::store_access::alone);
    store::super_block copy = store::super_block::load(fast_directory, true);

    const std::unique_ptr<datastore> store = datastore::open(path);
    store->wait_applied();  // its files are read below
    const os::file directory = store::open_store_directory(path);
    const store::layout::super_slot now = store::super_block::load(directory, false).now();
    store::require_descent(directory, now, fast_directory, copy.now());

    stage_report report;
    store::write_back changes(fast_directory, copy.now(), directory, now, store->memory());
    changes.run(report);
    const bool grown = copy.now().segment_bytes > now.segment_bytes;
    if (report.pages_written != 0 || report.pages_released != 0 || grown) {
      store::layout::super_slot intent = copy.now();
      intent.staging_epoch = now.epoch + 1;
      const store::layout::uuid_bytes random = store::random_uuid();
      std::memcpy(&intent.staging_token, random.data(), sizeof intent.staging_token);
      copy.store(intent);
      begin_progress_stage("writing the checkpoint");
      store->checkpoint(changes.released(), store::label_for(intent.staging_token));
      store->wait_applied();
    }
    report.epoch = store->epoch();
    store::layout::super_slot agreed = copy.now();
    agreed.copied_epoch = report.epoch;
    agreed.copied_checkpoint = store::super_block::load(directory, false).now().checkpoint;
    agreed.copied_ns = store::unix_time_ns();
    agreed.staging_epoch = agreed.staging_token = 0;
    copy.store(agreed);
    return report;
  });
}

}  // namespace perdure
