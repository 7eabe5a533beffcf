// Copies of sets that nobody need have open.
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>

#include "ranks/set_destination.hpp"
#include "store/file/failure.hpp"

namespace perdure::detail {

namespace {

/// Keeps the group as long as the copy needs it.
class copy_of_closed_set final : public set_copy {
 public:
  copy_of_closed_set(std::unique_ptr<rank_group> group, set_destination destination, const set_state& source,
                     std::function<void(const set_destination&)> work)
      : group_(std::move(group)),
        copy_(
            *group_, [this](const vote& own, const decider& decide) { return agree(*group_, own, decide); },
            std::move(destination), source, std::move(work)) {}
  bool ready() const override { return copy_.ready(); }
  void finish() override { copy_.finish(); }

 private:
  std::unique_ptr<rank_group> group_;
  running_copy copy_;
};

}  // namespace

std::unique_ptr<set_copy> store_set::copy_async(std::unique_ptr<rank_group> group,
                                                const std::filesystem::path& from,
                                                const std::filesystem::path& to) {
  const int rank = group->rank();
  const int ranks = group->size();
  vote own = vote_for(*group, step::copy);
  set_directory source;
  set_destination destination;
  set_state state;
  try {
    source = set_directory(resolve_set_name(from));
    destination = set_destination(to);
    if (rank == 0) {
      store::reporting("copy the set", from, [&] { state = set_manifest::read(source.open()); });
      store::reporting("make a copy of a set in", to, [&] { destination.begin(state, false); });
    }
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  const outcome made = agree(*group, own, [&](const vote&, outcome& into) {
    tell(into, {state, destination.number(), destination.replaced()});
  });
  require_counts(made);
  const told_set told = told_by(made);
  state = told.set;
  destination.follow(told.number, told.replaced);
  auto work = [=](const set_destination& into) {
    store::reporting("make a copy of a set in", to, [&] {
      for (auto part = static_cast<std::uint32_t>(rank); part < state.ranks;
           part += static_cast<std::uint32_t>(ranks)) {
        store_maintenance::copy(source.part(state.number, part), into.place(state, part));
        into.require_copied(state, part);
      }
    });
  };
  return std::make_unique<copy_of_closed_set>(std::move(group), std::move(destination), state,
                                              std::move(work));
}

void store_set::copy(std::unique_ptr<rank_group> group, const std::filesystem::path& from,
                     const std::filesystem::path& to) {
  copy_async(std::move(group), from, to)->finish();
}

}  // namespace perdure::detail
