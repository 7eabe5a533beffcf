// Before-images of persistent memory: saves what the last checkpoint has there before the program writes to
// it.
//
// It appends batches to the file `undo` (see undo_log.hpp), through a persistent mapping of that file and in
// the fault handlers of the threads that are about to write, and takes disk space for what they will write.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "os/file.hpp"
#include "os/futex.hpp"
#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "segment/dax_segment.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

class before_image_keeper final : public os::write_witness {
 public:
  static constexpr std::size_t most_entries = layout::block / sizeof(layout::journal_entry);

  /// Opens or makes the file and maps its beginning. `place` is the segment's place; nothing of it is saved
  /// before `begin`. Throws std::system_error.
  before_image_keeper(const os::file& directory, const layout::uuid_bytes& uuid, const os::reservation& place,
                      std::uint64_t home_file_bytes);

  /// This checkpoint is home: from now on each granule that it needs is saved once, before the first write to
  /// it. No thread may write meanwhile, but those that are held.
  void begin(const known_checkpoint& home) noexcept;
  /// Tells it of a home file, before the segment grows into it.
  void know(std::size_t index, int descriptor) noexcept { descriptors_[index] = descriptor; }
  /// Disk space has been taken for whole extents of 2 MiB, or some of a range has been given back.
  void reserved(std::uint64_t offset, std::uint64_t bytes) noexcept;
  void punched(std::uint64_t offset, std::uint64_t bytes) noexcept;

  /// From now on every write is refused, for this reason (an errno); 0 ends that.
  void refuse_all(int error) noexcept { refusal_ = error; }

  bool prepare(os::byte_range& part) noexcept override;
  /// Sends the thread SIGBUS, as the kernel does for a write to a file on a full disk.
  void refused(std::byte* address, int error) override;

  /// Returns whether anything was saved, so that home may not be what the checkpoint left there.
  bool has_saved() const noexcept { return batches_ != 0; }
  /// Gives the file's space back, when the program cannot write any more.
  void clear();
  /// To be called in a forked child, which has no mapping of the file.
  void forget() noexcept { window_.forget(); }

 private:
  bool reserve_space(std::uint64_t offset, std::uint64_t bytes) noexcept;
  bool make_room(std::uint64_t bytes) noexcept;
  bool save(std::uint64_t first, std::uint64_t count) noexcept;

  using tag = std::atomic<std::uint64_t>;
  using mark = std::atomic<std::uint8_t>;

  os::file file_;
  const std::byte* base_;
  std::uint64_t home_file_bytes_;
  os::reservation tables_;                   // memory of the next three; untouched parts cost nothing
  tag* saved_for_ = nullptr;                 // granule -> epoch + 1
  mark* is_reserved_ = nullptr;              // extent of 2 MiB
  std::atomic<int>* descriptors_ = nullptr;  // home file

  os::signal_safe_lock lock_;  // of what follows
  layout::journal_header header_;
  std::array<layout::journal_entry, most_entries> index_;
  os::reservation window_;  // the part of the file that is mapped
  std::uint64_t window_at_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t end_ = 0;  // of the last batch
  std::atomic<int> refusal_{0};
  std::atomic<std::uint32_t> batches_{0};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint64_t> segment_bytes_{0};
  std::atomic<std::uint64_t> identity_{0};
  std::string message_;
};

}  // namespace perdure::store
