// Keeps, describes and announces failures that no exception can tell of.
#include "pager/fault_log.hpp"

#include <string.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "base/error_code.hpp"
#include "os/standard_error.hpp"

namespace perdure::pager::detail {

namespace {

// A string of limited length that needs no memory.
class line {
 public:
  line& operator<<(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), text_.size() - length_);
    std::copy_n(text.data(), fits, text_.data() + length_);
    length_ += fits;
    return *this;
  }
  line& operator<<(std::uint64_t number) noexcept {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  std::string_view text() const noexcept { return {text_.data(), length_}; }

 private:
  std::array<char, 512> text_;
  std::size_t length_ = 0;
};

void tell(line& text, const failed_transfer& failed, std::string_view path) noexcept {
  text << "cannot " << (failed.what == failure::operation::read ? "read" : "write") << " the page at offset "
       << failed.offset << " of " << path.substr(0, 256) << ": ";
  // strerror may need memory; this function does not.
  const char* const why = failed.error == 0         ? "the file has become shorter"
                          : failed.error == EBADMSG ? "its content contradicts its checksum"
                                                    : ::strerrordesc_np(failed.error);
  text << (why == nullptr ? "unknown error" : why);
}

}  // namespace

errc code_of(const failed_transfer& failed) noexcept {
  if (failed.error == 0) return errc::io;
  return base::code_of(std::system_error(failed.error, std::generic_category()));
}

std::string describe(const failed_transfer& failed, const std::string& path) {
  line text;
  tell(text, failed, path);
  return std::string(text.text());
}

void fault_log::record(const failed_transfer& failed) noexcept {
  std::uint32_t nothing = 0;
  if (!state_.compare_exchange_strong(nothing, 1)) return;
  first_ = failed;
  state_.store(2, std::memory_order_release);
}

void fault_log::announce(const failed_transfer& failed) noexcept {
  record(failed);
  constexpr std::uint32_t most_lines = 16;
  if (lines_.fetch_add(1, std::memory_order_relaxed) >= most_lines) return;
  line text;
  text << "perdure: ";
  tell(text, failed, path_);
  text << "; the thread that touched it gets a SIGBUS\n";
  os::write_to_standard_error(text.text());
}

std::optional<failure> fault_log::first() const {
  if (state_.load(std::memory_order_acquire) != 2) return std::nullopt;
  return failure{first_.what, first_.offset, first_.error, code_of(first_), describe(first_, path_)};
}

}  // namespace perdure::pager::detail
