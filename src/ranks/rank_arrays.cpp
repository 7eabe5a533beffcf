// Arrays of which each rank stores parts in its own store: stored without asking anybody, loaded from all.
#include "ranks/rank_arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <perdure/detail/index_order.hpp>
#include <perdure/error.hpp>
#include <perdure/write_guard.hpp>
#include <utility>

#include "array/array_name.hpp"
#include "array/region_copy.hpp"
#include "array/slab_access.hpp"

namespace perdure::detail {

namespace {

[[noreturn]] void throw_not_found(const std::string& where, std::string_view id) {
  throw error(errc::not_found, where + " has no array named \"" + std::string(id) + '"');
}

/// The smallest box with all of a slab.
slab around(const slab& where) {
  slab result{where.offset, where.count, {}};
  for (std::size_t i = 0; i < where.stride.rank(); ++i)
    if (where.count[i] != 0) result.count[i] = (where.count[i] - 1) * where.stride[i] + 1;
  return result;
}

box_list boxes_of(const untyped_arrays& arrays, std::string_view id, std::size_t rank) {
  box_list boxes(rank);
  for (const slab& one : arrays.parts(id)) boxes.add(one);
  return boxes;
}

array_making making_of(const untyped_arrays& arrays, const array_info& info) {
  array_making making{info.layout, info.codec, info.chunk, info.dimensions, {}};
  for (std::string& key : arrays.attributes(info.id))
    if (const auto value = arrays.attribute(info.id, key))
      making.attributes.emplace(std::move(key), hash_of(*value));
  return making;
}

void require_type(std::string_view id, const data_type& stored, const data_type& asked) {
  if (stored == asked) return;
  throw error(errc::wrong_type, quoted(id) + " has elements of type " + stored.text() + ", not " +
                                    asked.text() + ": load it as what it is");
}

/// Calls `write(where, from)` for the parts of a slab between which there are others.
template <class Write>
void write_pieces(const slab& where, const const_untyped_view& from, Write&& write) {
  const std::size_t rank = where.count.rank();
  const auto strides = strides_for(where.count, from);
  slab piece{where.offset, where.count, {}};
  std::vector<std::size_t> cut;
  for (std::size_t i = 0; i < rank; ++i) {
    if (where.stride.empty() || where.stride[i] == 1 || where.count[i] == 1) continue;
    cut.push_back(i);
    piece.count[i] = 1;
  }
  extents at = extents::all(rank, 0);
  for (;;) {
    const_untyped_view given{from.data, piece.count, strides};
    for (const std::size_t i : cut) {
      piece.offset[i] = where.offset[i] + at[i] * where.stride[i];
      given.data += static_cast<std::ptrdiff_t>(at[i]) * strides[i];
    }
    write(piece, given);
    std::size_t next = cut.size();
    while (next-- > 0) {
      if (++at[cut[next]] < where.count[cut[next]]) break;
      at[cut[next]] = 0;
    }
    if (next == static_cast<std::size_t>(-1)) return;
  }
}

/// Sets the elements of a slab that lie in `boxes`, which are inside it, to zero.
void clear(const slab& where, const box_list& boxes, std::size_t element_size, const untyped_view& to) {
  const auto strides = strides_for(where.count, to);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    extents count = extents::all(boxes.rank(), 0);
    std::byte* first = to.data;
    for (std::size_t d = 0; d < boxes.rank(); ++d) {
      const slab_steps steps = steps_inside(where, d, boxes.offset(i)[d], boxes.count(i)[d]);
      count[d] = steps.count;
      first += static_cast<std::ptrdiff_t>(steps.first) * strides[d];
    }
    fill_region(count, element_size, first, strides, std::byte{0});
  }
}

/// A chunk is stored as a whole, by one rank.
void require_whole_chunks(std::string_view id, const extents& dims, const extents& chunk, const slab& where) {
  for (std::size_t i = 0; i < dims.rank(); ++i) {
    const std::uint64_t end = where.offset[i] + where.count[i];
    if (where.offset[i] % chunk[i] == 0 && (end % chunk[i] == 0 || end == dims[i])) continue;
    throw error(errc::invalid_argument,
                "the part at " + place_text(where.offset) + " of " + shape_text(where.count) +
                    " elements divides a chunk of " + quoted(id) + ", whose chunks are of " +
                    shape_text(chunk) +
                    ": of an array of several ranks each chunk is written by one, as a whole");
  }
}

}  // namespace

