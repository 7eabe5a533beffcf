// Divides the arrays of a set among another number of ranks: new parts are made beside the old ones, the
// manifest changes over to them, and the old ones go.
#include <algorithm>
#include <functional>
#include <map>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/progress.hpp>
#include <perdure/write_guard.hpp>
#include <string>
#include <utility>
#include <vector>

#include "array/array_name.hpp"
#include "array/stored_array.hpp"
#include "ranks/boxes.hpp"
#include "ranks/coverage.hpp"
#include "ranks/divided_arrays.hpp"
#include "ranks/division_plan.hpp"
#include "ranks/part_options.hpp"
#include "ranks/set_destination.hpp"
#include "store/file/failure.hpp"

namespace perdure::detail {

namespace {

constexpr std::uint64_t slice_bytes = std::uint64_t{64} << 20;

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
  new_part(manager_core& store, part_record& record, int rank, int ranks, const division_plan& plan)
      : store_(store),
        record_(record),
        plan_(plan),
        arrays_(untyped_arrays::of(store)),
        rank_(rank),
        ranks_(ranks) {}

  void take_from(part_reader& old) {
    for (const std::string& id : old.arrays().list({}))
      if (old.has_array(id) && !plan_.is_replaced(id)) take(old, id);
  }
  /// Once all old parts have been taken from.
  void finish() {
    for (const auto& [id, values] : attributes_)
      for (const auto& [key, value] : values)
        arrays_->set_attribute(id, key, value.type, value.dims, std::as_bytes(std::span(value.bytes)));
  }

 private:
  void take(part_reader& old, const std::string& id) {
    untyped_arrays& from = old.arrays();
    const array_info info = from.info(id);
    const auto [known, is_new] = known_.try_emplace(id, info);
    if (!(known->second.type == info.type) || !(known->second.dims == info.dims)) {
      throw error(errc::conflict, detail::quoted(id) + " is " + known->second.type.text() + ' ' +
                                      known->second.dims.text() + " in one part and " + info.type.text() +
                                      ' ' + info.dims.text() + " in part " + std::to_string(old.rank()));
    }
    if (!has_making_of(known->second, info))
      throw error(errc::conflict,
                  detail::quoted(id) + " has another layout, or other names of dimensions, in part " +
                      std::to_string(old.rank()) +
                      " than in a part before it: open the set for writing, erase the array on "
                      "all ranks, and create it as the same on all of them");
    if (const auto owner = plan_.owner_of_whole(id)) {
      if (heir_of(*owner) != rank_) return;
      if (*owner == old.rank()) take_whole(from, id, info);
      return take_attributes(old, id);
    }
    if (is_new) {
      enter(id);
      arrays_->create(id, info.type, info.dims, options_of(info));
    }
    take_share(from, id, info);
    if (heir_of(old.rank()) == rank_) take_attributes(old, id);
  }

  static bool has_making_of(const array_info& known, const array_info& info) {
    return known.layout == info.layout && known.chunk == info.chunk && known.codec == info.codec &&
           known.dimensions == info.dimensions;
  }

  /// Returns the new rank that has what an old one had alone: the same one, where there still is one.
  int heir_of(std::uint32_t old) const {
    return old < static_cast<std::uint32_t>(ranks_) ? static_cast<int>(old) : 0;
  }

  void enter(const std::string& id) {
    const write_guard guard(store_.memory());
    record_.arrays.insert(perdure::string(id));
  }

  void take_whole(untyped_arrays& from, const std::string& id, const array_info& info) {
    enter(id);
    whole_arrays& whole = make_whole_arrays(store_);
    {
      const write_guard guard(store_.memory());
      whole.ids.insert(perdure::string(id));
    }
    if (info.type.is_variable()) {
      arrays_->store_variable(id, info.type, info.dims, from.read_variable(id, info.type), options_of(info));
    } else if (info.layout == array_layout::contiguous) {
      const viewed_array all = from.view(id, info.type, false);
      arrays_->store_whole(id, info.type,
                           const_untyped_view::row_major(all.data, info.dims, info.type.size()),
                           options_of(info));
    } else {
      arrays_->create(id, info.type, info.dims, options_of(info));
      take_held(from, id, info, slab::whole(info.dims));
    }
  }

  // An attribute that several parts have is the same in all of them.
  void take_attributes(part_reader& old, const std::string& id) {
    const untyped_arrays& from = old.arrays();
    for (const std::string& key : from.attributes(id)) {
      auto value = from.attribute(id, key);
      if (!value) continue;
      const auto& known = attributes_[id].try_emplace(key, *value).first->second;
      if (hash_of(known) != hash_of(*value))
        throw error(errc::conflict,
                    "the attribute \"" + key + "\" of " + detail::quoted(id) + " has another value in part " +
                        std::to_string(old.rank()) +
                        " than in a part before it: open the set for writing, and set it on one "
                        "rank, or alike on all that set it");
    }
  }

