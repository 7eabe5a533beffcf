// The rows of a table in a store: arrays of its columns' values, to which record batches are appended.
#include "stored_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/workload/cancellation.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "forked_views.hpp"

namespace perdure::python {

namespace {

constexpr std::uint64_t numbers_of_piece = sizeof(stored_piece) / sizeof(std::int64_t);

std::string batches_of(const std::string& table) {
  return table + "/.batches";
}

[[noreturn]] void damaged(const std::string& table, const std::string& what) {
  throw error(errc::damaged, "the table \"" + table + "\" " + what + "; delete it, and store it again");
}

/// Elements of an array of a column.
struct part_type {
  data_type type;
  std::uint64_t width = 0;  // of a second dimension; 0: there is none

  std::size_t size() const { return type.size() * (width == 0 ? 1 : width); }
};

/// Returns nothing for arrays that a column does not have.
std::optional<part_type> type_of(const arrow_field& field, part_of_column part) {
  const arrow_storage& storage = field.storage;
  switch (part) {
    case validity:
      if (storage.kind == arrow_kind::nothing) return std::nullopt;
      return part_type{element_kind::uint8};
    case offsets:
      if (storage.kind != arrow_kind::bytes && storage.kind != arrow_kind::list) return std::nullopt;
      return part_type{storage.is_large ? element_kind::int64 : element_kind::int32};
    default:
      if (storage.kind == arrow_kind::fixed) return part_type{storage.type, storage.width};
      if (storage.kind == arrow_kind::bits || storage.kind == arrow_kind::bytes)
        return part_type{element_kind::uint8};
      return std::nullopt;
  }
}

extents dims_of(const part_type& type, std::uint64_t count) {
  extents dims{count};
  if (type.width != 0) dims.push_back(type.width);
  return dims;
}

slab slab_of(const part_type& type, const stored_piece::range& range) {
  extents begin{static_cast<std::uint64_t>(range.begin)};
  if (type.width != 0) begin.push_back(0);
  return {begin, dims_of(type, static_cast<std::uint64_t>(range.count)), {}};
}

/// Calls `visit(field)` with each field, in the order of slots.
template <class Visit>
void each_field(const arrow_field& field, Visit&& visit) {
  visit(field);
  for (const arrow_field& child : field.children) each_field(child, visit);
  for (const arrow_field& child : field.dictionary) each_field(child, visit);
}

/// Returns the note by which NumPy's dates and durations are read from numbers; empty for other columns.
std::string numpy_note(const arrow_field& field) {
  const std::string& format = field.format;
  if (format == "tdm") return "<M8[ms]";
  const bool is_time = format.size() >= 3 && format[0] == 't' && (format[1] == 's' || format[1] == 'D');
  if (!is_time) return {};
  const std::string unit = format[2] == 's' ? "s" : std::string(1, format[2]) + "s";
  return (format[1] == 's' ? "<M8[" : "<m8[") + unit + "]";
}

void create_array(const session& now, const std::string& name, const data_type& type, const extents& dims,
                  const array_options& options) {
  const bool is_there = now.require_free(name);
  now.arrays().create(name, type, dims, options);
  if (!is_there) now.groups().add(name);
}

/// Returns the pieces of batches from `first` on, a batch after the other.
std::vector<stored_piece> pieces_from(const untyped_arrays& arrays, const std::string& table,
                                      std::size_t slots, std::uint64_t first) {
  const std::string id = batches_of(table);
  const std::optional<array_info> info = arrays.find(id);
  const bool fits = info && info->type == data_type(element_kind::int64) && info->dims.rank() == 3 &&
                    info->dims[1] == slots && info->dims[2] == numbers_of_piece;
  if (!fits) damaged(table, "has no array \"" + id + "\" that fits its columns");
  if (first >= info->dims[0]) return {};
  const extents count{info->dims[0] - first, slots, numbers_of_piece};
  std::vector<stored_piece> all((info->dims[0] - first) * slots);
  arrays.read(id, info->type, {{first, 0, 0}, count, {}},
              untyped_view::row_major(all.data(), count, sizeof(std::int64_t)));
  return all;
}

std::uint64_t number_of_batches(const untyped_arrays& arrays, const std::string& table) {
  const std::optional<array_info> info = arrays.find(batches_of(table));
  return info && !info->dims.empty() ? info->dims[0] : 0;
}

/// Reads the elements of one array that belong to a batch, where they lie if they lie in one piece.
class piece_reader {
 public:
  piece_reader(const untyped_arrays& arrays, const std::string& table) : arrays_(arrays), table_(table) {}