rank_arrays::rank_arrays(set_access& set) : set_(set) {
  manager_core* const own = set.writable_part();
  if (own == nullptr) return;
  record_ = &require_part_of(*own, set.state(), static_cast<std::uint32_t>(set.rank()));
  if (find_whole_arrays(*own) != nullptr) whole_ = &make_whole_arrays(*own);
  own_ = untyped_arrays::of(*own);
  for (const perdure::string& id : record_->arrays) changed_.emplace(std::string_view(id));
}

manager_core& rank_arrays::store() {
  if (manager_core* const own = set_.writable_part()) return *own;
  throw error(errc::read_only, path().string() + " is open for reading only: it has no checkpoints");
}

// ---- what is this rank's ---------------------------------------------------------------------------------

bool rank_arrays::is_own(std::string_view id) const {
  if (record_ == nullptr) return false;
  const std::scoped_lock lock(mutex_);
  return record_->arrays.contains(id);
}

untyped_arrays& rank_arrays::own_to_change() const {
  if (!own_)
    throw error(errc::read_only,
                "the set is open for reading only: open it for writing to change its arrays");
  return *own_;
}

void rank_arrays::require_own(std::string_view id) const {
  own_to_change();
  if (!is_own(id)) throw_not_own(id);
}

void rank_arrays::throw_not_own(std::string_view id) const {
  throw error(errc::not_found, set_.writable_part()->store().path().string() +
                                   ", this rank's part, has no array named \"" + std::string(id) +
                                   "\": all ranks that write it must create it");
}

rank_arrays::shape rank_arrays::shape_of_own(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  if (const auto known = shapes_.find(id); known != shapes_.end()) return known->second;
  if (!record_->arrays.contains(id)) throw_not_own(id);
  const array_info info = own_->info(id);
  return shapes_.emplace(id, shape{info.layout, info.dims, info.chunk}).first->second;
}

// Arrays that a program keeps in this rank's store only are none of the set's.
void rank_arrays::forbid_stray(std::string_view id) const {
  if (is_own(id) || !own_->find(id)) return;
  throw error(errc::already_exists,
              quoted(id) + " is there, and is one of this rank's own store: choose another name");
}

// Whether it is new.
bool rank_arrays::enter(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  const write_guard guard(set_.writable_part()->memory());
  return record_->arrays.insert(perdure::string(id)).second;
}

void rank_arrays::leave(std::string_view id) {
  mark_whole(id, false);
  const std::scoped_lock lock(mutex_);
  const write_guard guard(set_.writable_part()->memory());
  record_->arrays.erase(id);
}

// Records for repartition whether this rank has stored the array whole. Returns whether that is new. Throws
// only where it is whole now.
bool rank_arrays::mark_whole(std::string_view id, bool is_whole) {
  const std::scoped_lock lock(mutex_);
  if (is_whole == (whole_ != nullptr && whole_->ids.contains(id))) return false;
  if (whole_ == nullptr) whole_ = &make_whole_arrays(*set_.writable_part());
  const write_guard guard(set_.writable_part()->memory());
  if (is_whole) {
    whole_->ids.insert(perdure::string(id));
  } else {
    whole_->ids.erase(id);
  }
  return true;
}

/// A change of one array by this rank. What of it has been done when it fails is looked at too.
class rank_arrays::change {
 public:
  change(rank_arrays& arrays, std::string_view id) : arrays_(arrays), id_(id), held_(arrays.changing_) {
    arrays.set_.require_open();
    arrays.own_to_change();
    const std::scoped_lock lock(arrays.mutex_);
    arrays.changed_.emplace(id);
  }
  template <class Work>
  auto make(Work&& work) {
    try {
      return work(*arrays_.own_);
    } catch (const std::exception& failure) {
      arrays_.set_.note_failure(failure.what());
      throw;
    }
  }
  /// Calls `work` with an array that it may make, whole or to be divided.
  template <class Work>
  void make_or_replace(bool is_whole, Work&& work) {
    make([&](untyped_arrays& own) {
      arrays_.forbid_stray(id_);
      arrays_.forget_shape(id_);
      const bool is_new = arrays_.enter(id_);
      bool is_newly_whole = false;
      try {
        is_newly_whole = is_whole && arrays_.mark_whole(id_, true);
        work(own);
      } catch (...) {
        if (is_newly_whole) arrays_.mark_whole(id_, false);
        if (is_new) arrays_.leave(id_);
        throw;
      }
      if (!is_whole) arrays_.mark_whole(id_, false);
    });
  }

