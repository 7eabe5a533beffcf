// Lines of small text files, with their numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <perdure/error.hpp>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <string_view>

namespace perdure::kmer::detail {

/// A text whose lines are read one after the other.
class text_lines {
 public:
  /// Throws what opening the file throws.
  explicit text_lines(const std::filesystem::path& file);

  /// Takes the next line, without its end, for as long as the line after it is not taken. Blank lines are
  /// left out. Returns false at the end.
  bool next(std::string_view& line);
  std::uint64_t number() const noexcept { return number_; }
  /// Returns the error that says "FILE: line L: WHAT", for the last line taken or for another one.
  error error_here(const std::string& what) const { return error_at(number_, what); }
  error error_at(std::uint64_t line, const std::string& what) const;

 private:
  std::string name_;
  workload::line_reader reader_;
  workload::line_reader::block block_;
  std::string_view rest_;  // of the block
  std::uint64_t number_ = 0;
};

/// Returns text without blanks and tabs around it.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace perdure::kmer::detail