  /// Returns their address; `held` gets what keeps them, or else `copies` the elements themselves.
  const std::byte* read(const std::string& id, const part_type& type, const stored_piece::range& range,
                        std::vector<viewed_array>& held, std::vector<std::vector<std::byte>>& copies) const {
    const std::optional<array_info> info = arrays_.find(id);
    std::int64_t end = 0;
    const bool is_inside = info && !info->dims.empty() && range.begin >= 0 && range.count >= 0 &&
                           !__builtin_add_overflow(range.begin, range.count, &end) &&
                           static_cast<std::uint64_t>(end) <= info->dims[0];
    if (!is_inside) damaged(table_, "lacks rows of its array \"" + id + "\"");
    const slab where = slab_of(type, range);
    const std::size_t bytes = static_cast<std::size_t>(range.count) * type.size();
    try {
      viewed_array viewed = arrays_.view_part(id, type.type, where);
      viewed.info.bytes = bytes;
      held.push_back(std::move(viewed));
      return held.back().data;
    } catch (const error& failed) {
      if (failed.code() != errc::unsupported) throw;
    }
    // Somebody has compressed the array, or written parts of it.
    std::vector<std::byte> copy(bytes);
    arrays_.read(id, type.type, where, untyped_view::row_major(copy.data(), where.count, type.type.size()));
    copies.push_back(std::move(copy));
    return copies.back().data();
  }

 private:
  const untyped_arrays& arrays_;
  const std::string& table_;
};

/// Appends one batch, and takes it back if it cannot be appended as a whole.
class appending {
 public:
  appending(const session& now, const std::string& table, const arrow_field& schema,
            const std::vector<column_values>& batch)
      : now_(now),
        arrays_(now.arrays()),
        table_(table),
        batch_(batch),
        last_(last_pieces()),
        next_(batch.size()) {
    try {
      append(schema);
      const extents dims{1, next_.size(), numbers_of_piece};
      arrays_.append(batches_of(table_), element_kind::int64,
                     const_untyped_view::row_major(next_.data(), dims, sizeof(std::int64_t)));
    } catch (...) {
      take_back();
      throw;
    }
  }

 private:
  std::vector<stored_piece> last_pieces() const {
    const std::uint64_t batches = number_of_batches(arrays_, table_);
    if (batches == 0) {
      static_cast<void>(pieces_from(arrays_, table_, batch_.size(), 0));
      return std::vector<stored_piece>(batch_.size());
    }
    return pieces_from(arrays_, table_, batch_.size(), batches - 1);
  }

  void append(const arrow_field& field) {
    workload::end_if_cancelled();
    const column_values& from = batch_[field.slot];
    const stored_piece& last = last_[field.slot];
    stored_piece& to = next_[field.slot];
    to.length = static_cast<std::int64_t>(from.length);
    to.nulls = static_cast<std::int64_t>(from.nulls);
    for (const part_of_column part : {validity, offsets, values}) {
      const column_part& given = from.parts[part];
      to.parts[part].begin = last.parts[part].begin + last.parts[part].count;
      to.parts[part].count = static_cast<std::int64_t>(given.count);
      if (given.count != 0) append_part(field.arrays[part], *type_of(field, part), to.parts[part], given);
    }
    for (const arrow_field& child : field.children) append(child);
    for (const arrow_field& child : field.dictionary)
      if (is_as_before(child))
        each_field(child, [&](const arrow_field& one) { next_[one.slot] = last_[one.slot]; });
      else
        append(child);
  }