 private:
  rank_arrays& arrays_;
  std::string_view id_;
  std::shared_lock<std::shared_mutex> held_;
};

void rank_arrays::store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                              const array_options& options) {
  stores_.await(id);
  store_now(id, type, from, options);
}

void rank_arrays::store_now(std::string_view id, const data_type& type, const const_untyped_view& from,
                            const array_options& options) {
  change(*this, id).make_or_replace(true,
                                    [&](untyped_arrays& own) { own.store_whole(id, type, from, options); });
}

void rank_arrays::store_variable(std::string_view id, const data_type& type, const extents& dims,
                                 const variable_elements& from, const array_options& options) {
  stores_.await(id);
  change(*this, id).make_or_replace(
      true, [&](untyped_arrays& own) { own.store_variable(id, type, dims, from, options); });
}

void rank_arrays::create(std::string_view id, const data_type& type, const extents& dims,
                         const array_options& options) {
  stores_.await(id);
  change(*this, id).make_or_replace(false, [&](untyped_arrays& own) {
    if (options.layout == array_layout::contiguous)
      throw error(errc::unsupported, quoted(id) +
                                         " cannot be contiguous: it is divided among ranks; choose blocks, "
                                         "or chunks that no two of them share");
    own.create(id, type, dims, options);
  });
}

void rank_arrays::write(std::string_view id, const data_type& type, const slab& where,
                        const const_untyped_view& from) {
  stores_.await(id);
  write_now(id, type, where, from);
}

void rank_arrays::write_now(std::string_view id, const data_type& type, const slab& where,
                            const const_untyped_view& from) {
  change(*this, id).make([&](untyped_arrays& own) {
    const shape of = shape_of_own(id);
    const bool in_pieces = is_strided(where) && of.layout != array_layout::contiguous;
    if (!in_pieces && of.layout != array_layout::chunked) return own.write(id, type, where, from);
    require_slab(id, of.dims, where, from.dims);
    if (where.count.elements() == 0) return;
    write_pieces(where, from, [&](const slab& piece, const const_untyped_view& given) {
      if (of.layout == array_layout::chunked) require_whole_chunks(id, of.dims, of.chunk, piece);
      own.write(id, type, piece, given);
    });
  });
}

// Each change of the set's arrays by the worker is one of this rank's alone: it talks to no other.
pending_store rank_arrays::store_async(std::string_view id, const data_type& type,
                                       const const_untyped_view& from, const array_options& options) {
  set_.require_open();
  own_to_change();
  return stores_.begin(
      store(), id, [this, id = std::string(id), type, from, options] { store_now(id, type, from, options); });
}

pending_store rank_arrays::write_async(std::string_view id, const data_type& type, const slab& where,
                                       const const_untyped_view& from) {
  set_.require_open();
  own_to_change();
  return stores_.begin(store(), id,
                       [this, id = std::string(id), type, where, from] { write_now(id, type, where, from); });
}

void rank_arrays::resize(std::string_view id, const extents& dims) {
  stores_.await(id);
  change(*this, id).make([&](untyped_arrays& own) {
    require_own(id);
    forget_shape(id);
    own.resize(id, dims);
  });
}

void rank_arrays::append(std::string_view id, const data_type&, const const_untyped_view&) {
  set_.require_open();
  throw error(errc::unsupported, quoted(id) +
                                     " is one of several ranks, of which each would append at its own end: "
                                     "resize it on all of them, and write");
}

bool rank_arrays::erase(std::string_view id) {
  stores_.await(id);
  return change(*this, id).make([&](untyped_arrays& own) {
    if (!is_own(id)) return false;
    const bool was_there = own.erase(id);
    leave(id);
    forget_shape(id);
    return was_there;
  });
}

void rank_arrays::set_attribute(std::string_view id, std::string_view key, const data_type& type,
                                const extents& dims, std::span<const std::byte> value) {
  stores_.await(id);
  change(*this, id).make([&](untyped_arrays& own) {
    require_own(id);
    own.set_attribute(id, key, type, dims, value);
  });
}

