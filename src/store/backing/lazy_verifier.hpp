// Compares the pages of an open store with their checksums when the program first touches them.
//
// Its examinations run in signal handlers: they allocate nothing, take no lock, and read with pread(2) into
// buffers that were made before. It judges pages by their bytes at home, so it must be told (`pass_over`) of
// pages whose home changes while they are still closed. There are few of them: a page that the program has
// written to is open.
#pragma once

#include <atomic>
#include <optional>
#include <perdure/damage.hpp>
#include <span>
#include <string>
#include <vector>

#include "os/mapping.hpp"
#include "segment/private_segment.hpp"
#include "store/commit/redo.hpp"
#include "store/commit/store_parts.hpp"

namespace perdure::store {

class lazy_verifier final : public detail::home_examiner {
 public:
  /// `parts`, whose home files and table it reads, must outlive it. `committed_bytes` is the segment's
  /// length.
  lazy_verifier(const store_parts& parts, std::uint64_t committed_bytes);

  /// Tells it what a reader has carried out in its own memory: first the journal, then the before-images.
  void know(const committed_journal& journal);
  void know(const std::vector<undo_log::batch>& saved);
  /// From now on these pages are not judged.
  void pass_over(std::span<const detail::page_run> pages) noexcept;

  bool is_fit(std::size_t extent) noexcept override;
  bool refused(std::size_t extent, std::byte* address) override;
  void kept_closed(std::size_t extent, std::byte* address, int error) override;
  void report(std::size_t extent) override;

 private:
  /// A page that was written home before the journal that names it.
  struct fresh_page {
    std::uint64_t page;
    std::uint32_t checksum;
    std::uint64_t epoch;
  };
  struct fault {
    enum class kind { not_empty, contradicted, unreadable, cut_short, bad_table } what;
    std::uint64_t page;
    std::uint64_t epoch;
  };
  struct scratch;
  class borrowed_scratch;

  std::optional<fault> find_fault(std::uint64_t first, std::uint64_t end) const noexcept;
  std::optional<fault> find_fault(std::uint64_t first, std::uint64_t end, scratch& use) const noexcept;
  std::optional<fault> judge(std::uint64_t page, const std::byte* bytes, scratch& use) const noexcept;
  const fresh_page* fresh_at(std::uint64_t page) const noexcept;
  bool load_table(std::size_t index, scratch& use) const noexcept;
  bool may_be_torn(std::size_t table_index) const noexcept;
  bool is_passed_over(std::uint64_t page) const noexcept;
  void set_passed_over(std::uint64_t page, bool value) noexcept;
  std::uint64_t end_of(std::size_t extent) const noexcept;
  page_damage describe(const fault& found, void* touched) const noexcept;

  const store_parts& parts_;
  std::vector<detail::file_extent> home_;
  std::vector<std::string> home_names_;
  std::string path_;
  std::uint64_t applied_pages_;
  std::uint64_t pages_;
  std::uint64_t epoch_;
  std::vector<fresh_page> fresh_;  // by page
  std::vector<detail::page_run>
      being_applied_;       // pages whose table entries an interrupted application may have torn
  os::reservation memory_;  // of the next two
  std::atomic<std::uint64_t>* passed_over_ = nullptr;  // a bit for each page
  scratch* scratch_ = nullptr;
};

}  // namespace perdure::store
