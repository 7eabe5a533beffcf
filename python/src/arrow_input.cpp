// Record batches that other libraries give by Arrow's C interfaces, checked and as tables store them.
#include "arrow_input.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/workload/cancellation.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "utf8.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

[[noreturn]] void contradicts(const std::string& path, const std::string& what) {
  throw error(errc::bad_input,
              (path.empty() ? "this table" : "the column \"" + path + "\"") + " contradicts itself: " + what);
}

/// Returns the elements of a buffer, which is copied if it does not lie as its type asks for.
template <class T>
const T* aligned(const void* buffer, std::uint64_t begin, std::uint64_t count, std::vector<T>& copy) {
  const auto* const at = static_cast<const std::byte*>(buffer) + begin * sizeof(T);
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0) return reinterpret_cast<const T*>(at);
  copy.resize(count);
  std::memcpy(copy.data(), at, count * sizeof(T));
  return copy.data();
}

bool bit_at(const void* bits, std::uint64_t i) {
  return ((static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8)) & 1) != 0;
}

/// Returns `count` bits from `begin` on, so that the first is the lowest of the first byte. Bits behind the
/// last one are 0.
column_part bits_from(const void* from, std::uint64_t begin, std::uint64_t count) {
  const auto* const bytes = static_cast<const std::uint8_t*>(from) + begin / 8;
  const unsigned shift = begin % 8;
  column_part part;
  part.count = (count + 7) / 8;
  part.own.resize(part.count);
  auto* const to = reinterpret_cast<std::uint8_t*>(part.own.data());
  if (part.count == 0) return part;
  const std::uint64_t last = (shift + count - 1) / 8;  // the last byte that may be read
  if (shift == 0) {
    std::memcpy(to, bytes, part.count);
  } else {
    for (std::uint64_t i = 0; i < part.count; ++i) {
      const unsigned high = i + 1 <= last ? bytes[i + 1] : 0U;
      to[i] = static_cast<std::uint8_t>((bytes[i] | (high << 8)) >> shift);
    }
  }
  if (count % 8 != 0) to[part.count - 1] &= static_cast<std::uint8_t>((1U << (count % 8)) - 1);
  part.data = part.own.data();
  return part;
}

std::uint64_t ones_in(const column_part& bits) {
  std::uint64_t ones = 0;
  std::uint64_t at = 0;
  for (; bits.count - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bits.data + at, sizeof word);
    ones += static_cast<std::uint64_t>(std::popcount(word));
  }
  for (; at < bits.count; ++at)
    ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(bits.data[at])));
  return ones;
}

template <class T>
column_part part_of(std::vector<T>&& elements) {
  column_part part;
  part.count = elements.size();
  part.own.resize(elements.size() * sizeof(T));
  if (!elements.empty()) std::memcpy(part.own.data(), elements.data(), part.own.size());
  part.data = part.own.data();
  return part;
}

/// Reads one batch into the slots of a table.
class batch_reader {
 public:
  explicit batch_reader(std::vector<column_values>& all) : all_(all) {}

  /// Reads `length` values of a column from the value `start` of `array` on.
  void read(const arrow_field& to, const arrow_field& from, const ArrowArray& array, std::uint64_t start,
            std::uint64_t length, const std::string& path);

  /// Throws unless the array has its buffers and children, and so many values.
  static void require_shape(const arrow_field& from, const ArrowArray& array, std::uint64_t values,
                            const std::string& path);

 private:
  struct place {
    const arrow_field& to;
    const arrow_field& from;
    const ArrowArray& array;
    std::uint64_t begin;  // of the buffers: with the array's offset
    std::uint64_t length;
    const std::string& path;
    column_values& into;
  };

  static void read_nulls(const place& at);
  static void read_fixed(const place& at);
  template <class From>
  static std::pair<std::uint64_t, std::uint64_t> read_offsets(const place& at);
  template <class From, class To>
  static column_part rebased(const place& at, const From* offsets);
  static std::pair<std::uint64_t, std::uint64_t> read_range(const place& at) {
    return at.from.storage.is_large ? read_offsets<std::int64_t>(at) : read_offsets<std::int32_t>(at);
  }
  static void read_bytes(const place& at);
  static void read_views(const place& at);
  static void require_text(const place& at);
  static void require_indices(const place& at, std::uint64_t most);

