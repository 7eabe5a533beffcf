#include "gml_tokens.hpp"

#include <charconv>
#include <cstddef>

#include "line_scan.hpp"

namespace perdure::graph::formats {
namespace {

constexpr std::size_t longest_token = std::size_t{1} << 20;

bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_number_part(int c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || is_letter(c);
}
bool is_space(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

/// Appends what `name` stands for between `&` and `;`; false if it is not known.
bool append_character(std::string& out, std::string_view name) {
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool is_hex = name.starts_with('x') || name.starts_with('X');
    if (is_hex) name.remove_prefix(1);
    std::uint32_t code = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), code, is_hex ? 16 : 10);
    if (result.ec != std::errc{} || result.ptr != name.data() + name.size()) return false;
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    if (code == 0 || code > 0x10FFFF || is_surrogate) return false;
    append_utf8(out, code);
    return true;
  }
  struct named {
    std::string_view name;
    char character;
  };
  for (const named& one : {named{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}) {
    if (one.name != name) continue;
    out.push_back(one.character);
    return true;
  }
  return false;
}

}  // namespace

int gml_tokens::peek() {
  while (at_ == size_) {
    if (has_ended_) return at_end;
    size_ = stream_.read(piece_.data(), piece_.size());
    at_ = 0;
    has_ended_ = size_ == 0;
    // This is asked before anything was taken, so the piece is the file's first.
    if (line_ahead_ == 1 && column_ahead_ == 1 &&
        std::string_view(piece_.data(), size_).starts_with(byte_order_mark))
      at_ = byte_order_mark.size();
  }
  return static_cast<unsigned char>(piece_[at_]);
}

int gml_tokens::take() {
  const int c = peek();
  if (c == at_end) return c;
  ++at_;
  if (c == '\n') {
    ++line_ahead_;
    column_ahead_ = 1;
  } else {
    ++column_ahead_;
  }
  return c;
}

void gml_tokens::skip_space() {
  for (;;) {
    while (is_space(peek())) take();
    // A line that begins so is a comment.
    if (peek() != '#') return;
    while (peek() != '\n' && peek() != at_end) take();
  }
}

gml_tokens::kind gml_tokens::next() {
  skip_space();
  line_ = line_ahead_;
  column_ = column_ahead_;
  text_.clear();
  const int c = peek();
  if (c == at_end) return kind::end;
  if (c == '[' || c == ']') {
    take();
    return c == '[' ? kind::open : kind::close;
  }
  if (c == '"') {
    read_text();
    return kind::text;
  }
  const bool is_key = is_letter(c);
  if (!is_key && !is_number_part(c))
    refuse_("expected a key, a number, a text in quotes or a bracket, not " + quoted(static_cast<char>(c)));
  while (is_number_part(peek()) && text_.size() < longest_token) text_.push_back(static_cast<char>(take()));
  return is_key ? kind::key : kind::number;
}

void gml_tokens::read_text() {
  take();
  for (;;) {
    const int c = take();
    if (c == '"') break;
    if (c == at_end) refuse_("the file ends inside a text that begins here");
    if (text_.size() == longest_token) refuse_("a text of more than a megabyte");
    text_.push_back(static_cast<char>(c));
  }
  if (text_.find('&') != std::string::npos) decode();
}

void gml_tokens::decode() {
  std::string plain;
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t mark = rest.find('&');
    plain += rest.substr(0, mark);
    if (mark == std::string_view::npos) break;
    rest.remove_prefix(mark + 1);
    const std::size_t end = rest.find(';');
    if (end != std::string_view::npos && append_character(plain, rest.substr(0, end))) {
      rest.remove_prefix(end + 1);
    } else {
      plain.push_back('&');
    }
  }
  text_ = std::move(plain);
}

}  // namespace perdure::graph::formats