bool rank_arrays::remove_attribute(std::string_view id, std::string_view key) {
  stores_.await(id);
  return change(*this, id).make([&](untyped_arrays& own) {
    require_own(id);
    return own.remove_attribute(id, key);
  });
}

// ---- what others have ------------------------------------------------------------------------------------

// The nearest first: neighbours of what this rank had are likely to be what it asks for.
std::vector<std::uint32_t> rank_arrays::other_parts() const {
  const std::uint32_t parts = set_.state().ranks;
  const auto ranks = static_cast<std::uint64_t>(set_.ranks());
  const auto middle = static_cast<std::int64_t>(static_cast<std::uint64_t>(set_.rank()) * parts / ranks);
  std::vector<std::uint32_t> order;
  order.reserve(parts);
  for (std::uint32_t part = 0; part < parts; ++part)
    if (!own_ || static_cast<int>(part) != set_.rank()) order.push_back(part);
  std::stable_sort(order.begin(), order.end(), [middle](std::uint32_t a, std::uint32_t b) {
    return std::abs(static_cast<std::int64_t>(a) - middle) < std::abs(static_cast<std::int64_t>(b) - middle);
  });
  return order;
}

// Until `look` returns true for one.
bool rank_arrays::any_other(const std::function<bool(part_reader&)>& look) const {
  const std::scoped_lock lock(reading_);
  for (const std::uint32_t rank : other_parts())
    if (look(*set_.read_part(rank))) return true;
  return false;
}

std::optional<rank_arrays::found_array> rank_arrays::look_up(std::string_view id) const {
  set_.require_open();
  std::optional<array_info> found;
  if (is_own(id)) found = own_->find(id);
  if (found) return found_array{*std::move(found), true};
  any_other([&](part_reader& part) {
    if (part.has_array(id)) found = part.arrays().find(id);
    return found.has_value();
  });
  if (!found) return std::nullopt;
  return found_array{*std::move(found), false};
}

std::optional<array_info> rank_arrays::find(std::string_view id) const {
  auto found = look_up(id);
  return found ? std::optional(std::move(found->info)) : std::nullopt;
}

array_info rank_arrays::info(std::string_view id) const {
  auto found = look_up(id);
  if (!found) throw_not_found("the set", id);
  if (own_ || set_.ranks() > 1) return std::move(found->info);
  return info_of_all_parts(id, std::move(found->info));
}

// Adds up what all parts hold. Every part is opened, so one process does it, and not each rank of many.
array_info rank_arrays::info_of_all_parts(std::string_view id, array_info first) const {
  first.stored_bytes = 0;
  first.blocks = 0;
  any_other([&](part_reader& part) {
    if (!part.has_array(id)) return false;
    const array_info one = part.arrays().info(id);
    first.stored_bytes += one.stored_bytes;
    first.blocks += one.blocks;
    return false;
  });
  return first;
}

// Of elements of one size, as they are asked for.
rank_arrays::found_array rank_arrays::require_elements(std::string_view id, const data_type& type) const {
  auto found = look_up(id);
  if (!found) throw_not_found("the set", id);
  require_type(id, found->info.type, type);
  if (type.is_variable())
    throw error(errc::invalid_argument, quoted(id) + " has elements of any length, and is loaded as a whole");
  return *std::move(found);
}

std::vector<slab> rank_arrays::parts(std::string_view id) const {
  std::vector<slab> all;
  bool is_there = false;
  set_.require_open();
  if (has_own(id)) {
    all = own_->parts(id);
    is_there = true;
  }
  any_other([&](part_reader& part) {
    if (!part.has_array(id)) return false;
    is_there = true;
    const std::vector<slab> more = part.arrays().parts(id);
    all.insert(all.end(), more.begin(), more.end());
    return false;
  });
  if (!is_there) throw_not_found("the set", id);
  return all;
}

std::vector<std::string> rank_arrays::list(std::string_view prefix) const {
  set_.require_open();
  std::set<std::string> ids;
  if (own_)
    for (std::string& id : own_->list(prefix))
      if (is_own(id)) ids.insert(std::move(id));
  any_other([&](part_reader& part) {
    for (std::string& id : part.arrays().list(prefix))
      if (part.has_array(id)) ids.insert(std::move(id));
    return false;
  });
  return {ids.begin(), ids.end()};
}