  void append_part(const std::string& id, const part_type& type, const stored_piece::range& range,
                   const column_part& given) {
    const auto begin = static_cast<std::uint64_t>(range.begin);
    const std::optional<array_info> info = arrays_.find(id);
    if (!info) create_array(now_, id, type.type, dims_of(type, 0), {});
    const std::uint64_t has = info && !info->dims.empty() ? info->dims[0] : 0;
    if (has < begin) damaged(table_, "lacks rows of its array \"" + id + "\"");
    // Left by an append that ended with the program.
    if (has > begin) arrays_.resize(id, dims_of(type, begin));
    changed_.push_back({&id, dims_of(type, begin)});
    arrays_.append(id, type.type,
                   const_untyped_view::row_major(given.data, dims_of(type, given.count), type.type.size()));
  }

  /// Returns whether a dictionary has the values that it has in the batch before.
  bool is_as_before(const arrow_field& dictionary) const {
    bool is_same = true;
    const piece_reader reader(arrays_, table_);
    each_field(dictionary, [&](const arrow_field& field) {
      const column_values& from = batch_[field.slot];
      const stored_piece& last = last_[field.slot];
      is_same = is_same && std::cmp_equal(last.length, from.length) && std::cmp_equal(last.nulls, from.nulls);
      for (const part_of_column part : {validity, offsets, values}) {
        const column_part& given = from.parts[part];
        is_same = is_same && std::cmp_equal(last.parts[part].count, given.count);
        if (!is_same || given.count == 0) continue;
        std::vector<viewed_array> held;
        std::vector<std::vector<std::byte>> copies;
        const part_type type = *type_of(field, part);
        const std::byte* const before = reader.read(field.arrays[part], type, last.parts[part], held, copies);
        is_same = std::memcmp(before, given.data, given.count * type.size()) == 0;
      }
    });
    return is_same;
  }

  void take_back() noexcept {
    for (const auto& [id, dims] : changed_) {
      try {
        arrays_.resize(*id, dims);
      } catch (...) {
        // What is left there does not count, and the next append cuts it off.
      }
    }
  }

  const session& now_;
  untyped_arrays& arrays_;
  const std::string& table_;
  const std::vector<column_values>& batch_;
  std::vector<stored_piece> last_;
  std::vector<stored_piece> next_;
  std::vector<std::pair<const std::string*, extents>> changed_;
};

/// The memory of rows that were given away, and the store that it lies in.
class viewed_rows {
 public:
  viewed_rows(std::shared_ptr<session> of, std::shared_ptr<live_views> views, std::string name)
      : session_(std::move(of)), views_(std::move(views)), name_(std::move(name)) {
    views_->add(name_);
  }
  viewed_rows(const viewed_rows&) = delete;
  viewed_rows& operator=(const viewed_rows&) = delete;
  ~viewed_rows() {
    views_->remove(name_);
    for (std::size_t i = 0; i < copied_at_fork_; ++i)
      forked_views::all().remove(held.at(i).data, held.at(i).info.bytes);
  }

  /// A forked child gets copies of what is held now, where it would lack the memory.
  void copy_at_fork() {
    if (!session_->loses_memory_at_fork()) return;
    for (; copied_at_fork_ < held.size(); ++copied_at_fork_)
      forked_views::all().add(held[copied_at_fork_].data, held[copied_at_fork_].info.bytes);
  }

 private:
  std::shared_ptr<session> session_;
  std::shared_ptr<live_views> views_;
  std::string name_;
  std::size_t copied_at_fork_ = 0;

