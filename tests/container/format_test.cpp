// A program without GoogleTest and without the library, so that it can be built with another standard library
// too.
#include <cstdio>
#include <memory>
#include <perdure/format.hpp>
#include <string>

namespace {

template <class Char>
using text_of = perdure::basic_string<Char, std::char_traits<Char>, std::allocator<Char>>;

bool is(const std::string& formatted, const char* expected) {
  if (formatted == expected) return true;
  std::fprintf(stderr, "\"%s\", not \"%s\"\n", formatted.c_str(), expected);
  return false;
}

}  // namespace

int main() {
  const text_of<char> text = "a string that is too long for its object's room";
  const text_of<char> name = "Ada";
  bool good = is(std::format("{}", text), "a string that is too long for its object's room");
  good &= is(std::format("<{:>5}>", name), "<  Ada>");
  good &= is(std::format("<{:.1}>", name), "<A>");
  good &= std::format(L"{:*<4}", text_of<wchar_t>(L"Ada")) == L"Ada*";
  return good ? 0 : 1;
}
