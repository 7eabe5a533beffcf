// perdure top.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <perdure/datastore.hpp>
#include <perdure/pager.hpp>
#include <sstream>
#include <utility>

#include "segment/segment.hpp"
#include "support/program.hpp"
#include "support/scratch_test.hpp"
#include "support/sole_publisher.hpp"

namespace {

using perdure::test::outcome;
using perdure::test::perdure_run;

class Top : public perdure::scratch_test {
 protected:
  Top() {
    ::setenv("PERDURE_PAGER_PUBLISH", "1", 1);
    std::ofstream(path("data"), std::ios::binary) << std::string(400 * 4096, 'x');
  }
  ~Top() override { ::unsetenv("PERDURE_PAGER_PUBLISH"); }

  perdure::pager::region map() {
    perdure::pager::options o;
    o.budget = 16 * 4096;
    return perdure::pager::map(path("data"), o);
  }

  /// This process among those that are shown.
  static nlohmann::json shown() {
    const outcome o = perdure_run({"top", "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    const auto processes = nlohmann::json::parse(o.out)["processes"];
    for (const auto& process : processes)
      if (process["pid"] == ::getpid()) return process;
    return nullptr;
  }

 private:
  perdure::sole_publisher alone_;
};

TEST_F(Top, ShowsTheRegionsOfRunningProcesses) {
  const perdure::pager::region mapped = map();
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < 400; ++p)
    if (mapped.data()[p * 4096] != std::byte{'x'}) ++wrong;
  EXPECT_EQ(wrong, 0u);
  // What was published may be a quarter of a second old, and of the middle of the loop above.
  nlohmann::json process;
  nlohmann::json at_work;
  for (int i = 0; i < 1000; ++i) {
    process = shown();
    ASSERT_FALSE(process.is_null());
    if (mapped.tier() == perdure::pager::tier::plain) break;
    if (at_work.is_null() && process["regions"][0]["evictions"] != 0) at_work = process["regions"][0];
    if (process["regions"][0]["bytes_read"] == 400 * 4096) break;
  }
  ASSERT_EQ(process["regions"].size(), 1u);
  const auto& region = process["regions"][0];
  EXPECT_EQ(region["file"], path("data").string());
  EXPECT_EQ(region["bytes"], 400 * 4096);
  EXPECT_EQ(region["budget"], 16 * 4096);
  EXPECT_EQ(region["mode"], "read_only");
  EXPECT_EQ(region["tier"], perdure::pager::to_string(mapped.tier()));
  if (mapped.tier() != perdure::pager::tier::plain) {
    EXPECT_EQ(region["bytes_read"], 400 * 4096);
    EXPECT_FALSE(region["latency"].empty());
    ASSERT_FALSE(at_work.is_null());
    EXPECT_GT(at_work["lately"]["p99_seconds"].get<double>(), 0.0);
    EXPECT_GT(at_work["lately"]["faults_per_second"].get<double>(), 0.0);
  }
  const outcome text = perdure_run({"top", "--count", "2"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find(std::to_string(::getpid())), std::string::npos);
  EXPECT_NE(text.out.find("data\n"), std::string::npos);
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
}

TEST_F(Top, ShowsPagedStores) {
  if (perdure::pager::why_unavailable(perdure::pager::tier::uffd_sigbus)) GTEST_SKIP() << "needs userfaultfd";
  perdure::store_options options;
  options.capacity = perdure::detail::segment_alignment;
  options.backing = perdure::backing::paged;
  options.memory_budget = 64 * 4096;
  const auto store = perdure::datastore::create(path("graph.store"), options);
  store->memory().grow(600 * 4096);
  for (std::size_t page = 0; page < 600; ++page) store->memory().base()[page * 4096] = std::byte{1};
  // What was published may be a quarter of a second old.
  nlohmann::json process;
  for (int i = 0; i < 1000; ++i) {
    process = shown();
    ASSERT_FALSE(process.is_null());
    if (process["regions"][0]["evictions"] > 300) break;
  }
  ASSERT_EQ(process["regions"].size(), 1u);
  const auto& region = process["regions"][0];
  EXPECT_EQ(region["file"], path("graph.store").string());
  EXPECT_EQ(region["budget"], 64 * 4096);
  EXPECT_EQ(region["mode"], "private_copy");
  EXPECT_EQ(region["bytes"], store->memory().size());
  EXPECT_GT(region["evictions"], 0);
  EXPECT_FALSE(region["latency"].empty());
  EXPECT_LE(region["resident_bytes"], 64 * 4096);
}

/// A terminal of 80 columns, and `perdure top` on it, after which a shell tells how it ended and how it left
/// the terminal.
class top_on_terminal {
 public:
  top_on_terminal() {
    const winsize size{24, 80, 0, 0};
    const std::string program = perdure::test::perdure_program();
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::execlp("sh", "sh", "-c", R"(trap : INT; "$0" top --interval 3600; echo "ended $?"; stty -a)",
               program.c_str(), nullptr);
      ::_exit(127);
    }
    EXPECT_GT(pid_, 0);
  }
  top_on_terminal(const top_on_terminal&) = delete;
  top_on_terminal& operator=(const top_on_terminal&) = delete;
  ~top_on_terminal() {
    ::close(terminal_);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void type(char key) const { EXPECT_EQ(::write(terminal_, &key, 1), 1); }
  /// What was shown until this was, or until all programs have ended.
  std::string read_until(const std::string& part) const {
    std::array<char, 4096> bytes;
    std::string shown;
    while (part.empty() || shown.find(part) == std::string::npos) {
      pollfd waiting{terminal_, POLLIN, 0};
      if (::poll(&waiting, 1, 10'000) <= 0) break;
      const ssize_t got = ::read(terminal_, bytes.data(), bytes.size());
      if (got <= 0) break;
      shown.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return shown;
  }

 private:
  pid_t pid_ = -1;
  int terminal_ = -1;
};

/// Of a terminal, from where it was cleared up to `end`.
void expect_lines_to_fit(const std::string& shown, const std::string& end) {
  const std::size_t begin = shown.find("\x1b[J") + 3;
  std::istringstream lines(shown.substr(begin, shown.find(end) - begin));
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line); ++found)
    EXPECT_LE(line.substr(0, line.find('\r')).size(), 80u) << line;
  EXPECT_GE(found, 2u);
}

TEST_F(Top, FitsTheTerminalAndEndsWhenTold) {
  const perdure::pager::region mapped = map();
  for (const auto& [key, end] : {std::pair{'q', "ended 0"}, {'\x03', "ended 130"}}) {
    const top_on_terminal top;
    const std::string shown = top.read_until(std::to_string(::getpid()));
    top.type(key);
    const std::string rest = top.read_until("");
    EXPECT_NE(rest.find(end), std::string::npos) << rest;
    EXPECT_NE(rest.find(" icanon"), std::string::npos) << rest;
    EXPECT_NE(rest.find(" echo "), std::string::npos) << rest;
    expect_lines_to_fit(shown + rest, "ended");
  }
}

TEST_F(Top, FitsTheTerminalWhereNobodyIsSeen) {
  const top_on_terminal top;
  const std::string shown = top.read_until("PERDURE_PAGER_PUBLISH=1.\r\n");
  EXPECT_NE(shown.find("No process publishes"), std::string::npos) << shown;
  top.type('q');
  expect_lines_to_fit(shown + top.read_until(""), "ended");
}

TEST_F(Top, SaysHowToBeSeenWhereNobodyIs) {
  EXPECT_TRUE(shown().is_null());
  const outcome o = perdure_run({"top", "--help"});
  EXPECT_NE(o.out.find("PERDURE_PAGER_PUBLISH"), std::string::npos);
  EXPECT_EQ(perdure_run({"top", "--interval", "0"}).status, 2);
  EXPECT_EQ(perdure_run({"top", "more"}).status, 2);
}

}  // namespace