 public:
  std::vector<std::vector<std::byte>> copies;
  std::vector<viewed_array> held;  // ends first: its hold is the store's
};

/// Views the batches of a table.
class row_viewer {
 public:
  row_viewer(const untyped_arrays& arrays, const std::string& table, viewed_rows& memory)
      : reader_(arrays, table), table_(table), memory_(memory) {}

  void view(const arrow_field& field, std::span<const stored_piece> stored, std::vector<arrow_piece>& batch) {
    const stored_piece& from = stored[field.slot];
    require_counts(field, stored);
    arrow_piece& to = batch[field.slot];
    to.length = from.length;
    to.nulls = from.nulls;
    for (const part_of_column part : {validity, offsets, values}) {
      const std::optional<part_type> type = type_of(field, part);
      if (!type) continue;
      if (from.parts[part].count != 0)
        to.buffers[part] =
            reader_.read(field.arrays[part], *type, from.parts[part], memory_.held, memory_.copies);
      else if (part != validity)
        to.buffers[part] = no_elements();
    }
    require_last_offset(field, stored, to);
    for (const arrow_field& child : field.children) view(child, stored, batch);
    for (const arrow_field& child : field.dictionary) view(child, stored, batch);
  }

 private:
  /// Throws unless each array has as many elements as so many values need.
  void require_counts(const arrow_field& field, std::span<const stored_piece> stored) const {
    const stored_piece& piece = stored[field.slot];
    const std::int64_t bits = piece.length / 8 + (piece.length % 8 != 0 ? 1 : 0);
    const auto count = [&](part_of_column part) { return piece.parts[part].count; };
    bool fits = piece.length >= 0 && piece.nulls >= 0 && piece.nulls <= piece.length;
    fits = fits && (count(validity) == bits || (count(validity) == 0 && piece.nulls == 0));
    const arrow_kind kind = field.storage.kind;
    if (kind == arrow_kind::nothing) fits = piece.length >= 0;
    if (kind == arrow_kind::fixed) fits = fits && count(values) == piece.length;
    if (kind == arrow_kind::bits) fits = fits && count(values) == bits;
    if (kind == arrow_kind::bytes || kind == arrow_kind::list)
      fits = fits && count(offsets) == (piece.length == 0 ? 0 : piece.length + 1);
    for (const arrow_field& child : field.children) {
      const std::int64_t has = stored[child.slot].length;
      if (kind == arrow_kind::structure) fits = fits && has == piece.length;
      std::int64_t needs = 0;
      if (kind == arrow_kind::fixed_list)
        fits = fits && !__builtin_mul_overflow(piece.length, field.storage.repeats, &needs) && has == needs;
    }
    if (!fits) damaged(table_, "has a batch that does not fit its column \"" + field.name + "\"");
  }

  void require_last_offset(const arrow_field& field, std::span<const stored_piece> stored,
                           const arrow_piece& piece) const {
    if (stored[field.slot].parts[offsets].count == 0) return;
    std::int64_t last = 0;
    if (field.storage.is_large)
      last = static_cast<const std::int64_t*>(piece.buffers[offsets])[piece.length];
    else
      last = static_cast<const std::int32_t*>(piece.buffers[offsets])[piece.length];
    const std::int64_t has = field.storage.kind == arrow_kind::list
                                 ? stored[field.children.front().slot].length
                                 : stored[field.slot].parts[values].count;
    if (last != has) damaged(table_, "has offsets that do not fit its column \"" + field.name + "\"");
  }

