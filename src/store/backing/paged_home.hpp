// Where the pages of a paged store are read from: the home files, a journal whose pages are not home yet, or,
// for readers' own changes, a spill file without a name.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "os/file.hpp"
#include "pager/page_source.hpp"
#include "store/commit/journaled_pages.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"

namespace perdure::store {

/// Writes pages of a store that are about to leave memory. One thread at a time calls it, outside signal
/// handlers: it may wait and allocate.
class page_writer {
 public:
  virtual ~page_writer() = default;

  /// Calls `work(context)`, which must not throw, in a turn, in which no other thread changes the store.
  /// Returns 0, or an errno if no turn could be had and `work` was not called.
  virtual int in_turn(void (*work)(void*), void* context) noexcept = 0;
  /// Returns whether the page will be written to the journal; if not, home. To be called in a turn, or before
  /// another thread knows the store.
  virtual bool goes_to_journal(std::uint64_t page) noexcept = 0;
  /// Writes each run where `goes_to_journal` said. Calls `failed(run, errno)` for those that are not written.
  virtual void write(std::span<pager::detail::page_transfer> runs,
                     void (*failed)(pager::detail::page_transfer&, int)) noexcept = 0;
};

/// The functions of a page_source are async-signal-safe, except those that write.
class paged_home final : public pager::detail::page_source {
 public:
  using page_number = pager::detail::page_number;
  using run = pager::detail::page_transfer;
  using transfer_failure = pager::detail::failed_transfer;

  /// For a writer. All that is referred to must outlive it.
  paged_home(std::string name, const layout::super_slot& super, const home_files& home,
             const journaled_pages& journaled, const std::array<journal, 2>& journals, page_writer& writer);
  /// For a reader, whose changes go to the spill file, if there is one.
  paged_home(std::string name, const layout::super_slot& super, const home_files& home, os::file spill);

  /// Home has become longer. Not thread-safe.
  void home_extended();
  /// Another file has taken the place of the journal. Not thread-safe.
  void journal_replaced(unsigned parity, const journal& file);
  /// Waits until no thread reads from a journal any more because of what `journaled_pages` said before the
  /// call. Not thread-safe.
  void await_journal_readers() noexcept;

  /// Returns whether a page did not come back as it was written.
  bool has_lost_pages() const noexcept { return has_lost_pages_.load(); }

  std::size_t pages() const noexcept override { return pages_; }
  std::size_t open_pages() const noexcept override { return open_pages_.load(std::memory_order_acquire); }
  /// So many pages of the segment may be touched.
  void open(std::size_t pages) noexcept { open_pages_.store(pages, std::memory_order_release); }
  std::string name() const override { return name_; }
  bool is_direct() const noexcept override { return direct_[0].load(std::memory_order_relaxed) >= 0; }
  std::optional<transfer_failure> read(page_number first, std::size_t count, bool spilled,
                                       std::byte* to) const noexcept override;
  bool spills(page_number page) const noexcept override {
    return spill_ || (writer_ != nullptr && writer_->goes_to_journal(page));
  }
  void write_all(std::span<run> runs, os::parallel_io& io,
                 std::span<os::transfer_request> requests) noexcept override;
  void sync() override {}
  // Nothing is dropped: the journals' pages in the page cache will soon be read to be brought home.
  void drop_cached() const noexcept override {}
  bool writes_in_turns() const noexcept override { return writer_ != nullptr; }

 private:
  std::optional<transfer_failure> take_turn(void (*work)(void*), void* context) noexcept override;
  using where = journaled_pages::place::where;
  using descriptors = std::unique_ptr<std::atomic<int>[]>;

  paged_home(std::string name, const layout::super_slot& super, const home_files& home);

  void read_each(std::span<run> runs, os::parallel_io& io, std::span<os::transfer_request> requests,
                 arrival done, void* context) const noexcept override;
  std::optional<transfer_failure> read_home(page_number first, std::size_t count,
                                            std::byte* to) const noexcept;
  std::optional<transfer_failure> read_journaled(page_number first, std::size_t count,
                                                 std::byte* to) const noexcept;
  /// Returns whether these bytes are what this process wrote, if it did. A failed write-back may have lost
  /// that.
  bool is_as_written(page_number first, std::size_t count, const std::byte* bytes, where in) const noexcept;
  std::optional<transfer_failure> read_at(where in, int direct, int buffered, std::uint64_t offset,
                                          std::size_t bytes, std::byte* to, page_number first) const noexcept;

  std::string name_;
  std::size_t pages_;
  std::atomic<std::size_t> open_pages_{0};
  std::uint64_t home_file_bytes_;
  const home_files& home_;
  const journaled_pages* journaled_ = nullptr;
  page_writer* writer_ = nullptr;
  os::file spill_;

  mutable std::atomic<bool> has_lost_pages_{false};

  std::atomic<std::uint64_t> home_bytes_{0};
  descriptors buffered_;  // of each home file, or -1
  descriptors direct_;
  std::vector<os::file> direct_files_;

  // Journals that were replaced stay open, since a thread may be reading them.
  std::vector<os::file> journal_files_;
  std::array<std::atomic<int>, 2> journals_{-1, -1};
  mutable std::array<std::atomic<std::uint32_t>, 2>
      readers_{};  // by the parity of `reader_turn_` when they came
  std::atomic<std::uint32_t> reader_turn_{0};
};

}  // namespace perdure::store
