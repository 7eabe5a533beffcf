// Divides the arrays of a set among another number of ranks: new parts are made beside the old ones, the
// manifest changes over to them, and the old ones go.
#include <algorithm>
#include <map>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/write_guard.hpp>
#include <string>
#include <vector>

#include "array/array_name.hpp"
#include "array/stored_array.hpp"
#include "ranks/boxes.hpp"
#include "ranks/part_options.hpp"
#include "ranks/part_reader.hpp"
#include "ranks/set_destination.hpp"
#include "store/file/failure.hpp"

namespace perdure::detail {

namespace {

constexpr std::uint64_t slice_bytes = std::uint64_t{64} << 20;

struct row_range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// Of the first dimension, so many whole chunks as equal as can be.
row_range rows_of(const array_info& info, int rank, int ranks) {
  const std::uint64_t rows = info.dims[0];
  const std::uint64_t step = info.layout == array_layout::chunked ? info.chunk[0] : 1;
  const std::uint64_t steps = (rows + step - 1) / step;
  const auto share = static_cast<std::uint64_t>(ranks);
  const auto before = [&](int of) {
    const auto number = static_cast<std::uint64_t>(of);
    return std::min(rows, (steps / share * number + std::min(steps % share, number)) * step);
  };
  return {before(rank), before(rank + 1)};
}

array_options options_of(const array_info& info) {
  array_options options;
  options.layout = info.layout;
  options.chunk = info.chunk;
  options.codec = info.codec;
  options.dimensions = info.dimensions;
  return options;
}

/// Makes one new part from all old ones.
class new_part {
 public:
  new_part(manager_core& store, part_record& record, int rank, int ranks)
      : store_(store), record_(record), arrays_(untyped_arrays::of(store)), rank_(rank), ranks_(ranks) {}

  void take_from(part_reader& old) {
    require_only_arrays(old);
    for (const std::string& id : old.arrays().list({}))
      if (old.has_array(id)) take(old, id);
  }

 private:
  static void require_only_arrays(part_reader& old) {
    manager_core& store = old.store();
    // The record of the part is one of its objects, and so is the catalogue of its arrays.
    const bool has_catalogue = store.find(unique_instance, type_stamp_of<array_catalogue>()).first != nullptr;
    std::size_t others = store.count(instance_kind::named) + store.count(instance_kind::anonymous) +
                         store.count(instance_kind::unique) - (has_catalogue ? 2 : 1);
    for (const std::string& id : old.arrays().list({}))
      if (!old.has_array(id)) ++others;
    if (others == 0) return;
    throw error(errc::unsupported,
                "part " + std::to_string(old.rank()) + " of the set holds " + std::to_string(others) +
                    " objects beside the arrays of all ranks, which only their program can divide: open the "
                    "parts for reading, and write a new set");
  }

  void take(part_reader& old, const std::string& id) {
    untyped_arrays& from = old.arrays();
    const array_info info = from.info(id);
    const auto [known, is_new] = known_.try_emplace(id, info);
    if (!(known->second.type == info.type) || !(known->second.dims == info.dims)) {
      throw error(errc::conflict, detail::quoted(id) + " is " + known->second.type.text() + ' ' +
                                      known->second.dims.text() + " in one part and " + info.type.text() +
                                      ' ' + info.dims.text() + " in part " + std::to_string(old.rank()));
    }
    const bool is_divided = !info.type.is_variable() && info.layout != array_layout::contiguous;
    if (!is_divided && rank_ != 0) return;
    if (is_new) {
      const write_guard guard(store_.memory());
      record_.arrays.insert(perdure::string(id));
    }
    if (info.type.is_variable()) {
      if (is_new || info.blocks != 0)
        arrays_->store_variable(id, info.type, info.dims, from.read_variable(id, info.type),
                                options_of(info));
    } else if (!is_divided) {
      const viewed_array all = from.view(id, info.type, false);
      arrays_->store_whole(id, info.type,
                           const_untyped_view::row_major(all.data, info.dims, info.type.size()),
                           options_of(info));
    } else {
      if (is_new) arrays_->create(id, info.type, info.dims, options_of(info));
      take_rows(from, id, info);
    }
    if (rank_ != 0) return;
    for (const std::string& key : from.attributes(id))
      if (const auto value = from.attribute(id, key))
        arrays_->set_attribute(id, key, value->type, value->dims, std::as_bytes(std::span(value->bytes)));
  }

  void take_rows(untyped_arrays& from, const std::string& id, const array_info& info) {
    slab mine = slab::whole(info.dims);
    if (info.dims.empty()) {
      if (rank_ != 0) return;
    } else {
      const row_range rows = rows_of(info, rank_, ranks_);
      mine.offset[0] = rows.first;
      mine.count[0] = rows.end - rows.first;
    }
    box_list boxes(info.dims.rank());
    for (const slab& one : from.parts(id)) boxes.add(one);
    boxes = common(disjoint(boxes), mine);
    for (std::size_t i = 0; i < boxes.size(); ++i) take_box(from, id, info, boxes.at(i));
  }

