// Where failures are told of that a function reports only by its return value.
#pragma once

#include <metall/logger_interface.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

namespace metall {

/// Thread-safe.
class logger {
 public:
  enum struct level {
    critical = metall_critical,  ///< aborts the program, unless `abort_on_critical_error(false)`
    error = metall_error,
    warning = metall_warning,
    info = metall_info,
    debug = metall_debug,
    verbose = metall_verbose,
  };

  logger() = delete;

  static void out(const level lvl, const char* const file_name, const int line_no,
                  const char* const message) noexcept {
    metall_log(static_cast<metall_log_level>(lvl), file_name, static_cast<std::size_t>(line_no), message);
  }

  /// Logs like `out`, with the meaning of `errno` after the message.
  static void perror(const level lvl, const char* const file_name, const int line_no,
                     const char* const message) noexcept {
    const int number = errno;
    try {
      out(lvl, file_name, line_no,
          (std::string(message) + ": " + std::generic_category().message(number)).c_str());
    } catch (...) {
      out(lvl, file_name, line_no, message);
    }
  }

#ifndef METALL_LOGGER_EXTERN_C
  /// The least important level that is still written.
  class level_filter {
   public:
    static const level_filter critical;
    static const level_filter error;
    static const level_filter warning;
    static const level_filter info;
    static const level_filter debug;
    static const level_filter verbose;
    static const level_filter silent;  ///< nothing is written

    constexpr level_filter(const level least) noexcept : least_(static_cast<int>(least)) {}
    constexpr bool should_log(const level lvl) const noexcept { return static_cast<int>(lvl) >= least_; }

   private:
    friend class logger;
    struct raw {};
    constexpr level_filter(raw, int least) noexcept : least_(least) {}
    int least_;
  };

  static level_filter log_level() noexcept {
    return {level_filter::raw{}, least_level().load(std::memory_order_relaxed)};
  }
  /// Initially `error`.
  static void set_log_level(const level_filter filter) noexcept {
    least_level().store(filter.least_, std::memory_order_relaxed);
  }

  /// Initially true.
  static bool abort_on_critical_error() noexcept { return aborts().load(std::memory_order_relaxed); }
  static void abort_on_critical_error(const bool enable) noexcept {
    aborts().store(enable, std::memory_order_relaxed);
  }

 private:
  static std::atomic<int>& least_level() noexcept {
    static std::atomic<int> least{metall_error};
    return least;
  }
  static std::atomic<bool>& aborts() noexcept {
    static std::atomic<bool> enabled{true};
    return enabled;
  }
#endif
};

#ifndef METALL_LOGGER_EXTERN_C
inline constexpr logger::level_filter logger::level_filter::critical{logger::level::critical};
inline constexpr logger::level_filter logger::level_filter::error{logger::level::error};
inline constexpr logger::level_filter logger::level_filter::warning{logger::level::warning};
inline constexpr logger::level_filter logger::level_filter::info{logger::level::info};
inline constexpr logger::level_filter logger::level_filter::debug{logger::level::debug};
inline constexpr logger::level_filter logger::level_filter::verbose{logger::level::verbose};
inline constexpr logger::level_filter logger::level_filter::silent{logger::level_filter::raw{},
                                                                   metall_critical + 1};
#endif

}  // namespace metall

#ifndef METALL_LOGGER_EXTERN_C
extern "C" inline void metall_log(metall_log_level level, const char* file_name, size_t line_no,
                                  const char* message) {
  const auto lvl = static_cast<metall::logger::level>(level);
  if (metall::logger::log_level().should_log(lvl))
    std::fprintf(stderr, "%s at line %zu --- %s\n", file_name, line_no, message);
  if (lvl == metall::logger::level::critical && metall::logger::abort_on_critical_error()) std::abort();
}
#endif
