#include "text_lines.hpp"

#include <perdure/workload/byte_stream.hpp>

namespace perdure::kmer::detail {

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

text_lines::text_lines(const std::filesystem::path& file)
    : name_(file == "-" ? "standard input" : file.string()), reader_(workload::open_byte_stream(file)) {}

bool text_lines::next(std::string_view& line) {
  do {
    if (rest_.empty()) {
      if (!reader_.next(block_)) return false;
      rest_ = {block_.text.data(), block_.text.size()};
      number_ = block_.first_line - 1;
    }
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++number_;
  } while (trimmed(line).empty());
  return true;
}

error text_lines::error_at(std::uint64_t line, const std::string& what) const {
  return error(errc::bad_input, name_ + ": line " + std::to_string(line) + ": " + what);
}

}  // namespace perdure::kmer::detail
