// Lines of a text, for several threads at once: each takes blocks of whole lines and knows their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/progress.hpp>
#include <string>
#include <vector>

namespace perdure::workload {

/// Malformed input (`errc::bad_input`). `line` and `column` count from 1; where the input is not text, `line`
/// is the number of the record and `column` is 0.
class line_error : public error {
 public:
  line_error(const std::string& what, std::uint64_t line, std::uint64_t column)
      : error(errc::bad_input, what), line_(line), column_(column) {}
  std::uint64_t line() const noexcept { return line_; }
  std::uint64_t column() const noexcept { return column_; }

 private:
  std::uint64_t line_;
  std::uint64_t column_;
};

/// Cuts a stream into blocks. Reading (and decompressing) is done by whichever thread asks, under a lock;
/// what is done with the lines is done outside it, by many.
///
/// Thread safety: any member from any thread.
class line_reader {
 public:
  /// Some lines, each of them with a line feed at its end, the last of the text too.
  struct block {
    std::vector<char> text;
    std::uint64_t first_line = 0;  ///< the number of the first of them, from 1
  };

  static constexpr std::size_t block_size = std::size_t{1} << 20;

  /// A line of more than `longest_line` bytes is refused: it is no text of lines.
  explicit line_reader(std::unique_ptr<byte_stream> stream, std::size_t longest_line = block_size)
      : stream_(std::move(stream)), longest_line_(longest_line) {}

  /// Replaces what is in `taken`, whose memory is used again, by the next lines: about a megabyte, or
  /// what a pipe has. False at the end. Throws what the stream throws, and `line_error` for a line that is
  /// too long; the reader is at its end then.
  bool next(block& taken);
  /// Nobody gets more lines: for one who has met a malformed one.
  void stop();

  /// The error that says "NAME: line L, column C: WHAT".
  line_error error_at(std::uint64_t line, std::uint64_t column, const std::string& what) const;
  workload::progress progress() const noexcept { return stream_->progress(); }
  /// Whether the text is a file that is not compressed. Each reader of such a file cuts it into the same
  /// blocks.
  bool is_plain() const noexcept { return stream_->length() != 0 && !stream_->is_encoded(); }

 private:
  std::mutex mutex_;
  std::unique_ptr<byte_stream> stream_;
  std::size_t longest_line_;
  std::vector<char> rest_;  // the beginning of a line whose end has not been read
  std::uint64_t line_ = 1;
  bool ended_ = false;
};

}  // namespace perdure::workload
