// Parses Python's literals.
#include "python_literal.hpp"

#include <charconv>
#include <perdure/error.hpp>

#include "unicode.hpp"

namespace perdure::formats {

namespace {

constexpr unsigned deepest = 32;

class parser {
 public:
  explicit parser(std::string_view text) : all_(text), rest_(text) {}

  python_literal whole() {
    python_literal value = one(0);
    skip_space();
    if (!rest_.empty()) fail("goes on after its end");
    return value;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw error(errc::bad_input, std::string("its header ") + what + ", at character " +
                                     std::to_string(all_.size() - rest_.size() + 1));
  }
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  python_literal one(unsigned depth) {
    if (depth > deepest) fail("is nested too deeply");
    skip_space();
    if (rest_.empty()) fail("ends too early");
    python_literal value;
    if (take('(')) return sequence(')', depth);
    if (take('[')) return sequence(']', depth);
    if (take('{')) return dictionary(depth);
    if (rest_[0] == '\'' || rest_[0] == '"') return string();
    if (take_word("True") || take_word("False")) {
      value.what = python_literal::kind::truth;
      value.number = rest_.data()[-2] == 'u' ? 1 : 0;
      return value;
    }
    if (take_word("None")) return value;
    value.what = python_literal::kind::number;
    const auto [stop, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value.number);
    if (problem != std::errc{}) fail("has what is no number, text, tuple or list");
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    take_word("L");  // of Python 2
    return value;
  }

  python_literal sequence(char end, unsigned depth) {
    python_literal value;
    value.what = python_literal::kind::sequence;
    bool is_tuple = end == ']';
    while (!take(end)) {
      value.items.push_back(one(depth + 1));
      if (take(',')) {
        is_tuple = true;
        continue;
      }
      if (!take(end)) fail("lacks the end of a list");
      break;
    }
    // (x) is x.
    if (!is_tuple && value.items.size() == 1) return python_literal(std::move(value.items[0]));
    return value;
  }

  python_literal dictionary(unsigned depth) {
    python_literal value;
    value.what = python_literal::kind::dictionary;
    while (!take('}')) {
      value.items.push_back(one(depth + 1));
      if (!take(':')) fail("lacks ':'");
      value.items.push_back(one(depth + 1));
      if (take(',')) continue;
      if (!take('}')) fail("lacks '}'");
      break;
    }
    return value;
  }

  /// Takes what stands behind a backslash.
  void append_escaped(std::string& text) {
    constexpr std::string_view letters = "ntrabfv0";
    constexpr std::string_view meanings("\n\t\r\a\b\f\v\0", 8);
    const char c = rest_[0];
    rest_.remove_prefix(1);
    if (const std::size_t at = letters.find(c); at != std::string_view::npos) {
      text += meanings[at];
      return;
    }
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    const std::string_view number = rest_.substr(0, digits);
    const auto [stop, problem] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
    const bool is_code =
        digits != 0 && number.size() == digits && problem == std::errc{} && stop == number.data() + digits;
    if (!is_code || !append_utf8(text, code)) fail("has an escape that is not known");
    rest_.remove_prefix(digits);
  }

  python_literal string() {
    python_literal value;
    value.what = python_literal::kind::text;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != quote) {
      if (rest_[0] == '\\') {
        rest_.remove_prefix(1);
        if (rest_.empty()) break;
        if (rest_[0] != '\\' && rest_[0] != '\'' && rest_[0] != '"') {
          append_escaped(value.text);
          continue;
        }
      }
      value.text += rest_[0];
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) fail("lacks the end of a text");
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view all_;
  std::string_view rest_;
};

}  // namespace

const python_literal* python_literal::find(std::string_view key) const noexcept {
  if (what != kind::dictionary) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].what == kind::text && items[i].text == key) return &items[i + 1];
  return nullptr;
}

python_literal parse_python_literal(std::string_view text) {
  return parser(text).whole();
}

}  // namespace perdure::formats
