// A store that is open for reading, or for changes that are dropped. It writes nothing: if a dead writer has
// left a journal for the next one to bring home, a reader carries that out in its own memory.
#include <atomic>
#include <mutex>

#include "base/owner_process.hpp"
#include "store/backing/open_stores.hpp"
#include "store/backing/paged_memory.hpp"
#include "store/backing/private_memory.hpp"
#include "store/commit/file_history.hpp"
#include "store/commit/redo.hpp"
#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"
#include "store/offline/store_copy.hpp"

namespace perdure::store {

namespace {

class read_only_store final : public datastore {
 public:
  explicit read_only_store(store_parts parts);
  ~read_only_store() override { shut(); }

  detail::segment& memory() noexcept override { return memory_->pages(); }
  void checkpoint(std::span<const detail::page_run>, std::string_view) override { refuse(); }
  pending_checkpoint checkpoint_async(std::span<const detail::page_run>, std::string_view) override {
    refuse();
  }
  std::unique_ptr<prepared_checkpoint> prepare(std::span<const detail::page_run>, std::string_view) override {
    refuse();
  }
  void snapshot(const std::filesystem::path& to) override;
  void wait_applied() override {}
  void trim() override { require_open(); }
  void close() override { shut(); }
  std::uint64_t epoch() const noexcept override { return last_.epoch; }
  std::uint64_t checkpoint_identity() const noexcept override { return last_.identity; }
  bool read_only() const noexcept override { return true; }
  const std::filesystem::path& path() const noexcept override { return path_; }
  store_info info() const override;
  std::string tracker() const override { return tracker_; }
  pager::pin pin(const void* address, std::size_t bytes, pager::pin_for use) override;
  void prefetch(const void* address, std::size_t bytes) override;
  std::optional<pager::statistics> paging() const override {
    return memory_ ? memory_->paging() : std::nullopt;
  }

 private:
  bool read_pages(const detail::page_run& pages, std::byte* to) override;
  bool read_scattered(std::span<const detail::page_run> pages, std::span<std::byte* const> to) override;
  void require_open() const;
  [[noreturn]] void refuse() const;
  void shut() noexcept;

  std::filesystem::path path_;
  base::owner_process owner_;
  std::string tracker_;
  mutable std::mutex control_;  // one snapshot, close or info at a time
  bool open_ = true;
  std::optional<store_parts> parts_;
  std::unique_ptr<lazy_verifier> verifier_;
  std::unique_ptr<store_memory> memory_;
  known_checkpoint last_;  // that it reads
};

// Forgets the names at the end of a scope.
class names_recalled {
 public:
  explicit names_recalled(store_lock& lock) : lock_(lock) {}
  names_recalled(const names_recalled&) = delete;
  names_recalled& operator=(const names_recalled&) = delete;
  ~names_recalled() { lock_.forget_names(); }

 private:
  store_lock& lock_;
};

std::unique_ptr<store_memory> make_memory(store_parts& parts, std::uint64_t bytes, detail::page_use use) {
  if (parts.resident == residence::within_budget) return std::make_unique<paged_memory>(parts, bytes, use);
  return std::make_unique<private_memory>(parts, bytes, use);
}

read_only_store::read_only_store(store_parts parts) : path_(parts.path), parts_(std::move(parts)) {
  const layout::super_slot& super = parts_->super.now();
  last_ = at_home(super);
  const std::optional<committed_journal> pending = find_committed(parts_->journals, super, parts_->ceiling);
  if (pending) {
    last_ = checkpoint_in(pending->header);
    parts_->home.require(last_.segment_bytes);
  }
  require_one_history(parts_->home, parts_->checksums, super, path_, pending);
  // Pages that were written home early for a checkpoint that never came are undone.
  const std::vector<undo_log::batch> saved = parts_->undo.find(last_);
  const bool is_changed_first = pending || !saved.empty();
  const detail::page_use wanted =
      parts_->use == store_use::private_changes ? detail::page_use::dropped : detail::page_use::none;
  const bool is_paged = parts_->resident == residence::within_budget;
  memory_ = make_memory(*parts_, last_.segment_bytes,
                        is_paged && is_changed_first ? detail::page_use::dropped : wanted);
  tracker_ = memory_->tracker();
  const bool has_checksums = (super.flags & layout::flag_checksums_stale) == 0;
  if (parts_->verify == verify_mode::lazy && has_checksums)
    verifier_ = std::make_unique<lazy_verifier>(*parts_, last_.segment_bytes);
  undo_in_memory(saved, memory().base());
  if (pending) redo_in_memory(*pending, memory().base());
  if (verifier_ && pending) verifier_->know(*pending);
  if (verifier_) verifier_->know(saved);
  if (wanted == detail::page_use::none) memory_->seal();
  if (verifier_) memory_->examine_when_touched(*verifier_);
}

void read_only_store::require_open() const {
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
}

void read_only_store::refuse() const {
  const std::scoped_lock lock(control_);
  require_open();
  throw error(errc::read_only, path_.string() + " is open for reading: open it for writing");
}

void read_only_store::snapshot(const std::filesystem::path& to) {
  const std::scoped_lock lock(control_);
  require_open();
  // Files without names cannot be copied by their names.
  const bool is_twin = parts_->files == file_origin::twin;
  const names_recalled while_copied(parts_->lock);
  if (is_twin || !parts_->lock.recall_names(parts_->directory)) {
    throw error(errc::unsupported,
                path_.string() +
                    (is_twin ? " was open for writing when this reader opened it"
                             : " has been opened for writing since this reader opened it") +
                    ": use store_maintenance::copy, which copies its last checkpoint");
  }
  reporting("take a snapshot of", path_, [&] {
    copy_options options;
    options.at = last_;
    options.journals = parts_->lock.is_beside_writer() ? journals_to_copy::last : journals_to_copy::both;
    options.writable = false;
    copy_store(parts_->directory, parts_->super.now(), normalized_store_path(to), options);
  });
}

pager::pin read_only_store::pin(const void* address, std::size_t bytes, pager::pin_for use) {
  return memory_->pin(pages_of(address, bytes), use);
}

void read_only_store::prefetch(const void* address, std::size_t bytes) {
  memory_->prefetch(pages_of(address, bytes));
}

bool read_only_store::read_pages(const detail::page_run& pages, std::byte* to) {
  require_open();
  return reporting("read", path_, [&] { return memory_->read_through(pages, to); });
}

bool read_only_store::read_scattered(std::span<const detail::page_run> pages,
                                     std::span<std::byte* const> to) {
  require_open();
  return reporting("read", path_, [&] { return memory_->read_scattered(pages, to); });
}

store_info read_only_store::info() const {
  // In a forked child the lock may belong to a thread that does not exist there.
  std::unique_lock lock(control_, std::defer_lock);
  if (owner_.is_here()) lock.lock();
  require_open();
  store_info result = describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  result.epoch = last_.epoch;
  result.size = last_.segment_bytes;
  return result;
}

void read_only_store::shut() noexcept {
  if (!owner_.is_here()) {
    open_ = false;
    return;
  }
  if (memory_) memory_->end_early_writing();
  const std::scoped_lock lock(control_);
  if (!open_) return;
  open_ = false;
  memory_.reset();
  verifier_.reset();
  parts_.reset();
}

}  // namespace

std::unique_ptr<datastore> make_reader(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<read_only_store>(std::move(parts)); });
}

}  // namespace perdure::store
