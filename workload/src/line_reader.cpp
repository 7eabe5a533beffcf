// Blocks of whole lines are taken from the stream one after the other, under a lock that also counts the
// lines.
#include <algorithm>
#include <cstring>
#include <perdure/workload/line_reader.hpp>

namespace perdure::workload {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;

}  // namespace

bool line_reader::next(block& taken) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  try {
    std::vector<char>& text = taken.text;
    text.resize(block_size);
    std::size_t size = rest_.size();
    if (size != 0) std::memcpy(text.data(), rest_.data(), size);
    std::size_t whole = 0;  // bytes up to and with the last line feed
    while (whole == 0) {
      if (size == text.size())
        throw error_at(
            line_, 1,
            "the line is longer than " + std::to_string(block_size) + " bytes; this is not a text of lines");
      const std::size_t got = stream_->read(text.data() + size, text.size() - size);
      if (got == 0) {
        ended_ = true;
        if (size == 0) return false;
        if (text[size - 1] != '\n') {
          text.resize(size + 1);
          text[size++] = '\n';
        }
        whole = size;
        break;
      }
      // Go on reading until the block is full: but a pipe hands out little at a time.
      const std::size_t before = size;
      size += got;
      if (stream_->length() != 0) {
        while (size < text.size()) {
          const std::size_t more = stream_->read(text.data() + size, text.size() - size);
          if (more == 0) break;
          size += more;
        }
      }
      if (const void* last = ::memrchr(text.data() + before, '\n', size - before))
        whole = static_cast<std::size_t>(static_cast<const char*>(last) - text.data()) + 1;
    }
    rest_.assign(text.begin() + static_cast<std::ptrdiff_t>(whole),
                 text.begin() + static_cast<std::ptrdiff_t>(size));
    text.resize(whole);
    taken.first_line = line_;
    line_ += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    return true;
  } catch (...) {
    ended_ = true;
    throw;
  }
}

void line_reader::stop() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

line_error line_reader::error_at(std::uint64_t line, std::uint64_t column, const std::string& what) const {
  return line_error(
      stream_->name() + ": line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what,
      line, column);
}

}  // namespace perdure::workload
