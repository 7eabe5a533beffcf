// What processes publish of their regions and paged stores, and what others see of it.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/pager_monitor.hpp>
#include <thread>
#include <vector>

#include "os/file.hpp"
#include "os/thread_sanitizer.hpp"
#include "pager/publication_format.hpp"
#include "patterned_file.hpp"
#include "segment/segment.hpp"
#include "support/sole_publisher.hpp"

namespace perdure::pager {
namespace {

/// A child process and a pipe in each direction.
class publishing : public pager_test {
 protected:
  publishing() { ::setenv("PERDURE_PAGER_PUBLISH", "1", 1); }
  ~publishing() override {
    ::unsetenv("PERDURE_PAGER_PUBLISH");
    if (child_ > 0) end_child(SIGKILL);
  }

  /// The child does `work`, which may call `pause` to wait for `go_on`.
  template <class Work>
  void start_child(Work&& work) {
    ASSERT_EQ(::pipe(to_child_.data()), 0);
    ASSERT_EQ(::pipe(from_child_.data()), 0);
    child_ = ::fork();
    // Who waits for a process that has ended shall be told.
    ::close(child_ != 0 ? to_child_[0] : to_child_[1]);
    ::close(child_ != 0 ? from_child_[1] : from_child_[0]);
    if (child_ != 0) {
      wait_for_child();
      return;
    }
    try {
      work();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "%s\n", failure.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  void pause() {
    char c = 1;
    if (::write(from_child_[1], &c, 1) != 1 || ::read(to_child_[0], &c, 1) != 1) ::_exit(2);
  }
  void wait_for_child() {
    char c = 0;
    ASSERT_EQ(::read(from_child_[0], &c, 1), 1);
  }
  void go_on() {
    char c = 1;
    ASSERT_EQ(::write(to_child_[1], &c, 1), 1);
  }
  int end_child(int signal = 0) {
    if (signal != 0) ::kill(child_, signal);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::optional<published_process> seen() const {
    for (published_process& process : published())
      if (process.pid == child_) return std::move(process);
    return std::nullopt;
  }
  /// What is seen once `is_right` of it. Waits, as it is published a few times a second.
  template <class Is>
  std::optional<published_process> seen_once(Is&& is_right) const {
    for (int i = 0; i < 2000; ++i) {
      auto process = seen();
      if (process && is_right(*process)) return process;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::nullopt;
  }
  /// How many processes show a region over this file.
  static std::size_t showing(const std::filesystem::path& file) {
    const std::vector<published_process> all = published();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const published_process& one) {
      return std::any_of(one.regions.begin(), one.regions.end(),
                         [&](const published_region& region) { return region.file == file.string(); });
    }));
  }
  /// Where the child's publication can be opened.
  std::filesystem::path publication_of_child() const {
    const std::filesystem::path descriptors = "/proc/" + std::to_string(child_) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(descriptors))
      if (std::filesystem::read_symlink(entry.path()) == detail::publication_link) return entry.path();
    return "/nowhere";
  }

  pid_t child_ = -1;

