// Persistent mappings, and what sees the first store to a piece of memory.
#include "os/persistent_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include "os/file.hpp"
#include "os/file_observer.hpp"
#include "os/page_tracker.hpp"
#include "support/child_process.hpp"

namespace perdure::os {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mib = std::size_t{1} << 20;

file memory_file(std::size_t bytes) {
  file result(::memfd_create("persistent memory test", MFD_CLOEXEC), "memfd");
  result.resize(bytes);
  return result;
}

class pretended {
 public:
  pretended() { pretend_persistent_memory(true); }
  pretended(const pretended&) = delete;
  pretended& operator=(const pretended&) = delete;
  ~pretended() { pretend_persistent_memory(false); }
};

TEST(persistent_memory, is_not_had_in_the_page_cache) {
  const file plain = memory_file(mib);
  const reservation range(mib, 2 * mib);
  EXPECT_FALSE(try_map_persistent(range.base(), mib, plain.descriptor(), 0, access::read));
  EXPECT_EQ(errno, EOPNOTSUPP);
  try {
    map_persistent(range.base(), mib, plain.descriptor(), 0, access::read);
    FAIL() << "it was mapped";
  } catch (const std::system_error& failure) {
    EXPECT_EQ(failure.code().value(), EOPNOTSUPP);
  }
}

// Some kernels unmap what was there before they ask the file system, which refuses. Whoever gets the range
// then would lose it when the reservation ends.
TEST(persistent_memory, that_is_refused_leaves_the_range_reserved) {
  const file on_disk(::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR, 0600),
                     "temporary");
  if (!on_disk) GTEST_SKIP() << "the directory for temporary files has none without a name";
  on_disk.resize(page);
  if (can_map_persistent(on_disk.descriptor(), page)) GTEST_SKIP() << "it is in persistent memory";
  EXPECT_EQ(errno, EOPNOTSUPP);
  const reservation range(page, page);
  ASSERT_FALSE(try_map_persistent(range.base(), page, on_disk.descriptor(), 0, access::read));
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_THROW(reservation(range.base(), page), std::system_error);
}

TEST(persistent_memory, has_an_instruction_for_writing_lines_back) {
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_FALSE(write_back_instruction().empty());
#endif
}

TEST(persistent_memory, keeps_what_is_stored_in_the_file) {
  const pretended here;
  const file backing = memory_file(mib);
  const reservation range(mib, 2 * mib);
  map_persistent(range.base(), mib, backing.descriptor(), 0, access::read_write);
  range.base()[5000] = std::byte{7};
  const iovec part{range.base() + 5000, 1};
  persist({&part, 1});
  std::byte found{};
  backing.read_at(&found, 1, 5000);
  EXPECT_EQ(found, std::byte{7});
}

TEST(persistent_memory, is_not_a_childs) {
  const pretended here;
  const file backing = memory_file(mib);
  const reservation range(mib, 2 * mib);
  map_persistent(range.base(), mib, backing.descriptor(), 0, access::read_write);
  // It dies, unless something else of its own has come to lie there.
  result_of_child([&] {
    ::signal(SIGSEGV, SIG_DFL);
    *static_cast<volatile std::byte*>(range.base()) = std::byte{1};
    return 0;
  });
  EXPECT_EQ(range.base()[0], std::byte{0});
}

class event_counter final : public file_observer {
 public:
  event_counter() { observe_files(this); }
  ~event_counter() override { observe_files(nullptr); }
  verdict before(const file_call& call) override {
    if (call.operation == file_operation::persist) bytes += call.data.front().iov_len;
    return {};
  }
  void after(const file_call& call, std::int64_t, int) override {
    if (call.operation == file_operation::persist) ++events;
  }
  std::size_t events = 0;
  std::size_t bytes = 0;
};

TEST(persistent_memory, lets_an_observer_see_what_is_persisted) {
  const pretended here;
  const file backing = memory_file(mib);
  const reservation range(mib, 2 * mib);
  map_persistent(range.base(), mib, backing.descriptor(), 0, access::read_write);
  event_counter seen;
  const iovec part{range.base() + 100, 300};
  persist({&part, 1});
  EXPECT_EQ(seen.events, 1u);
  EXPECT_EQ(seen.bytes, 300u);
}

class recording_witness final : public store_witness {
 public:
  bool prepare(byte_range& part) noexcept override {
    ++calls;
    errno = refusal;
    if (refusal != 0) return false;
    last = part.offset;
    if (part.offset >= widened_from) {
      part.offset = part.offset / mib * mib;
      part.bytes = mib;
    }
    return true;
  }
  void refused(std::byte*, int error) override {
    told = error;
    refusal = 0;
  }
  std::atomic<int> calls{0};
  std::atomic<std::uint64_t> last{0};
  std::atomic<int> refusal{0};
  std::atomic<int> told{0};
  std::uint64_t widened_from = ~std::uint64_t{0};
};

class a_witness : public ::testing::Test {
 protected:
  static constexpr std::size_t granule = 16 << 10;
  a_witness() : range_(4 * mib, 2 * mib), memory_(range_.base(), range_.size()) {
    map_anonymous(range_.base(), range_.size(), access::read);
    tracker_ = make_mprotect_tracker(memory_, granule, &witness_);
    tracker_->open_range(0, range_.size());
  }
  ~a_witness() override { tracker_->detach(); }

  void store(std::size_t offset) { *static_cast<volatile std::byte*>(range_.base() + offset) = std::byte{1}; }
  std::uint64_t collected() {
    std::vector<byte_range> ranges;
    tracker_->collect({0, range_.size()}, ranges);
    std::uint64_t bytes = 0;
    for (const byte_range& one : ranges) bytes += one.bytes;
    return bytes;
  }

  reservation range_;
  guarded_range memory_;
  recording_witness witness_;
  std::unique_ptr<page_tracker> tracker_;
};

TEST_F(a_witness, sees_the_first_store_to_a_granule_and_no_other) {
  store(5 * granule + 3);
  store(5 * granule + page);
  EXPECT_EQ(witness_.calls, 1);
  EXPECT_EQ(witness_.last, 5 * granule);
  EXPECT_EQ(collected(), granule);
  store(5 * granule);
  EXPECT_EQ(witness_.calls, 2) << "it was collected";
}

TEST_F(a_witness, may_open_more) {
  witness_.widened_from = 2 * mib;
  store(3 * mib + 5);
  store(3 * mib + 900000);
  EXPECT_EQ(witness_.calls, 1);
  EXPECT_EQ(collected(), mib);
}

TEST_F(a_witness, may_refuse_and_is_asked_again) {
  witness_.refusal = ENOSPC;
  store(0);
  EXPECT_EQ(witness_.told, ENOSPC);
  EXPECT_EQ(witness_.calls, 2);
  EXPECT_EQ(collected(), granule);
}

TEST_F(a_witness, may_be_asked_ahead) {
  EXPECT_EQ(tracker_->admit_stores({0, 4 * granule}), 0);
  EXPECT_EQ(witness_.calls, 4);
  store(granule);
  EXPECT_EQ(witness_.calls, 4);
  witness_.refusal = ENOSPC;
  EXPECT_EQ(tracker_->admit_stores({mib, granule}), ENOSPC);
  EXPECT_EQ(witness_.told, 0) << "the caller is told";
  EXPECT_EQ(collected(), 4 * granule);
}

}  // namespace
}  // namespace perdure::os
