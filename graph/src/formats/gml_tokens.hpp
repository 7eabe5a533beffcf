// The words of GML: keys, numbers, texts and brackets.
#pragma once

#include <cstdint>
#include <functional>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph::formats {

/// Takes a file of any size apart, a piece at a time. Not thread-safe.
class gml_tokens {
 public:
  enum class kind { key, number, text, open, close, end };

  /// Says what is wrong at the place where the tokens are.
  using refusal = std::function<void(const std::string&)>;

  gml_tokens(workload::byte_stream& stream, refusal refuse) : stream_(stream), refuse_(std::move(refuse)) {}

  /// The next token; what it says is `text()`, of a text without the quotes and with its characters for
  /// `&amp;` and the like.
  kind next();
  const std::string& text() const noexcept { return text_; }
  /// Where the last token begins, from 1.
  std::uint64_t line() const noexcept { return line_; }
  std::uint64_t column() const noexcept { return column_; }

 private:
  static constexpr int at_end = -1;

  int peek();
  int take();
  void skip_space();
  void read_text();
  void decode();

  workload::byte_stream& stream_;
  refusal refuse_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  std::size_t size_ = 0;
  std::size_t at_ = 0;
  bool has_ended_ = false;
  std::string text_;
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 1;
  std::uint64_t line_ahead_ = 1;  // of what `peek` sees
  std::uint64_t column_ahead_ = 1;
};

}  // namespace perdure::graph::formats
