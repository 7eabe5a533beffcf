// Reads and writes .npy files.
#include "npy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <perdure/error.hpp>
#include <span>
#include <utility>
#include <vector>

#include "numpy_type.hpp"
#include "stored_parts.hpp"
#include "unicode.hpp"

namespace perdure::formats {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t longest_header = std::size_t{16} << 20;
constexpr std::uint64_t most_empty_texts = std::uint64_t{1} << 24;

/// Where the elements are, and how.
struct npy_layout {
  numpy_type element;
  extents dims;  // as the file counts them
  bool is_column_major = false;
  std::uint64_t begin = 0;  // of the elements
  std::vector<std::string> losses;
};

std::string utf8_of_latin1(std::string_view text) {
  std::string out;
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

bool begins_as_npy(const input_file& file, std::uint64_t begin, std::uint64_t bytes) {
  return bytes >= magic.size() && file.text_at(begin, magic.size()) == magic;
}

npy_layout read_header(const input_file& file, std::uint64_t begin, std::uint64_t bytes) {
  std::array<unsigned char, 12> head{};
  if (bytes < 10) file.refuse("it is too short for a .npy file");
  file.read_at(begin, std::as_writable_bytes(std::span(head).first(10)));
  if (std::memcmp(head.data(), magic.data(), magic.size()) != 0) file.refuse("it is no .npy file");
  const unsigned version = head[6];
  std::size_t length = head[8] | std::size_t{head[9]} << 8;
  std::uint64_t at = 10;
  if (version == 2 || version == 3) {
    if (bytes < 12) file.refuse("it is too short for a .npy file");
    file.read_at(begin + 10, std::as_writable_bytes(std::span(head).subspan(10)));
    length |= std::size_t{head[10]} << 16 | std::size_t{head[11]} << 24;
    at = 12;
  } else if (version != 1) {
    file.refuse("it is a .npy file of version " + std::to_string(version) + ", which is not known");
  }
  if (length > longest_header || length > bytes - at) file.refuse("its header is longer than the file");
  std::string header = file.text_at(begin + at, length);
  // Before version 3 it is Latin-1.
  if (version < 3) header = utf8_of_latin1(header);
  npy_layout layout;
  layout.begin = begin + at + length;
  try {
    const python_literal said = parse_python_literal(header);
    using kind = python_literal::kind;
    const python_literal* const descr = said.find("descr");
    const python_literal* const order = said.find("fortran_order");
    const python_literal* const shape = said.find("shape");
    if (descr == nullptr || order == nullptr || shape == nullptr || order->what != kind::truth ||
        shape->what != kind::sequence)
      throw error(errc::bad_input, "its header lacks descr, fortran_order or shape");
    layout.is_column_major = order->number != 0;
    for (const python_literal& one : shape->items) {
      if (one.what != kind::number || one.number < 0)
        throw error(errc::bad_input, "its header has a shape that is none");
      layout.dims.push_back(static_cast<std::uint64_t>(one.number));
    }
    for (std::size_t i = 0; i < said.items.size(); i += 2) {
      const std::string& key = said.items[i].text;
      if (key != "descr" && key != "fortran_order" && key != "shape")
        layout.losses.push_back("loses \"" + key.substr(0, 60) + "\" of its header, which is not known");
    }
    layout.element = parse_numpy_type(*descr);
    layout.losses.insert(layout.losses.end(), layout.element.losses.begin(), layout.element.losses.end());
    std::uint64_t all = 0;
    const std::uint64_t there = begin + bytes - layout.begin;
    if (__builtin_mul_overflow(layout.dims.elements(), layout.element.size, &all) || all > there)
      throw error(errc::bad_input, "it is cut short: its header says " + layout.dims.text() +
                                       " elements of " + std::to_string(layout.element.size) + " bytes");
    if (all < there)
      layout.losses.push_back(
          "loses " + std::to_string(there - all) + (there - all == 1 ? " byte" : " bytes") +
          " behind its elements" +
          (begins_as_npy(file, layout.begin + all, there - all) ? ", where another array begins" : ""));
  } catch (const error& failure) {
    throw error(failure.code(), file.path().string() + ": " + failure.what());
  }
  return layout;
}

class npy_input final : public array_source {
 public:
  npy_input(npy_place from, npy_layout layout, array_description what)
      : array_source(std::move(what)),
        file_(std::move(from.file)),
        check_(std::move(from.check)),
        layout_(std::move(layout)) {}

  void read(const slab& part, std::byte* to) override {
    // The elements' own dimensions are read whole.
    const std::size_t rank = layout_.dims.rank();
    extents offset;
    extents count;
    bool is_whole = true;
    for (std::size_t i = 0; i < rank; ++i) {
      offset.push_back(part.offset[i]);
      count.push_back(part.count[i]);
    }
    for (std::size_t i = rank; i < part.count.rank(); ++i)
      is_whole = is_whole && part.count[i] == what_.dims[i];
    if (!is_whole) return read_texts_in_part(part, to);
    if (count.elements() == 0) return;
    read_elements(offset, count, to);
  }

  /// Holes of the file are not stored. Members of archives have a checksum of all their bytes.
  std::optional<std::vector<slab>> stored_parts() override {
    const std::size_t size = layout_.element.size;
    const std::uint64_t bytes = layout_.dims.elements() * size;
    if (what_.type.is_variable() || check_ || layout_.is_column_major || layout_.dims.empty() ||
        bytes < least_sparse_bytes)
      return std::nullopt;
    const auto ranges = file_->data_within(layout_.begin, layout_.begin + bytes, most_ranges);
    if (!ranges) return std::nullopt;
    std::vector<slab> parts;
    std::uint64_t stored = 0;
    for (const byte_range& one : *ranges) {
      stored += one.end - one.begin;
      add_boxes((one.begin - layout_.begin) / size, (one.end - layout_.begin + size - 1) / size, {}, parts);
    }
    if (stored > bytes / 2) return std::nullopt;
    return parts;
  }

  variable_elements read_variable() override {
    variable_elements all;
    const std::uint64_t elements = layout_.dims.elements();
    const std::size_t size = layout_.element.size;
    if (size == 0 && elements > most_empty_texts)
      file_->refuse("its header says " + std::to_string(elements) + " texts of no characters");
    std::vector<std::byte> bytes(elements * size);
    if (!bytes.empty()) read_elements(extents::all(layout_.dims.rank(), 0), layout_.dims, bytes.data());
    for (std::uint64_t element = 0; element < elements; ++element) {
      const auto character = [&](std::size_t i) {
        std::uint32_t code = 0;
        std::memcpy(&code, bytes.data() + element * size + 4 * i, 4);
        return code;
      };
      std::size_t length = size / 4;
      while (length > 0 && character(length - 1) == 0) --length;
      for (std::size_t i = 0; i < length; ++i)
        if (!append_utf8(all.bytes, character(i))) file_->refuse("a text in it is no Unicode");
      all.ends.push_back(all.bytes.size());
    }
    return all;
  }

 private:
  /// More ranges of a file than these are taken for all of it.
  static constexpr std::size_t most_ranges = std::size_t{1} << 20;

  /// Adds the elements from `first` to before `end`, row-major in the dimensions behind those of `outer`, as
  /// boxes.
  void add_boxes(std::uint64_t first, std::uint64_t end, const extents& outer,
                 std::vector<slab>& boxes) const {
    const std::size_t dimension = outer.rank();
    std::uint64_t inner = 1;
    for (std::size_t i = dimension + 1; i < layout_.dims.rank(); ++i) inner *= layout_.dims[i];
    const auto add_part_of = [&](std::uint64_t index, std::uint64_t from, std::uint64_t to) {
      extents deeper = outer;
      deeper.push_back(index);
      add_boxes(from, to, deeper, boxes);
    };
    std::uint64_t index = first / inner;
    const std::uint64_t last = end / inner;
    if (index == last) return add_part_of(index, first % inner, end % inner);
    if (first % inner != 0) add_part_of(index++, first % inner, inner);
    if (index < last) {
      slab box{outer, extents::all(dimension, 1), {}};
      box.offset.push_back(index);
      box.count.push_back(last - index);
      for (std::size_t i = dimension + 1; i < what_.dims.rank(); ++i) {
        box.offset.push_back(0);
        box.count.push_back(what_.dims[i]);
      }
      boxes.push_back(box);
    }
    if (end % inner != 0) add_part_of(last, 0, end % inner);
  }

  std::uint64_t place(const extents& at) const noexcept {
    std::uint64_t place = 0;
    if (layout_.is_column_major) {
      for (std::size_t i = at.rank(); i-- > 0;) place = place * layout_.dims[i] + at[i];
    } else {
      for (std::size_t i = 0; i < at.rank(); ++i) place = place * layout_.dims[i] + at[i];
    }
    return place;
  }

  /// Elements that lie beside each other in the file are read at once. `inner` says how the dimensions are
  /// nested there, the innermost first.
  void read_elements(const extents& offset, const extents& count, std::byte* to) {
    if (check_) check_();
    check_ = {};
    const std::size_t rank = count.rank();
    const std::size_t size = layout_.element.size;
    const auto inner = [&](std::size_t i) { return layout_.is_column_major ? i : rank - 1 - i; };
    // How many of the innermost dimensions make one run.
    std::size_t in_run = 0;
    std::uint64_t run = 1;
    while (in_run < rank) {
      const std::size_t dimension = inner(in_run++);
      run *= count[dimension];
      if (count[dimension] != layout_.dims[dimension]) break;
    }
    std::array<std::size_t, max_rank> to_strides{};
    std::size_t stride = size;
    for (std::size_t i = rank; i-- > 0;) {
      to_strides[i] = stride;
      stride *= count[i];
    }
    std::vector<std::byte> buffer(layout_.is_column_major && rank > 1 ? run * size : 0);
    extents at = offset;
    for (;;) {
      std::size_t into = 0;
      for (std::size_t i = in_run; i < rank; ++i)
        into += (at[inner(i)] - offset[inner(i)]) * to_strides[inner(i)];
      std::byte* const begin = buffer.empty() ? to + into : buffer.data();
      file_->read_at(layout_.begin + place(at) * size, {begin, run * size});
      swap_bytes(layout_.element.swaps, begin, run, size);
      if (!buffer.empty()) spread(buffer, count, in_run, to_strides, to + into);
      std::size_t i = in_run;
      for (; i < rank; ++i) {
        const std::size_t dimension = inner(i);
        if (++at[dimension] < offset[dimension] + count[dimension]) break;
        at[dimension] = offset[dimension];
      }
      if (i >= rank) return;
    }
  }

  /// A run of column-major elements of the first `in_run` dimensions to their places.
  void spread(const std::vector<std::byte>& run, const extents& count, std::size_t in_run,
              const std::array<std::size_t, max_rank>& to_strides, std::byte* to) const {
    const std::size_t size = layout_.element.size;
    extents at = extents::all(in_run, 0);
    for (std::size_t from = 0; from < run.size(); from += size) {
      std::memcpy(to, run.data() + from, size);
      for (std::size_t i = 0; i < in_run; ++i) {
        to += to_strides[i];
        if (++at[i] < count[i]) break;
        to -= to_strides[i] * count[i];
        at[i] = 0;
      }
    }
  }

  /// Some of the characters of texts of fixed length.
  void read_texts_in_part(const slab& part, std::byte* to) {
    const std::size_t rank = layout_.dims.rank();
    const std::size_t size = layout_.element.size;
    slab whole = part;
    whole.offset[rank] = 0;
    whole.count[rank] = size;
    std::vector<std::byte> all(whole.count.elements());
    read(whole, all.data());
    for (std::size_t at = 0; at < all.size(); at += size) {
      std::memcpy(to, all.data() + at + part.offset[rank], part.count[rank]);
      to += part.count[rank];
    }
  }

  std::shared_ptr<const input_file> file_;
  std::function<void()> check_;
  npy_layout layout_;
};

std::size_t longest_text(const variable_elements& texts) {
  std::size_t longest = 0;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : texts.ends) {
    const std::string_view one = std::string_view(texts.bytes).substr(begin, end - begin);
    if (!is_utf8(one) || one.ends_with('\0'))
      throw error(errc::unsupported, "NumPy has no text \"" + sound_utf8(one.substr(0, 40)) + "\", which " +
                                         (is_utf8(one) ? "ends in a zero character" : "is not UTF-8") +
                                         ": choose HDF5");
    longest = std::max(longest, utf8_length(one));
    begin = end;
  }
  return longest;
}

std::string header_for(const extents& dims, const std::string& descr) {
  std::string text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (";
  for (const std::uint64_t n : dims) text += std::to_string(n) + ',' + (dims.rank() == 1 ? "" : " ");
  text += "), }";
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const bool is_long = text.size() > 60000 || !is_ascii;
  const std::size_t fixed = is_long ? 12 : 10;
  // Elements begin at a multiple of 64.
  text.append(63 - (fixed + text.size()) % 64, ' ');
  text += '\n';
  std::string head(magic);
  head += !is_ascii ? '\3' : is_long ? '\2' : '\1';
  head += '\0';
  for (unsigned i = 0; i < fixed - 8; ++i) head += static_cast<char>(text.size() >> (8 * i));
  return head + text;
}

/// Writes the elements of a part to their places behind the byte `begin`: each run of them at once.
void write_runs(output_file& to, std::uint64_t begin, const extents& dims, const slab& part,
                std::span<const std::byte> bytes, std::size_t element_size) {
  // The dimensions from `inner` on lie beside each other.
  std::size_t inner = dims.rank();
  std::uint64_t run = element_size;
  while (inner > 0) {
    run *= part.count[--inner];
    if (part.count[inner] != dims[inner]) break;
  }
  const extents outer(part.count.span().first(inner));
  extents at = extents::all(inner, 0);
  for (std::uint64_t i = 0; i < outer.elements(); ++i) {
    std::uint64_t place = 0;
    for (std::size_t d = 0; d < dims.rank(); ++d)
      place = place * dims[d] + part.offset[d] + (d < inner ? at[d] : 0);
    to.write_at(begin + place * element_size, bytes.subspan(i * run, run));
    for (std::size_t d = inner; d-- > 0 && ++at[d] == outer[d];) at[d] = 0;
  }
}

/// The last dimension of characters is the length of texts.
std::string header_for(const array_description& what) {
  const std::size_t rank = what.dims.rank();
  if (what.type.kind() != element_kind::character || rank == 0)
    return header_for(what.dims, numpy_type_name(what.type));
  return header_for(extents(what.dims.span().first(rank - 1)),
                    "'|S" + std::to_string(what.dims[rank - 1]) + '\'');
}

}  // namespace

bool is_npy(const npy_place& from) {
  return begins_as_npy(*from.file, from.begin, from.bytes);
}

std::unique_ptr<array_source> open_npy(npy_place from, const std::string& name, std::vector<loss>& losses) {
  npy_layout layout = read_header(*from.file, from.begin, from.bytes);
  for (std::string& one : layout.losses) losses.push_back({name, std::move(one)});
  array_description what;
  what.name = name;
  what.dims = layout.dims;
  for (const std::uint64_t n : layout.element.dims) what.dims.push_back(n);
  what.type = layout.element.type;
  return std::make_unique<npy_input>(std::move(from), std::move(layout), std::move(what));
}

std::uint64_t npy_bytes(array_source& from) {
  std::uint64_t bytes = 0;
  const array_description& what = from.what();
  if (what.type.kind() == element_kind::text) {
    write_npy(from, [&](std::string_view some) { bytes += some.size(); });
    return bytes;
  }
  return header_for(what).size() + what.dims.elements() * what.type.size();
}

void write_npy(array_source& from, const byte_sink& to) {
  const array_description& what = from.what();
  if (what.type.kind() == element_kind::text) {
    const variable_elements texts = from.read_variable();
    const std::size_t longest = std::max<std::size_t>(longest_text(texts), 1);
    to(header_for(what.dims, "'<U" + std::to_string(longest) + '\''));
    std::uint64_t begin = 0;
    std::string one;
    for (const std::uint64_t end : texts.ends) {
      one.clear();
      append_utf32(one, std::string_view(texts.bytes).substr(begin, end - begin));
      one.resize(longest * 4, '\0');
      to(one);
      begin = end;
    }
    return;
  }
  to(header_for(what));
  std::vector<std::byte> bytes;
  for (array_pieces pieces = pieces_of(what); pieces.next_elements() != 0;) {
    const slab part = pieces.next();
    bytes.resize(part.count.elements() * what.type.size());
    from.read(part, bytes.data());
    to({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

void write_npy(array_source& from, output_file& to) {
  const auto parts = to.may_have_holes() ? parts_beside_holes(from) : std::nullopt;
  if (!parts) return write_npy(from, to.sink());
  const array_description& what = from.what();
  const std::size_t size = what.type.size();
  const std::string header = header_for(what);
  to.write(header);
  std::vector<std::byte> bytes;
  for (const slab& part : *parts)
    for_each_piece(part, size, 1, [&](const slab& piece) {
      bytes.resize(piece.count.elements() * size);
      from.read(piece, bytes.data());
      write_runs(to, header.size(), what.dims, piece, bytes, size);
    });
  to.extend(header.size() + what.dims.elements() * size);
}

}  // namespace perdure::formats
