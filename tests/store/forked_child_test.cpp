// What a forked child has of the stores that its parent has open.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>

#include "os/mapping.hpp"
#include "segment/segment.hpp"
#include "store/tested_backing.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

constexpr std::uint64_t pages = 2048;

store_options verified_by(verify_mode verify) {
  store_options options = small_store();
  options.verify = verify;
  return options;
}

/// A child process, which ends with what `task` returns. It goes on when told to.
class child {
 public:
  explicit child(const std::function<int()>& task) {
    int go[2];
    int said[2];
    if (::pipe(go) != 0 || ::pipe(said) != 0) throw std::runtime_error("pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::close(go[1]);
      ::dup2(said[1], STDERR_FILENO);
      ::close(said[1]);
      ::alarm(60);
      char told = 0;
      if (::read(go[0], &told, 1) != 1) ::_exit(99);
      ::_exit(task());
    }
    ::close(go[0]);
    ::close(said[1]);
    go_ = go[1];
    said_ = said[0];
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  /// Lets it go on and waits for its end: its exit code, or 128 and the signal that ended it.
  int end() {
    if (::write(go_, "", 1) != 1) return -1;
    ::close(go_);
    std::array<char, 4096> part;
    for (ssize_t got = 0; (got = ::read(said_, part.data(), part.size())) > 0;)
      words_.append(part.data(), static_cast<std::size_t>(got));
    ::close(said_);
    return result_of(process_);
  }
  /// What it wrote on its standard error stream.
  const std::string& words() const { return words_; }

 private:
  pid_t process_ = -1;
  int go_ = -1;
  int said_ = -1;
  std::string words_;
};

constexpr int killed_by_sigsegv = 128 + SIGSEGV;

class a_forked_child : public scratch_test {
 protected:
  // Sanitizers have a handler that ends programs otherwise.
  void SetUp() override { ::signal(SIGSEGV, SIG_DFL); }
  void make_store() {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(pages * page_size);
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  static int touch(datastore& store, std::uint64_t page) {
    return *const_cast<volatile std::byte*>(store.memory().base() + page * page_size) == std::byte{0} ? 3 : 4;
  }
  static int store_to(datastore& store, std::uint64_t page) {
    *const_cast<volatile std::byte*>(store.memory().base() + page * page_size) = std::byte{1};
    return 5;
  }
};

TEST_F(a_forked_child, is_told_that_it_has_nothing_of_a_writers_memory) {
  make_store();
  for (const verify_mode verify : {verify_mode::journal, verify_mode::lazy}) {
    if (verify == verify_mode::lazy && tested::in_persistent_memory()) continue;
    const auto store = tested::open(path(), verified_by(verify));
    put(*store, 1, 77);
    ASSERT_TRUE(has(*store, 3, 4));
    // Changed, read, not touched.
    for (const std::uint64_t page : {1u, 3u, 1500u}) {
      for (const bool stores : {false, true}) {
        child one([&] { return stores ? store_to(*store, page) : touch(*store, page); });
        // What a child could mistake for the store's content.
        for (std::uint64_t each = 0; each < pages; each += 2) put(*store, each, 5000 + each);
        store->checkpoint();
        store->wait_applied();
        EXPECT_EQ(one.end(), killed_by_sigsegv) << "page " << page;
        EXPECT_EQ(one.words(), "perdure: this process was forked from the writer of " + path().string() +
                                   " and has none of its memory; read it in the parent process, or open a "
                                   "snapshot of it here\n");
      }
    }
    for (std::uint64_t each = 0; each < pages; each += 2) ASSERT_TRUE(has(*store, each, 5000 + each));
  }
}

TEST_F(a_forked_child, finds_nothing_else_at_the_addresses_of_a_writers_memory) {
  make_store();
  const auto store = tested::open(path(), small_store());
  child one([&] {
    int pipe[2];
    if (::pipe(pipe) != 0) return 1;
    // The kernel does not see through to what may lie there.
    return ::write(pipe[1], store->memory().base() + page_size, 1) < 0 && errno == EFAULT &&
                   fails_with(errc::invalid_argument, "parent process",
                              [&] { store->memory().grow(store->memory().size() + 2 * mib); })
               ? 0
               : 2;
  });
  EXPECT_EQ(one.end(), 0) << one.words();
}

TEST_F(a_forked_child, is_refused_what_needs_a_writers_memory) {
  make_store();
  for (const verify_mode verify : {verify_mode::journal, verify_mode::lazy}) {
    if (verify == verify_mode::lazy && tested::in_persistent_memory()) continue;
    const auto store = tested::open(path(), verified_by(verify));
    const bool sound_is_asked_for = verify == verify_mode::lazy;
    child one([&] {
      const auto refused = [&](const std::function<void()>& call) -> bool {
        return fails_with(errc::invalid_argument, "parent process", call);
      };
      std::byte* const first = store->memory().base();
      if (!refused([&] { store->checkpoint(); })) return 1;
      if (!refused([&] { static_cast<void>(store->checkpoint_async()); })) return 2;
      if (!refused([&] { store->snapshot(path("copy")); })) return 3;
      if (!refused([&] { store->trim(); })) return 4;
      if (!tested::in_persistent_memory()) {
        if (!refused([&] { static_cast<void>(store->pin(first, 1)); })) return 5;
        if (!refused([&] { store->prefetch(first, 1); })) return 6;
        if (!refused([&] { store->memory().discard({0, 1}); })) return 7;
      }
      if (sound_is_asked_for && !refused([&] { store->require_sound(first, 1); })) return 8;
      return 0;
    });
    EXPECT_EQ(one.end(), 0) << one.words();
  }
}

TEST_F(a_forked_child, may_close_a_writers_store_and_leaves_the_parent_its_own) {
  make_store();
  auto store = tested::open(path(), small_store());
  put(*store, 1, 77);
  for (const bool closes : {false, true}) {
    child one([&] {
      std::byte* const first = store->memory().base();
      const std::size_t bytes = store->memory().capacity();
      if (closes) store->close();
      store.reset();
      // The place is free: a pinned store could be opened there.
      os::reservation again(first, bytes);
      return 0;
    });
    EXPECT_EQ(one.end(), 0) << one.words();
    EXPECT_EQ(one.words(), "");
  }
  put(*store, 2, 78);
  store->checkpoint();
  put(*store, 3, 79);
  store->checkpoint();
  store->close();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  const auto again = tested::open(path(), small_store());
  EXPECT_TRUE(has(*again, 1, 77));
  EXPECT_TRUE(has(*again, 2, 78));
  EXPECT_TRUE(has(*again, 3, 79));
}

TEST_F(a_forked_child, of_a_child_is_told_too) {
  make_store();
  const auto store = tested::open(path(), small_store());
  child one([&] {
    child two([&] { return touch(*store, 5); });
    return two.end() == killed_by_sigsegv && two.words().find("forked from the writer") != std::string::npos
               ? 0
               : 1;
  });
  EXPECT_EQ(one.end(), 0);
}

TEST_F(a_forked_child, of_a_writer_may_read_a_snapshot) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer takes a thread of the child for its parent's that had the same stack";
#endif
  make_store();
  const auto store = tested::open(path(), small_store());
  store->snapshot(path("copy"));
  for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, 1);
  store->checkpoint();
  child one([&] {
    const auto copy = datastore::open_read_only(path("copy"), small_store());
    for (std::uint64_t page = 0; page < pages; ++page)
      if (!has(*copy, page, page + 1)) return 1;
    return 0;
  });
  EXPECT_EQ(one.end(), 0) << one.words();
}