  void take_share(untyped_arrays& from, const std::string& id, const array_info& info) {
    if (!info.dims.empty()) return take_held(from, id, info, plan_.share_of(info, rank_, ranks_));
    if (rank_ == 0) take_held(from, id, info, slab::whole(info.dims));
  }

  void take_held(untyped_arrays& from, const std::string& id, const array_info& info, const slab& mine) {
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
      add_progress(bytes.size());
      if (!box.count.empty()) box.offset[0] += now;
      left -= now;
    }
  }

  manager_core& store_;
  part_record& record_;
  const division_plan& plan_;
  std::shared_ptr<untyped_arrays> arrays_;
  std::map<std::string, array_info> known_;
  std::map<std::string, std::map<std::string, attribute_value>> attributes_;
  int rank_;
  int ranks_;
};

struct part_checkpoint {
  std::uint64_t epoch;
  std::uint64_t identity;
};

/// Makes a new part, closed on return. `replace`, if there is one, stores what the program stores. Returns
/// the part's checkpoint.
part_checkpoint make_new_part(const set_directory& directory, part_readers& old, const division_plan& plan,
                              const set_state& after, std::uint32_t part, const set_options& wanted,
                              const std::function<void(untyped_arrays&)>& replace) {
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
                  static_cast<int>(after.ranks), plan);
    for (std::uint32_t i = 0; i < old.set().ranks; ++i)
      if (plan.has_more(i)) made.take_from(*old.get(i));
    made.finish();
  }
  if (replace) {
    arrays_of_new_part made(directory, *store, after, part);
    replace(made.arrays());
    made.arrays().complete_stores();
  }
  store->checkpoint();
  const part_checkpoint made{store->store().epoch(), store->store().checkpoint_identity()};
  store->close();
  return made;
}

}  // namespace

void store_set::repartition(std::unique_ptr<rank_group> group, const std::filesystem::path& path,
                            const set_options& options, std::uint32_t parts, set_divider* divider) {
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

  auto old = std::make_shared<arrays_before>(directory, before, options.store);
  std::optional<division_plan> plan;
  const auto find_arrays = [&] {
    store::reporting("divide the set", path, [&] { plan.emplace(old->parts()); });
  };
  if (divider != nullptr) {
    // The ranks plan together, so none of them may have failed before.
    own = vote_for(*group, step::plan_division);
    try {
      find_arrays();
    } catch (...) {
      turn_down(own, std::current_exception());
    }
    made = agree(*group, own, [](const vote&, outcome&) {});
    if (made.what != outcome::verdict::counts && rank == 0)
      directory.remove_left_over(before.number, before.ranks);
    require_counts(made);
  }

  own = vote_for(*group, step::repartitioned);
  std::exception_ptr not_planned;  // the same on all ranks, which need not hear it of one of them
  try {
    std::function<void(untyped_arrays&)> replace;
    std::uint32_t part = rank;
    if (divider == nullptr) {
      find_arrays();
    } else {
      const std::shared_ptr<const untyped_arrays> arrays(old, &old->arrays());
      set_division division;
      try {
        division = divider->plan(arrays, after.ranks);
      } catch (...) {
        not_planned = std::current_exception();
        throw;
      }
      plan->follow(std::move(division), *arrays, after.ranks);
      replace = [divider, arrays, &part](untyped_arrays& to) { divider->store_part(arrays, to, part); };
    }
    store::reporting("divide the set", path, [&] {
      for (; part < after.ranks; part += ranks) {
        begin_progress_round("making part", 0, "bytes");
        const part_checkpoint made_there =
            make_new_part(directory, old->parts(), *plan, after, part, options, replace);
        const std::uint64_t epoch = made_there.epoch;
        own.least_epoch.number = part == rank ? epoch : std::min(own.least_epoch.number, epoch);
        own.most_epoch.number = std::max(own.most_epoch.number, epoch);
        own.identities += made_there.identity;
      }
    });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  old.reset();
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
  if (not_planned) std::rethrow_exception(not_planned);
  require_counts(made);

  for (std::uint32_t part = rank; part < before.ranks; part += ranks)
    directory.remove_part(before.number, part);
  // Whoever opens the set next must not find old parts half gone.
  own = vote_for(*group, step::old_parts_removed);
  require_counts(agree(*group, own, [](const vote&, outcome&) {}));
  if (rank == 0) directory.remove_left_over(after.number, after.ranks);
}

}  // namespace perdure::detail