  void take_box(untyped_arrays& from, const std::string& id, const array_info& info, slab box) {
    const std::size_t element = info.type.size();
    std::uint64_t rows = 1;
    std::uint64_t left = 1;
    if (!box.count.empty()) {
      left = box.count[0];
      const std::uint64_t step = info.layout == array_layout::chunked ? info.chunk[0] : 1;
      const std::uint64_t row_bytes = std::max<std::uint64_t>(box.count.elements() / left * element, 1);
      rows = std::max<std::uint64_t>(slice_bytes / row_bytes / step, 1) * step;
    }
    std::vector<std::byte> bytes;
    while (left > 0) {
      const std::uint64_t now = std::min(rows, left);
      if (!box.count.empty()) box.count[0] = now;
      bytes.resize(box.count.elements() * element);
      from.read_held(id, box, untyped_view::row_major(bytes.data(), box.count, element));
      arrays_->write(id, info.type, box, const_untyped_view::row_major(bytes.data(), box.count, element));
      if (!box.count.empty()) box.offset[0] += now;
      left -= now;
    }
  }

  manager_core& store_;
  part_record& record_;
  std::shared_ptr<untyped_arrays> arrays_;
  std::map<std::string, array_info> known_;
  int rank_;
  int ranks_;
};

struct part_checkpoint {
  std::uint64_t epoch;
  std::uint64_t identity;
};

/// Makes a new part, closed on return. Returns its checkpoint.
part_checkpoint make_new_part(const set_directory& directory, const set_state& before, const set_state& after,
                              std::uint32_t part, const set_options& wanted) {
  store_options reading = wanted.store;
  part_readers old(directory, before, reading);
  store_options making = wanted.store;
  const store_info first = old.get(0)->store().store().info();
  making.capacity = std::max(making.capacity, first.capacity);
  making.pinned = first.pinned;
  making.last_decided = 0;  // marks it as a part
  making.keep_last = 0;
  const std::filesystem::path place = directory.make_place_for_part(after, part, wanted.parts_directory);
  const auto store = manager_core::open(manager_core::mode::create, place, making, first.pinned);
  {
    new_part made(*store, make_part_record(*store, after, part), static_cast<int>(part),
                  static_cast<int>(after.ranks));
    for (std::uint32_t i = 0; i < before.ranks; ++i) made.take_from(*old.get(i));
  }
  store->checkpoint();
  const part_checkpoint made{store->store().epoch(), store->store().checkpoint_identity()};
  store->close();
  return made;
}

}  // namespace

void store_set::repartition(std::unique_ptr<rank_group> group, const std::filesystem::path& path,
                            const set_options& options, std::uint32_t parts) {
  const auto rank = static_cast<std::uint32_t>(group->rank());
  const auto ranks = static_cast<std::uint32_t>(group->size());
  if (parts == 0) parts = ranks;
  set_directory directory;
  std::optional<set_manifest> manifest;
  vote own = vote_for(*group, step::repartition);
  try {
    require_part_options(options, true);
    require_changeable_store(path);
    if (parts < ranks)
      throw error(errc::invalid_argument, "a set is divided by no more ranks than it gets parts, of which " +
                                              std::to_string(parts) + " are asked for");
    directory = set_directory(path);
    if (rank == 0) {
      store::reporting("divide the set", path, [&] {
        manifest = set_manifest::open(directory.open());
        directory.require_no_set_after(manifest->now().number);
        directory.remove_left_over(manifest->now().number, manifest->now().ranks);
        directory.make_for_parts(manifest->now().number + 1);
      });
    }
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  outcome made = agree(*group, own, [&](const vote&, outcome& to) { tell(to, {manifest->now(), parts}); });
  require_counts(made);
  const told_set told = told_by(made);
  const set_state before = told.set;
  set_state after = before;
  ++after.number;
  after.ranks = static_cast<std::uint32_t>(told.number);

  own = vote_for(*group, step::repartitioned);
  try {
    store::reporting("divide the set", path, [&] {
      for (std::uint32_t part = rank; part < after.ranks; part += ranks) {
        const part_checkpoint made_there = make_new_part(directory, before, after, part, options);
        const std::uint64_t epoch = made_there.epoch;
        own.least_epoch.number = part == rank ? epoch : std::min(own.least_epoch.number, epoch);
        own.most_epoch.number = std::max(own.most_epoch.number, epoch);
        own.identities += made_there.identity;
      }
    });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  made = agree(*group, own, [&](const vote& all, outcome&) {
    if (all.least_epoch.number != all.most_epoch.number)
      throw error(errc::conflict, "new parts are at different checkpoints, which cannot be");
    after.epoch = all.least_epoch.number;
    after.identities = all.identities;
    after.epochs_before = before.epochs_before + before.epoch + 1 - after.epoch;
    std::exception_ptr failure;
    switch (manifest->store(after, failure)) {
      case set_manifest::written::yes:
        return;
      case set_manifest::written::no:
        std::rethrow_exception(failure);
      case set_manifest::written::in_doubt:
        throw error(errc::undecided,
                    path.string() +
                        " has its old parts still, or the new ones: its manifest could not be "
                        "written, nor put back. Open it to see");
    }
  });
  if (made.what != outcome::verdict::counts && rank == 0 && static_cast<errc>(made.code) != errc::undecided)
    directory.remove_left_over(before.number, before.ranks);
  require_counts(made);

  for (std::uint32_t part = rank; part < before.ranks; part += ranks)
    directory.remove_part(before.number, part);
  // Whoever opens the set next must not find old parts half gone.
  own = vote_for(*group, step::old_parts_removed);
  require_counts(agree(*group, own, [](const vote&, outcome&) {}));
  if (rank == 0) directory.remove_left_over(after.number, after.ranks);
}

}  // namespace perdure::detail
