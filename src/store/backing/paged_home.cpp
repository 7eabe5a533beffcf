// Reads the pages of a paged store from where they are, and checks those that this process has written.
#include "store/backing/paged_home.hpp"

#include <fcntl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/direct_file.hpp"
#include "os/file_observer.hpp"
#include "os/system_error.hpp"
#include "os/thread_sanitizer.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/journal_image.hpp"

namespace perdure::store {

namespace {

constexpr auto reads = pager::failure::operation::read;
constexpr auto writes = pager::failure::operation::write;

}  // namespace

paged_home::paged_home(std::string name, const layout::super_slot& super, const home_files& home)
    : name_(std::move(name)),
      pages_(static_cast<std::size_t>(super.capacity / page_size)),
      home_file_bytes_(super.home_file_bytes),
      home_(home) {
  const auto most = static_cast<std::size_t>((super.capacity - 1) / super.home_file_bytes + 1);
  buffered_ = std::make_unique<std::atomic<int>[]>(most);
  direct_ = std::make_unique<std::atomic<int>[]>(most);
  for (std::size_t i = 0; i < most; ++i) {
    buffered_[i].store(-1);
    direct_[i].store(-1);
  }
  home_extended();
}

paged_home::paged_home(std::string name, const layout::super_slot& super, const home_files& home,
                       const journaled_pages& journaled, const std::array<journal, 2>& journals,
                       page_writer& writer)
    : paged_home(std::move(name), super, home) {
  journaled_ = &journaled;
  writer_ = &writer;
  for (const unsigned parity : {0u, 1u}) journal_replaced(parity, journals[parity]);
}

paged_home::paged_home(std::string name, const layout::super_slot& super, const home_files& home,
                       os::file spill)
    : paged_home(std::move(name), super, home) {
  spill_ = std::move(spill);
}

void paged_home::home_extended() {
  for (std::size_t i = direct_files_.size(); i < home_.count(); ++i) {
    const os::file& file = home_.files()[i];
    os::file direct = os::open_direct(file, O_RDONLY);
    direct_[i].store(direct.descriptor());
    direct_files_.push_back(std::move(direct));
    buffered_[i].store(file.descriptor());
  }
  home_bytes_.store(home_.bytes(), std::memory_order_release);
}

void paged_home::journal_replaced(unsigned parity, const journal& file) {
  os::file own = os::reopen(file.opened(), O_RDONLY);
  if (!own) os::throw_errno("open", file.path().string());
  journals_[parity].store(own.descriptor());
  journal_files_.push_back(std::move(own));
}

void paged_home::await_journal_readers() noexcept {
  // Readers that come from here on are counted in the other place.
  const std::uint32_t before = reader_turn_.fetch_add(1);
  constexpr timespec moment{0, 50'000};
  while (readers_[before & 1].load() != 0) ::nanosleep(&moment, nullptr);
}

std::optional<paged_home::transfer_failure> paged_home::read(page_number first, std::size_t count,
                                                             bool spilled, std::byte* to) const noexcept {
  if (!spilled) return read_home(first, count, to);
  if (!spill_) return read_journaled(first, count, to);
  return read_at(where::journal, -1, spill_.descriptor(), std::uint64_t{first} * page_size, count * page_size,
                 to, first);
}

std::optional<paged_home::transfer_failure> paged_home::read_at(where in, int direct, int buffered,
                                                                std::uint64_t offset, std::size_t bytes,
                                                                std::byte* to,
                                                                page_number first) const noexcept {
  const auto wanted = static_cast<std::ptrdiff_t>(bytes);
  const std::size_t pages = bytes / page_size;
  if (direct >= 0 && os::try_read_at(direct, to, bytes, offset) == wanted &&
      is_as_written(first, pages, to, in))
    return std::nullopt;
  // Read through the page cache, which may still have what the device has lost.
  const std::ptrdiff_t got = os::try_read_at(buffered, to, bytes, offset);
  if (got != wanted) return transfer_failure{reads, std::uint64_t{first} * page_size, got < 0 ? errno : 0};
  if (is_as_written(first, pages, to, in)) return std::nullopt;
  has_lost_pages_ = true;
  return transfer_failure{reads, std::uint64_t{first} * page_size, EBADMSG};
}

bool paged_home::is_as_written(page_number first, std::size_t count, const std::byte* bytes,
                               where in) const noexcept {
  if (journaled_ == nullptr) return true;
  for (std::size_t i = 0; i < count; ++i) {
    // If the program has discarded the page that is in the journal, home is read all the same.
    if (in == where::home && !journaled_->is_home(first + i)) continue;
    const std::uint32_t expected = journaled_->checksum_of(first + i);
    if (expected != 0 && page_checksum(first + i, bytes + i * page_size) != expected) return false;
  }
  return true;
}

std::optional<paged_home::transfer_failure> paged_home::read_home(page_number first, std::size_t count,
                                                                  std::byte* to) const noexcept {
  std::uint64_t offset = std::uint64_t{first} * page_size;
  const std::uint64_t end = offset + count * page_size;
  const std::uint64_t held = home_bytes_.load(std::memory_order_acquire);
  while (offset < end) {
    if (offset >= held) {
      std::memset(to, 0, static_cast<std::size_t>(end - offset));
      return std::nullopt;
    }
    const auto file = static_cast<std::size_t>(offset / home_file_bytes_);
    const std::uint64_t within = offset % home_file_bytes_;
    const auto bytes =
        static_cast<std::size_t>(std::min({end - offset, home_file_bytes_ - within, held - offset}));
    const auto failed =
        read_at(where::home, direct_[file].load(), buffered_[file].load(), layout::home_data_offset + within,
                bytes, to, static_cast<page_number>(offset / page_size));
    if (failed) return failed;
    to += bytes;
    offset += bytes;
  }
  return std::nullopt;
}

std::optional<paged_home::transfer_failure> paged_home::read_journaled(page_number first, std::size_t count,
                                                                       std::byte* to) const noexcept {
  // A journal is written over only when all readers are done that may have found pages in it.
  std::uint32_t turn;
  for (;;) {
    turn = reader_turn_.load();
    readers_[turn & 1].fetch_add(1);
    if (reader_turn_.load() == turn) break;
    readers_[turn & 1].fetch_sub(1);
  }
  std::optional<transfer_failure> failed;
  for (std::size_t i = 0; i < count && !failed;) {
    const auto number = static_cast<page_number>(first + i);
    const journaled_pages::place place = journaled_->find(number);
    std::size_t together = 1;
    if (place.in == where::home) {
      failed = read_home(number, 1, to);
    } else if (place.in == where::nowhere) {
      std::memset(to, 0, page_size);
    } else {
      for (; i + together < count; ++together) {
        const journaled_pages::place next = journaled_->find(number + together);
        if (next.in != where::journal || next.parity != place.parity || next.slot != place.slot + together)
          break;
      }
      failed = read_at(where::journal, -1, journals_[place.parity].load(),
                       journal_image::slot_offset(place.slot), together * page_size, to, number);
    }
    to += together * page_size;
    i += together;
  }
  readers_[turn & 1].fetch_sub(1);
  return failed;
}

void paged_home::read_each(std::span<run> runs, os::parallel_io& io, std::span<os::transfer_request> requests,
                           arrival done, void* context) const noexcept {
  if (os::files_are_observed()) {
    // One after the other and past observers of files, who do not expect to be called where memory is
    // touched, perhaps by
    // themselves.
    for (run& one : runs) {
      one.failed = read(one.first, one.count, one.spilled, one.memory);
      done(context, one);
    }
    return;
  }
  const std::uint64_t held = home_bytes_.load(std::memory_order_acquire);
  const auto is_direct = [&](const run& one) {
    const std::uint64_t offset = std::uint64_t{one.first} * page_size;
    const std::uint64_t bytes = one.count * page_size;
    return !one.spilled && offset + bytes <= held && offset % home_file_bytes_ + bytes <= home_file_bytes_ &&
           direct_[static_cast<std::size_t>(offset / home_file_bytes_)].load() >= 0;
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    run& one = runs[i];
    one.failed.reset();
    if (!is_direct(one)) continue;
    const std::uint64_t offset = std::uint64_t{one.first} * page_size;
    requests[count++] = {direct_[static_cast<std::size_t>(offset / home_file_bytes_)].load(),
                         false,
                         one.memory,
                         one.count * page_size,
                         layout::home_data_offset + offset % home_file_bytes_,
                         0,
                         i};
  }
  io.run(requests.first(count), [&](const os::transfer_request& request) {
    run& one = runs[request.tag];
    if (request.result != static_cast<std::ptrdiff_t>(request.bytes) ||
        !is_as_written(one.first, one.count, one.memory, where::home))
      one.failed = read(one.first, one.count, one.spilled, one.memory);
    done(context, one);
  });
  for (run& one : runs) {
    if (is_direct(one)) continue;
    one.failed = read(one.first, one.count, one.spilled, one.memory);
    done(context, one);
  }
}

void paged_home::write_all(std::span<run> runs, os::parallel_io&, std::span<os::transfer_request>) noexcept {
  const auto fail = [](run& one, int failed) {
    one.failed = transfer_failure{writes, std::uint64_t{one.first} * page_size, failed};
  };
  for (run& one : runs) one.failed.reset();
  if (writer_ != nullptr) {
    os::begin_ordered_reads();
    writer_->write(runs, fail);
    os::end_ordered_reads();
    return;
  }
  for (run& one : runs) {
    const std::size_t bytes = one.count * page_size;
    int failed = 0;
    for (std::size_t done = 0; done < bytes && failed == 0;) {
      const std::ptrdiff_t put = os::write_once(spill_.descriptor(), one.memory + done, bytes - done,
                                                std::uint64_t{one.first} * page_size + done);
      if (put < 0) failed = errno;
      if (put == 0) failed = EIO;
      if (put > 0) done += static_cast<std::size_t>(put);
    }
    if (failed != 0) fail(one, failed);
  }
}

std::optional<paged_home::transfer_failure> paged_home::take_turn(void (*work)(void*),
                                                                  void* context) noexcept {
  if (writer_ == nullptr) return page_source::take_turn(work, context);
  const int failed = writer_->in_turn(work, context);
  if (failed == 0) return std::nullopt;
  return transfer_failure{writes, 0, failed};
}

}  // namespace perdure::store
