// Types without a language, and their text.
#include "perdure/data_type.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string>

#include "perdure/error.hpp"

namespace perdure {

namespace {

struct number {
  element_kind kind;
  std::string_view name;
  std::size_t size;
  std::size_t alignment;
};

constexpr std::array numbers{
    number{element_kind::boolean, "bool", 1, 1},        number{element_kind::character, "char", 1, 1},
    number{element_kind::int8, "int8", 1, 1},           number{element_kind::int16, "int16", 2, 2},
    number{element_kind::int32, "int32", 4, 4},         number{element_kind::int64, "int64", 8, 8},
    number{element_kind::uint8, "uint8", 1, 1},         number{element_kind::uint16, "uint16", 2, 2},
    number{element_kind::uint32, "uint32", 4, 4},       number{element_kind::uint64, "uint64", 8, 8},
    number{element_kind::float16, "float16", 2, 2},     number{element_kind::bfloat16, "bfloat16", 2, 2},
    number{element_kind::float32, "float32", 4, 4},     number{element_kind::float64, "float64", 8, 8},
    number{element_kind::complex64, "complex64", 8, 4}, number{element_kind::complex128, "complex128", 16, 8},
    number{element_kind::text, "string", 0, 1}};

constexpr std::size_t longest_text = std::size_t{64} << 10;
constexpr unsigned deepest = 32;

[[noreturn]] void refuse_type(const std::string& what) {
  throw error(errc::invalid_argument, "no type of data: " + what);
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         std::all_of(text.begin(), text.end(), detail::is_identifier);
}

void append_name(std::string& out, std::string_view name) {
  if (is_name(name)) {
    out += name;
    return;
  }
  out += '"';
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void append_shape(std::string& out, std::size_t size, std::size_t alignment) {
  out += std::to_string(size);
  out += '/';
  out += std::to_string(alignment);
}

class parser {
 public:
  explicit parser(std::string_view text) : all_(text), rest_(text) {
    if (text.size() > longest_text) fail("is longer than 64 KiB");
  }

  data_type whole() {
    data_type type = one(0);
    if (!rest_.empty()) fail("goes on after its end");
    return type;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    constexpr std::size_t shown = 80;
    throw error(errc::bad_input, "the type \"" + std::string(all_.substr(0, shown)) + "\" " + what +
                                     ", at character " + std::to_string(all_.size() - rest_.size() + 1));
  }
  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("lacks '") + c + "'");
  }
  std::uint64_t integer() {
    std::uint64_t value = 0;
    const auto [stop, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc{}) fail("lacks a number");
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return value;
  }
  std::string_view word() {
    std::size_t end = 0;
    while (end < rest_.size() && detail::is_identifier(rest_[end])) ++end;
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }
  std::string quoted_or_word() {
    if (!take('"')) {
      const std::string_view found = word();
      if (!is_name(found)) fail("lacks a name");
      return std::string(found);
    }
    std::string name;
    while (!take('"')) {
      if (rest_.empty()) fail("lacks '\"'");
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) fail("lacks '\"'");
      name += rest_[0];
      rest_.remove_prefix(1);
    }
    return name;
  }
  // Of what `structure` and its like refuse, the place is told too.
  template <class Make>
  data_type made(Make&& make) {
    try {
      return make();
    } catch (const error& failure) {
      fail(std::string("is none (") + failure.what() + ")");
    }
  }

  data_type one(unsigned depth) {
    if (depth > deepest) fail("is nested too deeply");
    data_type type = without_dims(depth);
    if (!take('[')) return type;
    std::vector<std::uint64_t> dims;
    do dims.push_back(integer());
    while (take(','));
    expect(']');
    return made([&] { return type.array(dims); });
  }

  data_type without_dims(unsigned depth) {
    if (take('{')) return structure(depth);
    const std::string_view name = word();
    for (const number& known : numbers)
      if (known.name == name) return known.kind;
    if (name == "list" && take('<')) {
      data_type element = one(depth + 1);
      expect('>');
      return made([&] { return data_type::list_of(element); });
    }
    if (name == "opaque" && take('(')) {
      const std::uint64_t size = integer();
      expect('/');
      const std::uint64_t alignment = integer();
      expect(' ');
      const std::string own = quoted_or_word();
      expect(')');
      return made([&] { return data_type::opaque(own, size, alignment); });
    }
    fail("has no such word");
  }

  data_type structure(unsigned depth) {
    const std::uint64_t size = integer();
    expect('/');
    const std::uint64_t alignment = integer();
    std::vector<data_field> fields;
    while (take(' ')) {
      data_field field;
      field.name = quoted_or_word();
      expect(':');
      field.type = one(depth + 1);
      expect('@');
      field.offset = integer();
      fields.push_back(std::move(field));
    }
    expect('}');
    return made([&] { return data_type::structure(std::move(fields), size, alignment); });
  }

