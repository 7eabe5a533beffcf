// What goes wrong with the file reaches the program as a SIGBUS that says why, or as an error.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <system_error>

#include "os/file_observer.hpp"
#include "os/memory_faults.hpp"
#include "patterned_file.hpp"
#include "support/errors.hpp"

namespace perdure::pager {
namespace {

// The program's own handler: leaves the touch that failed.
sigjmp_buf before_touch;
void* failed_address = nullptr;

void leave(int, siginfo_t* info, void*) {
  failed_address = info->si_addr;
  siglongjmp(before_touch, 1);
}

class handler_of_the_program {
 public:
  handler_of_the_program() {
    struct sigaction action {};
    action.sa_sigaction = leave;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &before_);
  }
  ~handler_of_the_program() { ::sigaction(SIGBUS, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// Whether the word can be read; else `failed_address` is where it was.
[[gnu::noinline]] bool can_read(const volatile std::uint64_t* word) {
  failed_address = nullptr;
  if (sigsetjmp(before_touch, 1) != 0) return false;
  static_cast<void>(*word);
  return true;
}

// Fails transfers. Async-signal-safe, as the pager's are made in signal handlers.
class failing_disk final : public os::file_observer {
 public:
  failing_disk() { os::observe_files(this); }
  ~failing_disk() override { os::observe_files(nullptr); }

  verdict before(const os::file_call& call) override {
    verdict v;
    if (call.operation == os::file_operation::read) v.error = read_error;
    if (call.operation == os::file_operation::write) v.error = write_error;
    if (call.operation == os::file_operation::sync_data) v.error = sync_error;
    if (call.operation == os::file_operation::read || call.operation == os::file_operation::write)
      v.at_most = at_most;
    return v;
  }
  void after(const os::file_call&, std::int64_t, int) override {}

  std::atomic<int> read_error{0};
  std::atomic<int> write_error{0};
  std::atomic<int> sync_error{0};
  std::atomic<std::uint64_t> at_most{std::numeric_limits<std::uint64_t>::max()};
};

class a_failing_file : public pager_test {};

TEST_F(a_failing_file, that_was_truncated_signals_touches_beyond_its_end) {
  for (const tier t : {tier_under_test(), tier::plain}) {
    const auto file = make_file(100);
    const handler_of_the_program handler;
    region mapped = map(file, with_budget(16, mode::read_only, t));
    EXPECT_TRUE(can_read(words_of(mapped) + 99 * words_of_page));
    std::filesystem::resize_file(file, 50 * page_bytes);
    mapped.advise({0, mapped.size()}, advice::dont_need);
    EXPECT_TRUE(can_read(words_of(mapped) + 49 * words_of_page));
    EXPECT_EQ(mapped.failure(), std::nullopt);
    const std::uint64_t* const gone = words_of(mapped) + 60 * words_of_page + 5;
    EXPECT_FALSE(can_read(gone));
    EXPECT_EQ(failed_address, static_cast<const void*>(gone));
    const auto failed = mapped.failure();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->what, failure::operation::read);
    EXPECT_EQ(failed->offset, 60 * page_bytes);
    EXPECT_EQ(failed->error, 0);
    EXPECT_NE(failed->message.find("shorter"), std::string::npos);
    EXPECT_NE(failed->message.find(file.string()), std::string::npos);
    EXPECT_FALSE(can_read(words_of(mapped) + 99 * words_of_page));
    EXPECT_TRUE(can_read(words_of(mapped) + 3));
    EXPECT_EQ(words_of(mapped)[20 * words_of_page], pattern(20 * words_of_page));
  }
}

TEST_F(a_failing_file, signals_what_cannot_be_read_and_goes_on_with_the_rest) {
  const handler_of_the_program handler;
  region mapped = map(make_file(100), with_budget(16));
  EXPECT_TRUE(can_read(words_of(mapped)));
  failing_disk disk;
  disk.read_error = EIO;
  EXPECT_FALSE(can_read(words_of(mapped) + 70 * words_of_page));
  EXPECT_FALSE(can_read(words_of(mapped) + 70 * words_of_page));
  EXPECT_TRUE(can_read(words_of(mapped)));
  EXPECT_EQ(mapped.failure()->error, EIO);
  EXPECT_EQ(mapped.failure()->offset, 70 * page_bytes);
  EXPECT_TRUE(fails_with(errc::io, "offset 20480", [&] { mapped.prefetch({5 * page_bytes, 1}); }));
  EXPECT_TRUE(
      fails_with(errc::io, "offset 36864", [&] { auto p = mapped.pin(mapped.data() + 9 * page_bytes, 1); }));
  disk.read_error = 0;
  for (std::size_t i = 0; i < 100 * words_of_page; ++i) ASSERT_EQ(words_of(mapped)[i], pattern(i));
  EXPECT_EQ(mapped.statistics().most_resident_bytes, 16 * page_bytes);
}

TEST_F(a_failing_file, may_transfer_less_than_asked) {
  const auto file = make_file(64);
  failing_disk disk;
  disk.at_most = 1000;
  {
    region mapped = map(file, with_budget(8, mode::write_back));
    for (std::size_t i = 0; i < 64 * words_of_page; ++i) ASSERT_EQ(words_of(mapped)[i]++, pattern(i));
  }
  const auto there = words_in(file);
  for (std::size_t i = 0; i < 64 * words_of_page; ++i) ASSERT_EQ(there[i], pattern(i) + 1);
}

TEST_F(a_failing_file, keeps_changes_that_cannot_be_written_until_they_can) {
  const auto file = make_file(100);
  const handler_of_the_program handler;
  region mapped = map(file, with_budget(16, mode::write_back));
  failing_disk disk;
  disk.write_error = ENOSPC;
  for (std::size_t p = 0; p < 16; ++p) words_of(mapped)[p * words_of_page] = p;
  // Nothing can leave, so nothing can come in.
  EXPECT_FALSE(can_read(words_of(mapped) + 50 * words_of_page));
  EXPECT_EQ(mapped.failure()->what, failure::operation::write);
  EXPECT_EQ(mapped.failure()->error, ENOSPC);
  EXPECT_TRUE(fails_with(errc::no_space, file.string(), [&] { mapped.flush(); }));
  EXPECT_TRUE(fails_with(errc::no_space, "", [&] { mapped.advise({0, page_bytes}, advice::dont_need); }));
  words_of(mapped)[1] = 77;
  disk.write_error = 0;
  EXPECT_TRUE(can_read(words_of(mapped) + 50 * words_of_page));
  mapped.flush();
  const auto there = words_in(file);
  for (std::size_t p = 0; p < 16; ++p) EXPECT_EQ(there[p * words_of_page], p);
  EXPECT_EQ(there[1], 77u);
}

TEST_F(a_failing_file, stays_failed_when_the_device_lost_what_it_had_taken) {
  region mapped = map(make_file(10), with_budget(8, mode::write_back));
  failing_disk disk;
  words_of(mapped)[0] = 1;
  disk.sync_error = EIO;
  EXPECT_TRUE(fails_with(errc::io, "durable", [&] { mapped.flush(); }));
  disk.sync_error = 0;
  EXPECT_TRUE(fails_with(errc::io, "durable", [&] { mapped.flush(); }));
}

TEST_F(a_failing_file, ends_a_program_that_has_no_handler) {
  const auto file = make_file(100);
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        const region mapped = map(path("data"), with_budget(16));
        std::filesystem::resize_file(path("data"), page_bytes);
        static_cast<void>(*static_cast<const volatile std::uint64_t*>(words_of(mapped) + 50 * words_of_page));
      },
      "perdure: cannot read the page at offset 204800 of .*data: the file has become shorter; the thread "
      "that "
      "touched it gets a SIGBUS");
}

TEST_F(a_failing_file, is_refused_where_a_process_has_as_many_regions_as_it_may) {
  const auto file = make_file(10);
  constexpr auto never = [](void*, std::byte*, os::touch) noexcept { return false; };
  // In the place of regions, each of which would take a millisecond.
  std::deque<os::fault_watch> others;
  std::byte nothing{};
  try {
    while (others.size() < 100'000)
      others.emplace_back(&nothing, 0, os::watched_touches::missing, +never, nullptr);
  } catch (const std::system_error&) {
  }
  EXPECT_TRUE(fails_with(errc::io, "regions of the pager", [&] { map(file, with_budget(8)); }));
  EXPECT_TRUE(fails_with(errc::io, std::to_string(others.size()), [&] { map(file, with_budget(8)); }));
  others.pop_back();
  const region mapped = map(file, with_budget(8));
  EXPECT_TRUE(can_read(words_of(mapped)));
}

TEST_F(a_failing_file, that_is_read_only_signals_stores) {
  EXPECT_DEATH(
      {
        const region mapped = map(make_file(10), with_budget(8));
        *static_cast<volatile std::uint64_t*>(words_of(mapped)) = 1;
      },
      "");
}

TEST_F(a_failing_file, of_someone_else_is_left_to_the_handler_that_was_there) {
  const auto file = make_file(10);
  const handler_of_the_program handler;
  const region mapped = map(make_file(10, "mapped"), with_budget(8));
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  auto* const foreign =
      static_cast<std::uint64_t*>(::mmap(nullptr, 10 * page_bytes, PROT_READ, MAP_SHARED, descriptor, 0));
  ASSERT_NE(foreign, MAP_FAILED);
  ::close(descriptor);
  std::filesystem::resize_file(file, page_bytes);
  EXPECT_TRUE(can_read(foreign));
  EXPECT_FALSE(can_read(foreign + 5 * words_of_page));
  EXPECT_EQ(failed_address, foreign + 5 * words_of_page);
  EXPECT_TRUE(can_read(words_of(mapped) + 5 * words_of_page));
  EXPECT_EQ(mapped.failure(), std::nullopt);
  ::munmap(foreign, 10 * page_bytes);
}

}  // namespace
}  // namespace perdure::pager
