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

namespace perdure {

/// Writes pages of a store that are about to leave memory; called by one thread at a time, which may wait
/// and take memory.
class page_writer {
 public:
  virtual ~page_writer() = default;

  /// Calls `work(context)`, which must not throw, in a turn: nobody else changes the store then. 0, or an
  /// errno where there is no turn to be had and `work` was not called.
  virtual int in_turn(void (*work)(void*), void* context) noexcept = 0;
  /// Whether the page will go to the journal, else home. In a turn, or before anybody else knows the store.
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

  /// Of a writer. All must outlive it.
  paged_home(std::string name, const layout::super_slot& super, const home_files& home,
             const journaled_pages& journaled, const std::array<journal, 2>& journals, page_writer& writer);
  /// Of a reader, whose changes go to the spill file, if there is one.
  paged_home(std::string name, const layout::super_slot& super, const home_files& home, os::file spill);

  /// Home has become longer. Not thread-safe.
  void home_extended();
  /// There is another file for the journal. Not thread-safe.
  void journal_replaced(unsigned parity, const journal& file);
  /// Returns when no thread reads from a journal by what `journaled_pages` said before the call. Not
  /// thread-safe.
  void await_journal_readers() noexcept;

  /// A page did not come back as it was written.
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
  // Of what the page cache has, the journals' part will soon be read to be brought home.
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
  /// Whether what was read is what this process wrote, where it did. A failed write-back may have lost it.
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

  // Those that were replaced stay open, since somebody may be reading.
  std::vector<os::file> journal_files_;
  std::array<std::atomic<int>, 2> journals_{-1, -1};
  mutable std::array<std::atomic<std::uint32_t>, 2> readers_{};  // by the parity of the turn they came in
  std::atomic<std::uint32_t> reader_turn_{0};
};

}  // namespace perdure
