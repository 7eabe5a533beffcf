#include "terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "base/environment.hpp"

namespace perdure::cli {
namespace {

// Who changes a terminal from the background is stopped.
bool is_in_foreground() noexcept {
  return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

}  // namespace

terminal_size size_of_terminal(int descriptor) noexcept {
  winsize told{};
  terminal_size size;
  if (::ioctl(descriptor, TIOCGWINSZ, &told) != 0) return size;
  if (told.ws_col != 0) size.columns = told.ws_col;
  if (told.ws_row != 0) size.rows = told.ws_row;
  return size;
}

std::size_t columns_for_text() noexcept {
  const auto set = base::value_of(base::variable("COLUMNS").row());
  std::size_t columns = 0;
  if (set) {
    const char* const end = set->data() + set->size();
    const auto [stop, problem] = std::from_chars(set->data(), end, columns);
    if (problem == std::errc{} && stop == end && columns >= 20 && columns <= 1000) return columns;
  }
  return std::max<std::size_t>(size_of_terminal(STDOUT_FILENO).columns, 20);
}

bool shows_colours(int descriptor) noexcept {
  return ::isatty(descriptor) != 0 && !base::value_of(base::variable("NO_COLOR").row());
}

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string_view cut_to(std::size_t columns, std::string_view line) noexcept {
  line = line.substr(0, line.find('\n'));
  std::size_t at = 0;
  for (std::size_t shown = 0; at < line.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(line[at]) & 0xc0) != 0x80;
    if (begins && shown++ == columns) break;
  }
  return line.substr(0, at);
}

std::string shortened_to(std::size_t columns, std::string_view line) {
  if (columns_of(line) <= columns) return std::string(line);
  if (columns == 0) return {};
  return std::string(cut_to(columns - 1, line)) + "\u2026";
}

std::size_t columns_of_lines() noexcept {
  return ::isatty(STDOUT_FILENO) != 0 ? columns_for_text() : std::numeric_limits<std::size_t>::max();
}

key_watch::key_watch() : has_keys_(::tcgetattr(STDIN_FILENO, &before_) == 0) {}

key_watch::~key_watch() {
  if (has_keys_ && is_in_foreground()) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void key_watch::hear_keys() noexcept {
  if (!is_in_foreground()) return;
  termios single = before_;
  single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  single.c_cc[VMIN] = 1;
  single.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &single);
}

bool key_watch::is_over_within(std::chrono::milliseconds time) {
  using clock = std::chrono::steady_clock;
  // Again each time: who continues a stopped program finds another mode.
  if (has_keys_) hear_keys();
  const clock::time_point end = clock::now() + time;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    if (interruption_watch::signal() != 0) return true;
    if (left <= 0) return false;
    pollfd both[2] = {{signals_.descriptor(), POLLIN, 0},
                      {has_keys_ && is_in_foreground() ? STDIN_FILENO : -1, POLLIN, 0}};
    if (::poll(both, 2, static_cast<int>(std::min<long long>(left, 1000))) <= 0 || both[1].revents == 0)
      continue;
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) != 1) has_keys_ = false;
    if (key == 'q' || key == 'Q') return true;
  }
}

}  // namespace perdure::cli