  std::vector<column_values>& all_;
};

std::uint64_t values_in(const ArrowArray& array, const std::string& path) {
  std::int64_t end = 0;
  if (array.release == nullptr) contradicts(path, "its values were released");
  if (array.length < 0 || array.offset < 0 || __builtin_add_overflow(array.length, array.offset, &end))
    contradicts(path, "it has " + std::to_string(array.length) + " values from " +
                          std::to_string(array.offset) + " on");
  return static_cast<std::uint64_t>(array.length);
}

std::int64_t buffers_of(const arrow_field& field) {
  switch (field.storage.kind) {
    case arrow_kind::nothing:
      return 0;
    case arrow_kind::structure:
    case arrow_kind::fixed_list:
      return 1;
    case arrow_kind::bytes:
      return 3;
    default:
      return 2;
  }
}

void batch_reader::require_shape(const arrow_field& from, const ArrowArray& array, std::uint64_t values,
                                 const std::string& path) {
  const std::uint64_t has = values_in(array, path);
  if (has < values)
    contradicts(path, "it has " + std::to_string(has) + " values, not " + std::to_string(values));
  const std::int64_t buffers = buffers_of(from);
  const bool is_view = from.storage.kind == arrow_kind::views;
  if (is_view ? array.n_buffers < 3 : array.n_buffers != buffers)
    contradicts(path, "it has " + std::to_string(array.n_buffers) + " buffers");
  if (array.n_buffers != 0 && array.buffers == nullptr) contradicts(path, "its buffers are missing");
  if (array.n_children != static_cast<std::int64_t>(from.children.size()) ||
      (array.n_children != 0 && array.children == nullptr) ||
      (array.dictionary == nullptr) != from.dictionary.empty())
    contradicts(path, "it has other children than its type");
  for (std::int64_t i = 0; i < array.n_children; ++i)
    if (array.children[i] == nullptr) contradicts(path, "a child is missing");
}

void batch_reader::read_nulls(const place& at) {
  if (at.from.storage.kind == arrow_kind::nothing) {
    at.into.nulls = at.length;
    return;
  }
  const void* const bits = at.array.buffers[0];
  if (bits == nullptr) {
    if (at.array.null_count > 0) contradicts(at.path, "it has nulls and no bitmap of them");
    return;
  }
  if (at.array.null_count == 0 || at.length == 0) return;
  column_part part = bits_from(bits, at.begin, at.length);
  at.into.nulls = at.length - ones_in(part);
  if (at.into.nulls == 0) return;
  if (!at.to.is_nullable())
    throw error(errc::invalid_argument, "the column \"" + at.path + "\" has " +
                                            std::to_string(at.into.nulls) +
                                            " nulls, and the table's schema says that it has none");
  at.into.parts[validity] = std::move(part);
}

void batch_reader::read_fixed(const place& at) {
  if (at.length == 0) return;
  const void* const buffer = at.array.buffers[1];
  if (buffer == nullptr) contradicts(at.path, "it has no values");
  const std::size_t size = at.from.storage.size();
  std::uint64_t end = 0;
  if (__builtin_mul_overflow(at.begin + at.length, size, &end)) contradicts(at.path, "it is too long");
  at.into.parts[values].data = static_cast<const std::byte*>(buffer) + at.begin * size;
  at.into.parts[values].count = at.length;
}

template <class From, class To>
column_part batch_reader::rebased(const place& at, const From* offsets) {
  std::vector<To> all(at.length + 1);
  const From first = offsets[0];
  const From last = static_cast<From>(offsets[at.length] - first);
  if (static_cast<std::uint64_t>(last) > static_cast<std::uint64_t>(std::numeric_limits<To>::max()))
    throw error(errc::invalid_argument,
                "the column \"" + at.path + "\" has " + std::to_string(last) +
                    " bytes in one batch, and the table's type " + type_text(at.to) +
                    " has at most 2 GiB; give smaller batches, or create the table with a large type");
  for (std::uint64_t i = 0; i <= at.length; ++i) all[i] = static_cast<To>(offsets[i] - first);
  return part_of(std::move(all));
}