 private:
  sole_publisher alone_;
  std::array<int, 2> to_child_{-1, -1};
  std::array<int, 2> from_child_{-1, -1};
};

TEST_F(publishing, shows_what_regions_do) {
  const auto file = make_file(100);
  start_child([&] {
    std::optional<region> first = map(file, with_budget(16));
    options o = with_budget(8, mode::private_copy, tier::plain);
    const region second = map(file, o);
    for (std::size_t p = 0; p < 100; ++p)
      if (words_of(*first)[p * words_of_page] != pattern(p * words_of_page)) ::_exit(3);
    pause();
    first.reset();
    pause();
  });
  // What is published may be of the middle of the loop.
  const auto process = seen_once(
      [](const published_process& p) { return p.regions.at(0).statistics.bytes_read >= 100 * page_size; });
  ASSERT_TRUE(process);
  EXPECT_FALSE(process->command.empty());
  ASSERT_EQ(process->regions.size(), 2u);
  const published_region& first = process->regions[0];
  EXPECT_EQ(first.file, file.string());
  EXPECT_EQ(first.bytes, 100 * page_size);
  EXPECT_EQ(first.budget, 16 * page_size);
  EXPECT_EQ(first.mode, mode::read_only);
  EXPECT_EQ(first.tier, tier_under_test());
  EXPECT_EQ(first.statistics.loads + first.statistics.read_ahead, 100u);
  EXPECT_GE(first.statistics.evictions, 84u);
  EXPECT_EQ(first.statistics.bytes_read, 100 * page_size);
  EXPECT_LE(first.statistics.resident_bytes, 16 * page_size);
  std::uint64_t faults = 0;
  for (const std::uint64_t n : first.statistics.latency) faults += n;
  EXPECT_EQ(faults, first.statistics.loads);
  EXPECT_EQ(process->regions[1].mode, mode::private_copy);
  EXPECT_EQ(process->regions[1].tier, tier::plain);
  go_on();
  wait_for_child();
  ASSERT_TRUE(seen_once([](const published_process& p) { return p.regions.size() == 1; }));
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, shows_what_paged_stores_do) {
  if (why_unavailable(tier::uffd_sigbus)) GTEST_SKIP() << "needs userfaultfd";
  constexpr std::size_t pages = 600;
  const std::filesystem::path where = path("store");
  store_options options;
  options.capacity = perdure::detail::segment_alignment;
  options.backing = backing::paged;
  options.memory_budget = 64 * page_size;
  start_child([&] {
    std::unique_ptr<datastore> store = datastore::create(where, options);
    pause();
    store->memory().grow(pages * page_size);
    for (std::size_t page = 0; page < pages; ++page) store->memory().base()[page * page_size] = std::byte{1};
    pause();
    store->close();
    store = datastore::open_read_only(where, options);
    pause();
    store.reset();
    pause();
  });
  const auto empty = seen_once([](const published_process&) { return true; });
  ASSERT_TRUE(empty);
  ASSERT_EQ(empty->regions.size(), 1u);
  EXPECT_LT(empty->regions[0].bytes, options.capacity / 2);
  go_on();
  wait_for_child();
  const auto process = seen_once([](const published_process& p) {
    const published_region& one = p.regions.at(0);
    return one.statistics.loads + one.statistics.read_ahead >= pages;
  });
  ASSERT_TRUE(process);
  ASSERT_EQ(process->regions.size(), 1u);
  const published_region& store = process->regions[0];
  EXPECT_EQ(store.file, where.string());
  EXPECT_GE(store.bytes, pages * page_size);
  EXPECT_LT(store.bytes, options.capacity / 2);
  EXPECT_EQ(store.budget, options.memory_budget);
  EXPECT_EQ(store.mode, mode::private_copy);
  EXPECT_EQ(store.tier, tier::uffd_sigbus);
  EXPECT_GT(store.statistics.evictions, pages / 2);
  EXPECT_GT(store.statistics.resident_bytes, 0u);
  EXPECT_LE(store.statistics.most_resident_bytes, options.memory_budget);
  std::uint64_t faults = 0;
  for (const std::uint64_t n : store.statistics.latency) faults += n;
  EXPECT_GT(faults, 0u);
  go_on();
  wait_for_child();
  const auto reader = seen_once([&](const published_process& p) { return p.regions.at(0).id != store.id; });
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->regions.at(0).mode, mode::read_only);
  EXPECT_EQ(reader->regions[0].file, where.string());
  go_on();
  wait_for_child();
  EXPECT_FALSE(seen());
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, leaves_nothing_behind_when_regions_end) {
  const auto file = make_file(10);
  start_child([&] {
    { const region mapped = map(file, with_budget(8)); }
    { const region mapped = map(file, with_budget(8)); }
    pause();
    const region mapped = map(file, with_budget(8));
    pause();
  });
  EXPECT_FALSE(seen());
  go_on();
  wait_for_child();
  EXPECT_TRUE(seen());
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, ends_well_when_a_process_exits_with_regions) {
  const auto file = make_file(10);
  start_child([&] {
    static const region mapped = map(file, with_budget(8));
    pause();
    std::exit(0);
  });
  EXPECT_TRUE(seen());
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, is_not_disturbed_by_children) {
#ifdef PERDURE_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer lets no forked child of a program with threads start threads";
#endif
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer may leave its allocator locked in a forked child (g++ 12)";
#endif
  const auto file = make_file(10);
  start_child([&] {
    std::optional<region> mapped = map(file, with_budget(8));
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      mapped.reset();
      const region own = map(file, with_budget(8));
      pause();
      ::_exit(words_of(own)[0] == pattern(0) ? 0 : 1);
    }
    int status = 0;
    ::waitpid(grandchild, &status, 0);
    pause();
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
  });
  EXPECT_EQ(showing(file), 2u);
  EXPECT_TRUE(seen());
  go_on();
  wait_for_child();
  EXPECT_EQ(showing(file), 1u);
  EXPECT_TRUE(seen());
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, is_not_done_unasked) {
  const auto file = make_file(10);
  start_child([&] {
    ::unsetenv("PERDURE_PAGER_PUBLISH");
    const region mapped = map(file, with_budget(8));
    ::setenv("PERDURE_PAGER_PUBLISH", "0", 1);
    const region second = map(file, with_budget(8));
    pause();
  });
  EXPECT_FALSE(seen());
  EXPECT_EQ(publication_of_child(), "/nowhere");
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, is_no_condition_for_mapping) {
  const auto file = make_file(10);
  ::setenv("PERDURE_PAGER_PUBLISH", "gladly", 1);
  const region mapped = map(file, with_budget(8));
  EXPECT_EQ(words_of(mapped)[0], pattern(0));
}

