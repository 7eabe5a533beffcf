// The terminal that a command works on until its user has seen enough.
#pragma once

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "interruption.hpp"

namespace perdure::cli {

struct terminal_size {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// Returns the size of the terminal behind a descriptor, which must be one of 0 to 2.
terminal_size size_of_terminal(int descriptor) noexcept;

/// Returns how wide text for people is: as the variable COLUMNS says, else as the terminal on standard
/// output.
std::size_t columns_for_text() noexcept;

/// Returns whether colours and bold type may be written to a descriptor: a terminal, without NO_COLOR.
bool shows_colours(int descriptor) noexcept;

/// Returns how many columns a text of UTF-8 takes, each character as wide as any other.
std::size_t columns_of(std::string_view text) noexcept;

/// The line's beginning that fits, without its end of line. UTF-8, each character as wide as any other.
std::string_view cut_to(std::size_t columns, std::string_view line) noexcept;

/// Returns a text of one line that takes no more columns: the whole text, or its beginning and an ellipsis.
std::string shortened_to(std::size_t columns, std::string_view line);

/// Returns how many columns a line of standard output may take: those of its terminal. Elsewhere nothing is
/// cut.
std::size_t columns_of_lines() noexcept;

/// Hears single keys while it lives, unseen, where standard input is this process's terminal. Signals that
/// end the program are heard too, so that the terminal is as it was afterwards.
class key_watch {
 public:
  key_watch();
  key_watch(const key_watch&) = delete;
  key_watch& operator=(const key_watch&) = delete;
  ~key_watch();

  /// Waits so long; whether `q` was pressed or a signal came, which `interruption_watch` tells.
  bool is_over_within(std::chrono::milliseconds time);

 private:
  void hear_keys() noexcept;

  interruption_watch signals_;
  termios before_{};
  bool has_keys_;
};

}  // namespace perdure::cli
