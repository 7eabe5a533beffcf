// Signals that end a program because of how it touched a store's memory come with a line that says what it
// did.
#include <signal.h>
#include <unistd.h>

#include <perdure/datastore.hpp>

#include "segment/segment.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

class a_touch_that_ends_the_program : public scratch_test {
 protected:
  a_touch_that_ends_the_program() {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }

  // Sanitizers have handlers of their own, which end the program otherwise.
  static void let_signals_kill() {
    ::signal(SIGSEGV, SIG_DFL);
    ::signal(SIGBUS, SIG_DFL);
  }
  store_options with(backing how) const {
    store_options options;
    options.backing = how;
    return options;
  }
  void write_to_reader(backing how) const {
    let_signals_kill();
    const auto store = datastore::open_read_only(path(), with(how));
    store->memory().base()[5 * page_size] = std::byte{1};
  }
  void touch_closed(backing how) const {
    let_signals_kill();
    const auto store = datastore::open(path(), with(how));
    const std::byte* const base = store->memory().base();
    store->close();
    const volatile std::byte seen = base[5 * page_size];
    static_cast<void>(seen);
  }
  void touch_cut(backing how) const {
    let_signals_kill();
    const auto store = datastore::open(path(), with(how));
    if (::truncate((path() / "heap.000").c_str(), 8 * page_size) != 0) ::_exit(99);
    const volatile std::byte seen = store->memory().base()[900 * page_size];
    static_cast<void>(seen);
  }
};

TEST_F(a_touch_that_ends_the_program, is_told_when_it_writes_to_a_store_that_is_open_for_reading) {
  for (const backing how : {backing::private_memory, backing::paged})
    EXPECT_EXIT(write_to_reader(how), ::testing::KilledBySignal(SIGSEGV),
                "perdure: .*store is open for reading only and this program writes .* open_only");
}

TEST_F(a_touch_that_ends_the_program, is_told_when_the_store_is_closed) {
  for (const backing how : {backing::private_memory, backing::paged, backing::shared_file})
    EXPECT_EXIT(touch_closed(how), ::testing::KilledBySignal(SIGSEGV),
                "perdure: .*store is closed and this program uses its memory");
}

TEST_F(a_touch_that_ends_the_program, is_told_when_the_kernel_has_no_page) {
  const std::uintmax_t whole = std::filesystem::file_size(path() / "heap.000");
  for (const backing how : {backing::private_memory, backing::shared_file}) {
    EXPECT_EXIT(touch_cut(how), ::testing::KilledBySignal(SIGBUS),
                "perdure: .*store has a page that cannot be had: .* a file of it was cut");
    std::filesystem::resize_file(path() / "heap.000", whole);
  }
}

// A program may do with the signal as it likes: the line comes all the same, and once.
TEST_F(a_touch_that_ends_the_program, is_told_before_the_programs_handler_runs) {
  EXPECT_EXIT(
      {
        ::signal(SIGSEGV, [](int) { ::_exit(7); });
        const auto store = datastore::open_read_only(path());
        store->memory().base()[5 * page_size] = std::byte{1};
      },
      ::testing::ExitedWithCode(7), "is open for reading only");
}

TEST_F(a_touch_that_ends_the_program, is_not_told_of_stores_that_have_nothing_to_do_with_it) {
  EXPECT_EXIT(
      {
        let_signals_kill();
        { const auto closed = datastore::open(path()); }
        const auto store = datastore::open_read_only(path());
        *static_cast<volatile int*>(nullptr) = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace perdure
