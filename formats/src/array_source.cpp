// Arrays in memory as sources, and sources into memory.
#include <cstring>
#include <perdure/error.hpp>
#include <perdure/formats/array_source.hpp>

#include "region.hpp"

namespace perdure::formats {
namespace {

class memory_source final : public array_source {
 public:
  memory_source(array_description what, const const_untyped_view& from)
      : array_source(std::move(what)), from_(from) {}

  void read(const slab& part, std::byte* to) override {
    if (part.count.elements() == 0) return;
    const std::byte* begin = from_.data;
    for (std::size_t i = 0; i < part.offset.rank(); ++i)
      begin += static_cast<std::ptrdiff_t>(part.offset[i]) * from_.strides[i];
    copy_region(part.count, what_.type.size(), to, row_major(part.count, what_.type.size()), begin,
                from_.strides);
  }

 private:
  const_untyped_view from_;
};

[[noreturn]] void refuse_type(const array_description& what, const std::string& asked) {
  throw error(errc::wrong_type,
              "the array \"" + what.name + "\" has elements of type " + what.type.text() + ", not " + asked);
}

}  // namespace

std::unique_ptr<array_source> source_of(std::string name, const data_type& type,
                                        const const_untyped_view& from) {
  if (type.is_variable())
    throw error(errc::invalid_argument, "elements of any length are no view: their type is " + type.text());
  array_description what{std::move(name), type, from.dims};
  return std::make_unique<memory_source>(std::move(what), from);
}

void load(array_source& from, const data_type& type, const untyped_view& to) {
  const array_description& what = from.what();
  if (what.type != type) refuse_type(what, type.text());
  if (what.dims != to.dims)
    throw error(errc::invalid_argument, "the array \"" + what.name + "\" has the shape " + what.dims.text() +
                                            ", not " + to.dims.text());
  const std::size_t size = type.size();
  const bool is_dense = to.strides == row_major(to.dims, size);
  std::vector<std::byte> bytes;
  for (array_pieces pieces = pieces_of(what); pieces.next_elements() != 0;) {
    const slab part = pieces.next();
    std::byte* begin = to.data;
    for (std::size_t i = 0; i < part.offset.rank(); ++i)
      begin += static_cast<std::ptrdiff_t>(part.offset[i]) * to.strides[i];
    // Pieces are parts of the outer dimensions, so they lie beside each other where all elements do.
    if (is_dense) {
      from.read(part, begin);
      continue;
    }
    bytes.resize(part.count.elements() * size);
    from.read(part, bytes.data());
    copy_region(part.count, size, begin, to.strides, bytes.data(), row_major(part.count, size));
  }
}

std::vector<std::string> load_texts(array_source& from) {
  if (from.what().type.kind() != element_kind::text) refuse_type(from.what(), "text");
  const variable_elements all = from.read_variable();
  std::vector<std::string> texts;
  texts.reserve(all.ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : all.ends) {
    texts.push_back(all.bytes.substr(begin, end - begin));
    begin = end;
  }
  return texts;
}

}  // namespace perdure::formats