  std::string_view all_;
  std::string_view rest_;
};

}  // namespace

std::string_view to_string(element_kind kind) noexcept {
  for (const number& known : numbers)
    if (known.kind == kind) return known.name;
  return {};
}

data_type::data_type(element_kind kind) : kind_(kind) {
  const auto found =
      std::find_if(numbers.begin(), numbers.end(), [kind](const number& one) { return one.kind == kind; });
  if (found == numbers.end()) refuse_type("a struct, a list and opaque bytes are more than a kind");
  size_ = found->size;
  alignment_ = found->alignment;
}

data_type data_type::structure(std::vector<data_field> fields, std::size_t size, std::size_t alignment) {
  if (!std::has_single_bit(alignment) || size % alignment != 0)
    refuse_type("a struct of " + std::to_string(size) + " bytes cannot be aligned to " +
                std::to_string(alignment));
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const data_field& field = fields[i];
    if (field.name.empty()) refuse_type("a field has no name");
    if (field.type.is_variable()) refuse_type("the field " + field.name + " has any length");
    if (field.offset < end || field.offset > size || field.type.size() > size - field.offset)
      refuse_type("the field " + field.name + " does not lie behind the one before it and within " +
                  std::to_string(size) + " bytes");
    for (std::size_t j = 0; j < i; ++j)
      if (fields[j].name == field.name) refuse_type("two fields are called " + field.name);
    end = field.offset + field.type.size();
  }
  data_type type;
  type.kind_ = element_kind::structure;
  type.size_ = size;
  type.alignment_ = alignment;
  type.parts_ = std::move(fields);
  return type;
}

data_type data_type::list_of(data_type element) {
  if (element.is_variable()) refuse_type("a list of lists or strings");
  data_type type;
  type.kind_ = element_kind::sequence;
  type.parts_.push_back({{}, 0, std::move(element)});
  return type;
}

data_type data_type::opaque(std::string_view name, std::size_t size, std::size_t alignment) {
  if (!std::has_single_bit(alignment) || size % alignment != 0)
    refuse_type(std::to_string(size) + " bytes cannot be aligned to " + std::to_string(alignment));
  if (name.empty()) refuse_type("opaque bytes need a name");
  data_type type;
  type.size_ = size;
  type.alignment_ = alignment;
  type.name_ = name;
  return type;
}

data_type data_type::array(std::span<const std::uint64_t> dims) const {
  if (is_variable()) refuse_type("a fixed array of elements of any length");
  data_type type = *this;
  type.multiply(dims);
  type.dims_.insert(type.dims_.begin(), dims.begin(), dims.end());
  return type;
}

void data_type::multiply(std::span<const std::uint64_t> dims) {
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const std::uint64_t extent : dims) {
    if (extent == 0) refuse_type("a fixed array of no elements");
    if (size_ != 0 && extent > most / size_) refuse_type("a fixed array of more bytes than there can be");
    size_ *= extent;
  }
}

const std::vector<data_field>& data_type::fields() const noexcept {
  static const std::vector<data_field> none;
  return kind_ == element_kind::structure ? parts_ : none;
}

const data_type& data_type::element() const {
  if (kind_ != element_kind::sequence) refuse_type(text() + " has no elements: it is no list");
  return parts_.front().type;
}

data_type data_type::base() const {
  data_type type = *this;
  for (const std::uint64_t extent : type.dims_) type.size_ /= extent;
  type.dims_.clear();
  return type;
}

std::string data_type::text() const {
  std::string out;
  switch (kind_) {
    case element_kind::structure: {
      const std::size_t size = base().size_;
      out = '{';
      append_shape(out, size, alignment_);
      for (const data_field& field : parts_) {
        out += ' ';
        append_name(out, field.name);
        out += ':';
        out += field.type.text();
        out += '@';
        out += std::to_string(field.offset);
      }
      out += '}';
      break;
    }
    case element_kind::sequence:
      out = "list<";
      out += parts_.front().type.text();
      out += '>';
      break;
    case element_kind::opaque:
      out = "opaque(";
      append_shape(out, base().size_, alignment_);
      out += ' ';
      append_name(out, name_);
      out += ')';
      break;
    default:
      out = to_string(kind_);
  }
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    out += i == 0 ? '[' : ',';
    out += std::to_string(dims_[i]);
  }
  if (!dims_.empty()) out += ']';
  return out;
}

data_type data_type::parse(std::string_view text) {
  return parser(text).whole();
}

bool operator==(const data_type& a, const data_type& b) noexcept {
  return a.kind_ == b.kind_ && a.size_ == b.size_ && a.alignment_ == b.alignment_ && a.dims_ == b.dims_ &&
         a.name_ == b.name_ && a.parts_ == b.parts_;
}

}  // namespace perdure