TEST_F(a_forked_child, of_a_reader_reads_on_when_its_parent_has_closed) {
  make_store();
  for (const verify_mode verify : {verify_mode::journal, verify_mode::lazy}) {
    for (const bool changes : {false, true}) {
      auto store = changes ? datastore::open_copy_on_write(path(), verified_by(verify))
                           : datastore::open_read_only(path(), verified_by(verify));
      if (store->tracker() == "pager") GTEST_SKIP() << "with that backing no child has any memory";
      touch(*store, 0);
      if (changes) put(*store, 7, 99);
      child one([&] {
        for (std::uint64_t page = 0; page < pages; ++page)
          if (!has(*store, page, changes && page == 7 ? 99 : page + 1)) return 1;
        if (changes) store->memory().grow(store->memory().size() + 2 * mib);
        return 0;
      });
      store.reset();
      EXPECT_TRUE(fails_with(errc::in_use, "", [&] { tested::open(path(), small_store()); }))
          << "the child keeps the reader's lock";
      EXPECT_EQ(one.end(), 0) << one.words();
    }
  }
}

TEST_F(a_forked_child, shares_the_memory_of_a_shared_file) {
  make_store();
  store_options options = small_store();
  options.backing = backing::shared_file;
  auto store = datastore::open(path(), options);
  child one([&] {
    if (!has(*store, 3, 77)) return 1;
    if (!fails_with(errc::invalid_argument, "parent process", [&] { store->checkpoint(); })) return 2;
    if (!fails_with(errc::invalid_argument, "parent process", [&] { store->memory().grow(64 * mib); }))
      return 3;
    store->close();
    store.reset();
    return 0;
  });
  put(*store, 3, 77);
  EXPECT_EQ(one.end(), 0) << one.words();
  store->checkpoint();
  store->close();
  EXPECT_TRUE(has(*datastore::open_read_only(path(), small_store()), 3, 77));
}

TEST_F(a_forked_child, that_runs_another_program_is_not_concerned) {
  make_store();
  const auto store = tested::open(path(), small_store());
  put(*store, 1, 77);
  child one([] { return ::execl("/bin/true", "true", nullptr); });
  EXPECT_EQ(one.end(), 0);
  EXPECT_EQ(std::system("exit 7") >> 8, 7);
  store->checkpoint();
  EXPECT_TRUE(has(*store, 1, 77));
}

}  // namespace
}  // namespace perdure
