#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

namespace perdure::cli {
namespace {

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

void to_terminal(const std::string& text) {
  // Progress that cannot be shown is no failure.
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

progress_line::progress_line(std::string label, std::function<workload::progress()> read,
                             std::function<std::string(double)> amounts)
    : label_(std::move(label)), read_(std::move(read)), amounts_(std::move(amounts)) {
  if (::isatty(STDERR_FILENO) == 0) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
      if (!stop.stop_requested()) show();
    }
  });
}

progress_line::~progress_line() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  to_terminal("\r\033[K");
}

void progress_line::show() {
  const workload::progress now = read_();
  const double elapsed = watch_.seconds();
  if (now.unit != unit_) {
    // Another stage, which has a rate of its own.
    if (!unit_.empty()) began_ = shown_;
    unit_ = now.unit;
  }
  shown_ = elapsed;
  const double rate = static_cast<double>(now.done) / (elapsed - began_);
  std::string line = "\r" + label_ + "  ";
  if (now.total != 0) line += std::to_string(now.done * 100 / now.total) + "%  ";
  if (amounts_)
    line += amounts_(elapsed);
  else
    line += amount(now.done, now.unit) + "  " +
            (now.unit == "bytes" ? in_bytes(static_cast<std::uint64_t>(rate)) + "/s"
                                 : (per_second(rate) + " ").append(now.unit) + "/s");
  if (now.total > now.done && now.done != 0)
    line += "  ETA " + clock_time(static_cast<double>(now.total - now.done) / rate);
  to_terminal(line + "\033[K");
}

}  // namespace perdure::cli