  piece_reader reader_;
  const std::string& table_;
  viewed_rows& memory_;
};

}  // namespace

void create_columns(const open_store& store, const std::string& table, const arrow_field& schema) {
  const std::shared_ptr<session> now = store.current_to_change();
  each_field(schema, [&](const arrow_field& field) {
    for (const part_of_column part : {offsets, values}) {
      const std::optional<part_type> type = type_of(field, part);
      if (!type) continue;
      create_array(*now, field.arrays[part], type->type, dims_of(*type, 0), {});
      const std::string note = part == values ? numpy_note(field) : std::string();
      if (!note.empty())
        now->arrays().set_attribute(field.arrays[part], ".numpy", element_kind::text, {},
                                    std::as_bytes(std::span(note)));
    }
  });
  const std::uint64_t slots = count_fields(schema);
  array_options options;
  options.layout = array_layout::chunked;
  options.chunk = {std::max<std::uint64_t>(1, 64 / slots), slots, numbers_of_piece};
  create_array(*now, batches_of(table), element_kind::int64, {0, slots, numbers_of_piece}, options);
}

void append_batch(const open_store& store, const std::string& table, const arrow_field& schema,
                  const std::vector<column_values>& batch) {
  const std::shared_ptr<session> now = store.current_to_change();
  const std::lock_guard one_at_a_time(store.table_mutex());
  appending(*now, table, schema, batch);
}

void keep_batches(const open_store& store, const std::string& table, const arrow_field& schema,
                  std::uint64_t count) {
  const std::shared_ptr<session> now = store.current_to_change();
  const std::lock_guard one_at_a_time(store.table_mutex());
  untyped_arrays& arrays = now->arrays();
  if (count >= number_of_batches(arrays, table)) return;
  const std::size_t slots = count_fields(schema);
  arrays.resize(batches_of(table), {count, slots, numbers_of_piece});
  std::vector<stored_piece> last(slots);
  if (count != 0) last = pieces_from(arrays, table, slots, count - 1);
  each_field(schema, [&](const arrow_field& field) {
    for (const part_of_column part : {validity, offsets, values}) {
      const std::optional<part_type> type = type_of(field, part);
      const stored_piece::range& range = last[field.slot].parts[part];
      if (type && arrays.find(field.arrays[part]))
        arrays.resize(field.arrays[part],
                      dims_of(*type, static_cast<std::uint64_t>(range.begin + range.count)));
    }
  });
}

std::shared_ptr<const arrow_table> view_rows(const open_store& store, const std::string& table,
                                             const arrow_field& schema, std::size_t slots,
                                             std::uint64_t begin, std::uint64_t end) {
  const std::shared_ptr<session> now = store.current();
  const std::vector<stored_piece> all = pieces_from(now->arrays(), table, slots, 0);
  auto memory = std::make_shared<viewed_rows>(now, store.views(), table);
  auto made = std::make_shared<arrow_table>();
  made->schema = schema;
  row_viewer viewer(now->arrays(), table, *memory);
  std::uint64_t before = 0;  // rows of earlier batches
  for (std::size_t at = 0; at < all.size() && before < end; at += slots) {
    const std::span<const stored_piece> stored(&all[at], slots);
    if (stored[0].length < 0) damaged(table, "has a batch of a negative number of rows");
    const auto rows = static_cast<std::uint64_t>(stored[0].length);
    const std::uint64_t first = std::max(begin, before);
    const std::uint64_t last = std::min(end, before + rows);
    if (first < last) {
      std::vector<arrow_piece> batch(slots);
      for (const arrow_field& column : schema.children) {
        if (stored[column.slot].length != stored[0].length)
          damaged(table, "has a batch that does not fit its column \"" + column.name + "\"");
        viewer.view(column, stored, batch);
        if (last - first == rows) continue;
        arrow_piece& piece = batch[column.slot];
        piece.offset = static_cast<std::int64_t>(first - before);
        piece.length = static_cast<std::int64_t>(last - first);
        if (piece.nulls != 0) piece.nulls = -1;
      }
      batch[schema.slot].length = static_cast<std::int64_t>(last - first);
      made->batches.push_back(std::move(batch));
    }
    before += rows;
  }
  memory->copy_at_fork();
  made->memory = std::move(memory);
  return made;
}

}  // namespace perdure::python