/// Stores the offsets. Returns the first and the last one of what is read.
template <class From>
std::pair<std::uint64_t, std::uint64_t> batch_reader::read_offsets(const place& at) {
  if (at.length == 0) return {0, 0};
  if (at.array.buffers[1] == nullptr) contradicts(at.path, "it has no offsets");
  std::vector<From> copy;
  const From* const all = aligned<From>(at.array.buffers[1], at.begin, at.length + 1, copy);
  bool is_ordered = all[0] >= 0;
  for (std::uint64_t i = 0; i < at.length; ++i) is_ordered &= all[i] <= all[i + 1];
  if (!is_ordered) contradicts(at.path, "its offsets are not in order");
  const bool is_large = at.to.storage.is_large;
  column_part& part = at.into.parts[offsets];
  if (is_large == std::is_same_v<From, std::int64_t> && all[0] == 0 && copy.empty()) {
    part.data = reinterpret_cast<const std::byte*>(all);
    part.count = at.length + 1;
  } else {
    part = is_large ? rebased<From, std::int64_t>(at, all) : rebased<From, std::int32_t>(at, all);
  }
  return {static_cast<std::uint64_t>(all[0]), static_cast<std::uint64_t>(all[at.length])};
}

void batch_reader::read_bytes(const place& at) {
  const auto [first, last] = read_range(at);
  if (last == first) return;
  const void* const buffer = at.array.buffers[2];
  if (buffer == nullptr) contradicts(at.path, "it has no bytes");
  at.into.parts[values].data = static_cast<const std::byte*>(buffer) + first;
  at.into.parts[values].count = last - first;
  require_text(at);
}

void batch_reader::read_views(const place& at) {
  struct view {
    std::int32_t length;
    std::int32_t prefix;
    std::int32_t buffer;
    std::int32_t offset;
  };
  constexpr std::int32_t most_inline = 12;
  if (at.length == 0) return;
  if (at.array.buffers[1] == nullptr) contradicts(at.path, "it has no views");
  const std::int64_t others = at.array.n_buffers - 3;
  const void* const given_sizes = at.array.buffers[at.array.n_buffers - 1];
  if (others > 0 && given_sizes == nullptr) contradicts(at.path, "the sizes of its buffers are missing");
  std::vector<std::int64_t> copied_sizes;
  const std::int64_t* const sizes =
      others > 0 ? aligned<std::int64_t>(given_sizes, 0, static_cast<std::uint64_t>(others), copied_sizes)
                 : nullptr;
  const auto* const views = static_cast<const std::byte*>(at.array.buffers[1]) + at.begin * sizeof(view);
  const column_part& valid = at.into.parts[validity];
  std::vector<std::int64_t> ends(at.length + 1);
  column_part& bytes = at.into.parts[values];
  const auto each = [&](auto&& visit) {
    for (std::uint64_t i = 0; i < at.length; ++i) {
      const std::byte* const here = views + i * sizeof(view);
      view one;
      std::memcpy(&one, here, sizeof one);
      if (valid.data != nullptr && !bit_at(valid.data, i)) {
        visit(i, nullptr, 0);
        continue;
      }
      if (one.length <= most_inline) {
        if (one.length < 0) contradicts(at.path, "a value has a negative length");
        visit(i, here + sizeof one.length, static_cast<std::size_t>(one.length));
        continue;
      }
      const bool is_inside = one.buffer >= 0 && one.buffer < others && one.offset >= 0 &&
                             std::int64_t{one.offset} + one.length <= sizes[one.buffer] &&
                             at.array.buffers[2 + one.buffer] != nullptr;
      if (!is_inside) contradicts(at.path, "a value lies outside of its buffers");
      visit(i, static_cast<const std::byte*>(at.array.buffers[2 + one.buffer]) + one.offset,
            static_cast<std::size_t>(one.length));
    }
  };
  each([&](std::uint64_t i, const std::byte*, std::size_t length) {
    if (__builtin_add_overflow(ends[i], static_cast<std::int64_t>(length), &ends[i + 1]))
      contradicts(at.path, "its values are too long");
  });
  bytes.own.resize(static_cast<std::size_t>(ends[at.length]));
  each([&](std::uint64_t i, const std::byte* from, std::size_t length) {
    if (length != 0) std::memcpy(bytes.own.data() + ends[i], from, length);
  });
  bytes.data = bytes.own.data();
  bytes.count = bytes.own.size();
  at.into.parts[offsets] = at.to.storage.is_large ? part_of(std::move(ends))
                                                  : rebased<std::int64_t, std::int32_t>(at, ends.data());
  require_text(at);
}