void rank_arrays::read(std::string_view id, const data_type& type, const slab& where,
                       const untyped_view& to) const {
  read_found(id, require_elements(id, type), where, to);
}

void rank_arrays::read_whole(std::string_view id, const data_type& type,
                             const std::function<untyped_view(const extents&)>& place) const {
  const found_array found = require_elements(id, type);
  read_found(id, found, slab::whole(found.info.dims), place(found.info.dims));
}

void rank_arrays::read_found(std::string_view id, const found_array& found, const slab& where,
                             const untyped_view& to) const {
  const array_info& info = found.info;
  require_slab(id, info.dims, where, to.dims);
  if (where.count.elements() == 0) return;
  const slab box = around(where);
  box_list missing(info.dims.rank());
  missing.add(box);
  if (found.is_own) missing = without(missing, common(boxes_of(*own_, id, info.dims.rank()), box));
  if (!missing.empty()) {
    any_other([&](part_reader& part) {
      if (!part.has_array(id)) return false;
      const array_info other = part.arrays().info(id);
      if (!(other.type == info.type) || !(other.dims == info.dims))
        throw error(errc::conflict, quoted(id) + " is " + info.type.text() + ' ' + shape_text(info.dims) +
                                        " in one part and " + other.type.text() + ' ' +
                                        shape_text(other.dims) + " in part " + std::to_string(part.rank()) +
                                        ": all ranks must make it the same, and make a checkpoint then");
      const box_list held = common(boxes_of(part.arrays(), id, info.dims.rank()), box);
      if (held.empty()) return false;
      const std::uint64_t before = missing.elements();
      missing = without(missing, held);
      const std::uint64_t taken = before - missing.elements();
      // What this rank has written since hides what others had.
      if (!own_ && taken != disjoint(held).elements())
        throw error(errc::conflict, quoted(id) + ": part " + std::to_string(part.rank()) +
                                        " holds elements that another part holds too: restore all of the set "
                                        "from one snapshot");
      if (taken != 0) part.arrays().read_held(id, where, to);
      return missing.empty();
    });
    // What nobody has written. Only that: to clear all first would cost as much as half of the reading.
    clear(where, missing, info.type.size(), to);
  }
  if (found.is_own) own_->read_held(id, where, to);
}

variable_elements rank_arrays::read_variable(std::string_view id, const data_type& type) const {
  set_.require_open();
  if (has_own(id)) return own_->read_variable(id, type);
  std::optional<variable_elements> found;
  any_other([&](part_reader& part) {
    if (part.has_array(id)) found = part.arrays().read_variable(id, type);
    return found.has_value();
  });
  if (!found) throw_not_found("the set", id);
  return *std::move(found);
}

std::uint64_t rank_arrays::read_held(std::string_view id, const slab& where, const untyped_view& to) const {
  set_.require_open();
  return is_own(id) ? own_->read_held(id, where, to) : 0;
}

viewed_array rank_arrays::view(std::string_view id, const data_type& type, bool to_write) const {
  set_.require_open();
  if (to_write) own_to_change();
  if (has_own(id)) return own_->view(id, type, to_write);
  return view_in_other(
      id, [&](const untyped_arrays& part) { return part.info(id).is_viewable; },
      [&](const untyped_arrays& part) { return part.view(id, type, false); },
      " does not lie in one piece: load it");
}

viewed_array rank_arrays::view_part(std::string_view id, const data_type& type, const slab& where) const {
  set_.require_open();
  if (has_own(id)) return own_->view_part(id, type, where);
  return view_in_other(
      id,
      [&](const untyped_arrays& part) {
        return !common(boxes_of(part, id, where.count.rank()), where).empty();
      },
      [&](const untyped_arrays& part) { return part.view_part(id, type, where); },
      " has no part that is viewed so: load it");
}