TEST_F(publishing, passes_over_what_is_no_publication) {
  start_child([&] {
    // Open until the child ends.
    os::file nothing(::memfd_create(detail::publication_name, 0), "nothing");
    os::file text(::memfd_create(detail::publication_name, 0), "text");
    const std::string somebody_elses(300, 'x');
    text.write_at(somebody_elses.data(), somebody_elses.size(), 0);
    pause();
  });
  EXPECT_NE(publication_of_child(), "/nowhere");
  EXPECT_FALSE(seen());
  go_on();
  EXPECT_EQ(end_child(), 0);
}

TEST_F(publishing, passes_over_what_is_damaged) {
  const auto file = make_file(10);
  start_child([&] {
    const region mapped = map(file, with_budget(8));
    pause();
  });
  const std::filesystem::path published_at = publication_of_child();
  std::string whole;
  for (bool is_whole = false; !is_whole;) {
    int status = 0;
    ::kill(child_, SIGSTOP);
    ASSERT_EQ(::waitpid(child_, &status, WUNTRACED), child_);
    std::ifstream in(published_at, std::ios::binary);
    whole.assign((std::istreambuf_iterator<char>(in)), {});
    is_whole = seen().has_value();
    // It was about to publish.
    if (!is_whole) ::kill(child_, SIGCONT);
  }
  for (std::size_t cut : {std::size_t{0}, std::size_t{10}, std::size_t{32}, whole.size() - 1}) {
    std::filesystem::resize_file(published_at, cut);
    EXPECT_FALSE(seen()) << cut;
  }
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x5a);
    write_file(published_at, changed.data(), changed.size());
    ASSERT_FALSE(seen()) << i;
    if (i == 35) i = 700;  // each takes a while, as it might be in the middle of being written
  }
  write_file(published_at, whole.data(), whole.size());
  EXPECT_TRUE(seen());
  ::kill(child_, SIGCONT);
  go_on();
  EXPECT_EQ(end_child(), 0);
}

}  // namespace
}  // namespace perdure::pager