void batch_reader::require_text(const place& at) {
  if (!at.to.storage.is_text) return;
  const column_part& bytes = at.into.parts[values];
  const column_part& ends = at.into.parts[offsets];
  const auto refuse = [&](std::uint64_t row) {
    throw error(errc::bad_input, "the column \"" + at.path + "\" has a text that is not UTF-8, at row " +
                                     std::to_string(row) + " of a batch; give it as binary values");
  };
  const auto look = [&]<class Offset>(const Offset* offset) {
    const std::size_t end = utf8_end({bytes.data, bytes.count});
    if (end != bytes.count)
      refuse(static_cast<std::uint64_t>(
          std::upper_bound(offset, offset + at.length, static_cast<Offset>(end)) - offset - 1));
    for (std::uint64_t i = 0; i < at.length; ++i)
      if (static_cast<std::uint64_t>(offset[i]) < bytes.count && continues_character(bytes.data[offset[i]]))
        refuse(i);
  };
  if (at.to.storage.is_large)
    look(reinterpret_cast<const std::int64_t*>(ends.data));
  else
    look(reinterpret_cast<const std::int32_t*>(ends.data));
}

void batch_reader::require_indices(const place& at, std::uint64_t most) {
  const column_part& indices = at.into.parts[values];
  const column_part& valid = at.into.parts[validity];
  const auto look = [&]<class Index>(Index) {
    std::vector<Index> copy;
    const Index* const all = aligned<Index>(indices.data, 0, indices.count, copy);
    for (std::uint64_t i = 0; i < indices.count; ++i) {
      const bool is_inside = all[i] >= Index{0} && static_cast<std::uint64_t>(all[i]) < most;
      if (!is_inside && (valid.data == nullptr || bit_at(valid.data, i)))
        contradicts(at.path, "row " + std::to_string(i) + " of a batch has the index " +
                                 std::to_string(all[i]) + " into a dictionary of " + std::to_string(most));
    }
  };
  if (indices.count == 0) return;
  switch (at.from.storage.type.kind()) {
    case element_kind::int8:
      return look(std::int8_t{});
    case element_kind::int16:
      return look(std::int16_t{});
    case element_kind::int32:
      return look(std::int32_t{});
    case element_kind::int64:
      return look(std::int64_t{});
    case element_kind::uint8:
      return look(std::uint8_t{});
    case element_kind::uint16:
      return look(std::uint16_t{});
    case element_kind::uint32:
      return look(std::uint32_t{});
    default:
      return look(std::uint64_t{});
  }
}

void batch_reader::read(const arrow_field& to, const arrow_field& from, const ArrowArray& array,
                        std::uint64_t start, std::uint64_t length, const std::string& path) {
  workload::end_if_cancelled();
  std::uint64_t end = 0;
  if (__builtin_add_overflow(start, length, &end)) contradicts(path, "it is too long");
  require_shape(from, array, end, path);
  column_values& into = all_[to.slot];
  into.length = length;
  const place at{to, from, array, static_cast<std::uint64_t>(array.offset) + start, length, path, into};
  read_nulls(at);
  switch (from.storage.kind) {
    case arrow_kind::nothing:
      break;
    case arrow_kind::bits:
      if (length != 0 && array.buffers[1] == nullptr) contradicts(path, "it has no values");
      if (length != 0) into.parts[values] = bits_from(array.buffers[1], at.begin, length);
      break;
    case arrow_kind::fixed:
      read_fixed(at);
      break;
    case arrow_kind::bytes:
      read_bytes(at);
      break;
    case arrow_kind::views:
      read_views(at);
      break;
    case arrow_kind::list: {
      const auto [first, last] = read_range(at);
      read(to.children[0], from.children[0], *array.children[0], first, last - first, path + ".item");
      break;
    }
    case arrow_kind::fixed_list: {
      std::uint64_t first = 0;
      std::uint64_t count = 0;
      if (__builtin_mul_overflow(at.begin, from.storage.repeats, &first) ||
          __builtin_mul_overflow(length, from.storage.repeats, &count))
        contradicts(path, "it is too long");
      read(to.children[0], from.children[0], *array.children[0], first, count, path + ".item");
      break;
    }
    case arrow_kind::structure:
      for (std::size_t i = 0; i < to.children.size(); ++i)
        read(to.children[i], from.children[i], *array.children[i], at.begin, length,
             path + "." + to.children[i].name);
      break;
  }
  if (!to.dictionary.empty()) {
    const std::uint64_t most = values_in(*array.dictionary, path);
    read(to.dictionary.front(), from.dictionary.front(), *array.dictionary, 0, most, path + ".dictionary");
    require_indices(at, most);
  }
}

