#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "terminal.hpp"

namespace perdure::cli {
namespace {

std::atomic<bool> is_hidden{false};
std::atomic<bool> is_on_screen{false};
std::atomic<progress_line*> newest{nullptr};
std::mutex screen;  // held while a line is drawn

std::string amount(std::uint64_t n, std::string_view unit) {
  return unit == "bytes" ? in_bytes(n) : grouped(n).append(" ").append(unit);
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<unsigned long long>(std::llround(seconds));
  char text[48];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%llu:%02llu", whole / 60, whole % 60);
  return text;
}

void to_terminal(std::string_view text) noexcept {
  // Progress that cannot be shown is no failure.
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string rate_of(const workload::progress& now, double seconds) {
  const double rate = static_cast<double>(now.done) / std::max(seconds, 1e-3);
  if (now.unit == "bytes") return in_bytes(static_cast<std::uint64_t>(rate)) + "/s";
  return (per_second(rate) + " ").append(now.unit) + "/s";
}

}  // namespace

progress_line::progress_line(std::string label, std::function<workload::progress()> read,
                             std::function<std::string(double)> amounts, std::chrono::milliseconds delay)
    : label_(std::move(label)),
      read_(std::move(read)),
      amounts_(std::move(amounts)),
      delay_(delay),
      below_(newest.load()) {
  newest.store(this);
  start();
}

progress_line::~progress_line() {
  stop();
  newest.store(below_);
}

void progress_line::start() {
  if (is_hidden || ::isatty(STDERR_FILENO) == 0) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    constexpr std::chrono::milliseconds period(250);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, delay_, [] { return false; });
    while (!stop.stop_requested()) {
      {
        const std::scoped_lock drawing(screen);
        if (newest.load() == this && !is_hidden) {
          const std::size_t columns = size_of_terminal(STDERR_FILENO).columns;
          const std::string line = text();
          is_on_screen = true;
          to_terminal("\r" + std::string(cut_to(columns - 1, line)) + "\033[K");
        }
      }
      wake_.wait_for(lock, stop, period, [] { return false; });
    }
  });
}

void progress_line::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  erase_progress();
}

std::string progress_line::text() {
  const workload::progress now = read_();
  const double elapsed = watch_.seconds();
  std::string stage(now.stage);
  if (now.round != 0) stage += " " + grouped(now.round);
  if (const std::string all = stage + " " + std::string(now.unit); all != stage_) {
    // Another stage, which has a rate of its own.
    if (!stage_.empty()) began_ = shown_;
    stage_ = all;
  }
  shown_ = elapsed;
  std::string line = label_;
  if (!stage.empty()) line += ": " + stage;
  const auto add = [&line](const std::string& part) { line += "  " + part; };
  if (now.total != 0) add(std::to_string(std::min<std::uint64_t>(now.done * 100 / now.total, 100)) + "%");
  if (amounts_) {
    add(amounts_(elapsed));
  } else if (!now.unit.empty()) {
    add(amount(now.done, now.unit));
    add(rate_of(now, elapsed - began_));
  }
  // The time left is known if nothing follows that takes as long again.
  if (now.round != 0 || now.total == 0 || now.unit.empty())
    add(clock_time(elapsed));
  else if (now.total > now.done && now.done != 0)
    add("ETA " + clock_time(static_cast<double>(now.total - now.done) / static_cast<double>(now.done) *
                            (elapsed - began_)));
  return line;
}

command_progress::command_progress(const std::string& command)
    : line_(
          command, [this] { return record_.now(); }, {}, std::chrono::seconds(1)) {}

void hide_progress() noexcept {
  is_hidden = true;
}

void end_progress_before_output() {
  if (is_hidden || ::isatty(STDOUT_FILENO) == 0) return;
  const progress_pause pause;
  hide_progress();
}

void erase_progress() noexcept {
  if (is_on_screen.exchange(false)) to_terminal("\r\033[K");
}

progress_pause::progress_pause() : lock_(screen) {
  erase_progress();
}

void stop_progress() {
  if (progress_line* const line = newest.load()) line->stop();
}

void start_progress() {
  if (progress_line* const line = newest.load()) line->start();
}

}  // namespace perdure::cli