/// Views the array in the first part that has it, as `has` says. The part stays open as long as the view
/// lives. A rank with a part of its own views none of others; `refusal` is said where no part has it.
template <class Has, class View>
viewed_array rank_arrays::view_in_other(std::string_view id, const Has& has, const View& view,
                                        const char* refusal) const {
  bool is_there = false;
  const std::scoped_lock lock(reading_);
  for (const std::uint32_t rank : other_parts()) {
    const std::shared_ptr<part_reader> part = set_.read_part(rank);
    if (!part->has_array(id)) continue;
    is_there = true;
    if (own_ || !has(part->arrays())) continue;
    viewed_array found = view(part->arrays());
    struct both {
      std::shared_ptr<part_reader> part;
      array_hold hold;  // ends first
    };
    found.hold = array_hold(std::make_shared<both>(both{part, std::move(found.hold)}));
    return found;
  }
  if (!is_there) throw_not_found("the set", id);
  throw error(errc::unsupported,
              quoted(id) + (own_ ? " lies in the part of another rank: load it" : refusal));
}

void rank_arrays::prefetch(std::string_view id) const {
  set_.require_open();
  if (is_own(id)) own_->prefetch(id);
}

std::vector<std::string> rank_arrays::check(std::string_view id) const {
  set_.require_open();
  if (own_) {
    require_own(id);
    return own_->check(id);
  }
  std::vector<std::string> wrong;
  bool is_there = false;
  any_other([&](part_reader& part) {
    if (!part.has_array(id)) return false;
    is_there = true;
    for (const std::string& one : part.arrays().check(id))
      wrong.push_back("part " + std::to_string(part.rank()) + ": " + one);
    return false;
  });
  if (!is_there) throw_not_found("the set", id);
  return wrong;
}

std::optional<attribute_value> rank_arrays::attribute(std::string_view id, std::string_view key) const {
  set_.require_open();
  std::optional<attribute_value> found;
  bool is_there = false;
  if (has_own(id)) {
    is_there = true;
    found = own_->attribute(id, key);
  }
  if (!found) {
    any_other([&](part_reader& part) {
      if (!part.has_array(id)) return false;
      is_there = true;
      found = part.arrays().attribute(id, key);
      return found.has_value();
    });
  }
  if (!is_there) throw_not_found("the set", id);
  return found;
}

std::vector<std::string> rank_arrays::attributes(std::string_view id) const {
  set_.require_open();
  std::set<std::string> keys;
  bool is_there = false;
  const auto take = [&](const untyped_arrays& arrays) {
    is_there = true;
    for (std::string& key : arrays.attributes(id)) keys.insert(std::move(key));
  };
  if (has_own(id)) take(*own_);
  any_other([&](part_reader& part) {
    if (part.has_array(id)) take(part.arrays());
    return false;
  });
  if (!is_there) throw_not_found("the set", id);
  return {keys.begin(), keys.end()};
}

// ---- checkpoints -----------------------------------------------------------------------------------------

std::uint64_t rank_arrays::cover() {
  constexpr std::uint64_t modulus = vote::cover_modulus;
  const std::scoped_lock lock(mutex_);
  while (!changed_.empty()) {
    const std::string id = *changed_.begin();
    std::optional<array_info> info;
    if (record_->arrays.contains(std::string_view(id))) info = own_->find(id);
    const auto before = known_.find(id);
    if (before != known_.end()) {
      sum_ = (sum_ + modulus - before->second.cover) % modulus;
      known_.erase(before);
    }
    if (info) {
      known_array now{
          {info->type.text(), info->dims, boxes_of(*own_, id, info->dims.rank()), making_of(*own_, *info)}};
      // Chunks are those of one grid.
      if (info->layout != array_layout::chunked) now.parts.boxes = disjoint(now.parts.boxes);
      now.cover = cover_of(id, now.parts, set_.rank(), set_.ranks());
      sum_ = (sum_ + now.cover) % modulus;
      known_.emplace(id, std::move(now));
    }
    unlooked_.insert(id);
    changed_.erase(changed_.begin());
  }
  return sum_;
}

std::string rank_arrays::for_a_look() const {
  const std::scoped_lock lock(mutex_);
  std::map<std::string, array_parts> changed;
  for (const std::string& id : unlooked_) {
    array_parts& one = changed[id];
    const auto found = known_.find(id);
    if (found == known_.end()) {
      one.exists = false;
    } else {
      one = found->second.parts;
    }
  }
  return to_bytes(changed);
}

void rank_arrays::looked_at() {
  const std::scoped_lock lock(mutex_);
  unlooked_.clear();
}

}  // namespace perdure::detail