template <class T>
T* taken_from(const nb::handle& capsule, const char* name) {
  auto* const all = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (all == nullptr) throw nb::python_error();
  if (all->release == nullptr)
    throw error(errc::bad_input,
                std::string("this ") + name + " was used already; ask its object for another");
  return all;
}

}  // namespace

std::vector<column_values> values_of(const ArrowArray& batch, const arrow_field& stored,
                                     const arrow_field& given, const std::vector<std::size_t>& columns) {
  std::vector<column_values> all(count_fields(stored));
  const std::uint64_t rows = values_in(batch, {});
  batch_reader::require_shape(given, batch, rows, {});
  if (batch.buffers[0] != nullptr && batch.null_count != 0) {
    const column_part bits = bits_from(batch.buffers[0], static_cast<std::uint64_t>(batch.offset), rows);
    if (ones_in(bits) != rows)
      throw error(errc::bad_input, "a row of this table is null as a whole, which tables do not have");
  }
  all[stored.slot].length = rows;
  batch_reader reader(all);
  for (std::size_t i = 0; i < columns.size(); ++i)
    reader.read(stored.children[i], given.children[columns[i]], *batch.children[columns[i]],
                static_cast<std::uint64_t>(batch.offset), rows, stored.children[i].name);
  return all;
}

arrow_input arrow_input::of_stream(const nb::handle& capsule) {
  auto* const given = taken_from<ArrowArrayStream>(capsule, "arrow_array_stream");
  arrow_input made;
  made.stream_ = std::exchange(*given, ArrowArrayStream{});
  ArrowSchema schema{};
  int status = 0;
  {
    const nb::gil_scoped_release others_go_on;
    status = made.stream_.get_schema(&made.stream_, &schema);
  }
  if (status != 0) {
    const char* const why = made.stream_.get_last_error(&made.stream_);
    throw error(errc::bad_input,
                std::string("the table gives no schema: ") + (why != nullptr ? why : std::strerror(status)));
  }
  const std::unique_ptr<ArrowSchema, void (*)(ArrowSchema*)> held(&schema, [](ArrowSchema* one) {
    if (one->release != nullptr) one->release(one);
  });
  made.schema_ = field_of(schema);
  return made;
}

arrow_input arrow_input::of_array(const nb::handle& schema, const nb::handle& array) {
  const ArrowSchema* const type = taken_from<ArrowSchema>(schema, "arrow_schema");
  auto* const given = taken_from<ArrowArray>(array, "arrow_array");
  arrow_input made;
  made.schema_ = field_of(*type);
  made.only_.emplace();
  made.only_->array() = std::exchange(*given, ArrowArray{});
  return made;
}

arrow_input::arrow_input(arrow_input&& other) noexcept
    : stream_(std::exchange(other.stream_, ArrowArrayStream{})), schema_(std::move(other.schema_)) {
  if (other.only_) only_.emplace(std::move(*other.only_));
}

arrow_input::~arrow_input() {
  if (stream_.release != nullptr) stream_.release(&stream_);
}

std::optional<arrow_batch> arrow_input::next() {
  std::optional<arrow_batch> made;
  if (stream_.release == nullptr) {
    if (only_) made.emplace(std::move(*only_));
    only_.reset();
    return made;
  }
  made.emplace();
  const int status = stream_.get_next(&stream_, &made->array());
  if (status != 0) {
    const char* const why = stream_.get_last_error(&stream_);
    made->array().release = nullptr;
    throw error(errc::bad_input, std::string("the table's rows cannot be read: ") +
                                     (why != nullptr ? why : std::strerror(status)));
  }
  if (made->array().release == nullptr) made.reset();
  return made;
}

}  // namespace perdure::python
