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
  /// Makes an error at a line and a column.
  line_error(const std::string& what, std::uint64_t line, std::uint64_t column)
      : error(errc::bad_input, what), line_(line), column_(column) {}
  /// Returns the line, or the number of the record.
  std::uint64_t line() const noexcept { return line_; }
  /// Returns the column; 0 if the input is not text.
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
  /// Some lines. Each has a line feed at its end, also the last one of the text.
  struct block {
    std::vector<char> text;        ///< the lines
    std::uint64_t first_line = 0;  ///< number of the first line, from 1
  };

  /// Usual size of a block in bytes.
  static constexpr std::size_t block_size = std::size_t{1} << 20;

  /// Reads from `stream`. A line of more than `longest_line` bytes is an error: such a file is not text.
  explicit line_reader(std::unique_ptr<byte_stream> stream, std::size_t longest_line = block_size)
      : stream_(std::move(stream)), longest_line_(longest_line) {}

  /// Replaces the content of `taken`, whose memory is used again, by the next lines: about a megabyte, or
  /// what a pipe has. Returns false at the end. Throws what the stream throws, and `line_error` for a line
  /// that is too long; the reader is at its end then.
  bool next(block& taken);
  /// Ends the reader for all threads, for one that has met a malformed line.
  void stop();

  /// Returns the error with the message "NAME: line L, column C: WHAT".
  line_error error_at(std::uint64_t line, std::uint64_t column, const std::string& what) const;
  /// Returns the bytes of the file that were read so far.
  workload::progress progress() const noexcept { return stream_->progress(); }
  /// Returns whether the text is a file that is not compressed. Every reader of such a file cuts it into the
  /// same blocks.
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
