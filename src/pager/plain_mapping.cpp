// The tier `plain`: the kernel's own mapping, for systems where the pager cannot work.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "os/mapping.hpp"
#include "os/memory_faults.hpp"
#include "os/system_error.hpp"
#include "pager/fault_log.hpp"
#include "pager/file_io.hpp"
#include "pager/mapped_file.hpp"

namespace perdure::pager::detail {

namespace {

class plain_mapping final : public mapped_file {
 public:
  plain_mapping(std::unique_ptr<file_io> file, const options& wanted)
      : owned_(std::move(file)),
        file_(*owned_),
        mode_(wanted.mode),
        log_(file_.name()),
        memory_(file_.pages() * page_size, page_size) {
    // The memory of this mapping is the page cache, so a descriptor that goes past it is of no use.
    file_.stop_direct();
    const os::access allowed = mode_ == mode::read_only ? os::access::read : os::access::read_write;
    const auto map = mode_ == mode::private_copy ? os::map_private : os::map_shared;
    map(memory_.base(), memory_.size(), file_.file().descriptor(), file_.begin(), allowed);
    advise({0, memory_.size()}, advice::random);
    watch_.emplace(memory_.base(), memory_.size(), os::watched_touches::missing, &plain_mapping::on_touch,
                   this);
  }

  ~plain_mapping() override {
    if (is_given_away_) memory_.forget();
  }

  std::byte* data() const noexcept override { return memory_.base(); }
  std::size_t size() const noexcept override { return static_cast<std::size_t>(file_.size()); }

  void flush() override {
    if (mode_ != mode::write_back) return;
    if (::msync(memory_.base(), memory_.size(), MS_SYNC) != 0) os::throw_errno("msync", file_.name());
    file_.file().sync_data();
  }

  void prefetch(std::span<const byte_range> ranges) override {
    for (const byte_range& range : ranges) hint(range, MADV_WILLNEED);
  }

  // Nothing to do: the kernel brings in the pages that its system calls touch.
  void pin(byte_range, pin_for use) override {
    if (use == pin_for::writing && mode_ == mode::read_only)
      throw error(errc::read_only, file_.name() + " is mapped for reading: it cannot be pinned for writing");
  }
  void unpin(byte_range) noexcept override {}

  void advise(byte_range range, advice what) override {
    constexpr int page_out = 21;  // MADV_PAGEOUT
    switch (what) {
      case advice::normal:
        return hint({0, memory_.size()}, MADV_NORMAL);
      case advice::random:
        return hint({0, memory_.size()}, MADV_RANDOM);
      case advice::will_need:
        return hint(range, MADV_WILLNEED);
      case advice::dont_need:
        return hint(range, page_out);
    }
  }

  // The kernel has it already.
  void hand_over(bool shared) override {
    if (mode_ != mode::read_only)
      throw error(errc::invalid_argument,
                  file_.name() + " is mapped for writing: what was changed cannot be handed over");
    if (!shared)
      os::map_private(memory_.base(), memory_.size(), file_.file().descriptor(), file_.begin(),
                      os::access::read);
    is_given_away_ = true;
  }

  pager::statistics statistics() const override {
    pager::statistics all;
    std::array<unsigned char, 4096> is_there;
    const std::size_t pages = file_.pages();
    for (std::size_t i = 0; i < pages; i += is_there.size()) {
      const std::size_t count = std::min(is_there.size(), pages - i);
      if (::mincore(memory_.base() + i * page_size, count * page_size, is_there.data()) != 0) break;
      all.resident_bytes +=
          page_size * static_cast<std::uint64_t>(std::count_if(
                          is_there.begin(), is_there.begin() + static_cast<std::ptrdiff_t>(count),
                          [](unsigned char state) { return (state & 1) != 0; }));
    }
    all.most_resident_bytes = all.resident_bytes;
    return all;
  }

  pager::tier tier() const noexcept override { return pager::tier::plain; }
  bool is_direct() const noexcept override { return false; }
  std::optional<pager::failure> failure() const override { return log_.first(); }

 private:
  void hint(byte_range range, int what) const noexcept {
    const std::size_t begin = range.offset / page_size * page_size;
    // An older kernel may not know it; it is only a hint.
    static_cast<void>(::madvise(memory_.base() + begin, range.offset + range.bytes - begin, what));
  }

  // Only says what happened: the page cannot be brought in here.
  static bool on_touch(void* self, std::byte* address, os::touch) noexcept {
    auto& mapping = *static_cast<plain_mapping*>(self);
    const std::uint64_t offset = mapping.file_.offset_of(
        static_cast<page_number>(static_cast<std::uint64_t>(address - mapping.data()) / page_size));
    struct stat status {};
    const bool is_shorter = ::fstat(mapping.file_.file().descriptor(), &status) == 0 &&
                            static_cast<std::uint64_t>(status.st_size) <= offset;
    mapping.log_.announce({failure::operation::read, offset, is_shorter ? 0 : EIO});
    return false;
  }

  std::unique_ptr<file_io> owned_;
  file_io& file_;
  const mode mode_;
  fault_log log_;
  os::reservation memory_;
  bool is_given_away_ = false;
  std::optional<os::fault_watch> watch_;
};

}  // namespace

std::unique_ptr<mapped_file> map_plainly(std::unique_ptr<file_io> file, const options& wanted) {
  return std::make_unique<plain_mapping>(std::move(file), wanted);
}

}  // namespace perdure::pager::detail
