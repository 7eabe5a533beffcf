// Opens and closes a manager: the store, the heap and the directory of one.
#include "manager/manager_state.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"
#include "segment/segment.hpp"
#include "store/backing/forked_child.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::detail {

void manager_core::state::attach() {
  memory = heap::attach(store->memory());
  directory = std::make_unique<name_directory>(checked_memory(*memory, store->memory(), path));
  if (memory->root() != 0 || !writable) return;
  // Making a directory allocates, which trusts the heap; a heap without one is not as this library leaves it.
  if (const std::vector<std::string> wrong = memory->check(); !wrong.empty())
    throw error(errc::damaged, path + ": the heap is damaged: " + wrong.front());
  format_directory();
}

void manager_core::state::format() {
  memory = heap::format(store->memory());
  format_directory();
}

void manager_core::state::format_directory() {
  name_directory::format(*memory);
  directory = std::make_unique<name_directory>(checked_memory(*memory, store->memory(), path));
}

void manager_core::state::require_writable() const {
  if (!writable)
    throw error(errc::read_only, path +
                                     ": the store is open for reading only; open it with open_only to "
                                     "change it");
  if (store->memory().held() != possession::own) store::refuse_child(path);
}

void manager_core::state::require_memory() const {
  if (store->memory().held() == possession::nothing) store::refuse_child(path);
}

void manager_core::state::require_none_prepared() const {
  if (prepared_by.load() == std::this_thread::get_id())
    throw error(
        errc::invalid_argument,
        path + " has a prepared checkpoint of this thread's, which must be decided on or abandoned first");
}

manager_core::manager_core(std::unique_ptr<state> s) noexcept : state_(std::move(s)) {}
manager_core::~manager_core() {
  if (state_->listener) state_->listener->closing();
}

std::unique_ptr<manager_core> manager_core::open(mode how, const std::filesystem::path& path,
                                                 const store_options& options, bool must_be_pinned) {
  heap::prepare_for_forks();
  auto s = std::make_unique<state>();
  s->path = path.string();
  s->writable = how != mode::open_read_only;
  s->known_layouts_only = options.known_layouts_only;

  const auto create = [&] {
    store_options wanted = options;
    wanted.pinned = wanted.pinned || must_be_pinned;
    s->store = datastore::create(path, wanted);
    s->store->memory().set_owner(s->path);
    s->format();
    s->store->checkpoint();
  };
  const auto open_existing = [&] {
    s->store = how == mode::open_read_only       ? datastore::open_read_only(path, options)
               : how == mode::open_copy_on_write ? datastore::open_copy_on_write(path, options)
                                                 : datastore::open(path, options);
    s->store->memory().set_owner(s->path);
    if (must_be_pinned && !s->store->info().pinned)
      throw error(errc::incompatible,
                  s->path +
                      ": this store is not pinned, so plain pointers in it would not survive; "
                      "open it with perdure::manager");
    if (s->store->memory().size() != 0) return s->attach();
    // Its creation ended before the first checkpoint: it is an empty store.
    if (!s->writable)
      throw error(errc::not_a_store, s->path + ": this store was never filled; open it for writing once");
    s->format();
    if (!s->store->read_only()) s->store->checkpoint();
  };

  switch (how) {
    case mode::create:
      create();
      break;
    case mode::open:
    case mode::open_read_only:
    case mode::open_copy_on_write:
      open_existing();
      break;
    case mode::open_or_create:
      try {
        open_existing();
      } catch (const error& failure) {
        const bool nothing_there =
            failure.code() == errc::not_found ||
            (failure.code() == errc::not_a_store && store::is_free(store::normalized_store_path(path)));
        if (!nothing_there) throw;
        try {
          create();
        } catch (const error& race) {
          if (race.code() != errc::already_exists) throw;
          open_existing();
        }
      }
      break;
  }
  if (s->writable && !s->store->read_only()) s->loses_at_exit.emplace(s->path);
  state& opened = *s;
  std::unique_ptr<manager_core> core(new manager_core(std::move(s)));
  opened.shown.emplace(core.get(), dynamic_cast<const void*>(opened.store.get()),
                       opened.store->memory().base(), opened.directory->root(), opened.path, opened.writable);
  return core;
}

void manager_core::close() {
  if (state_->listener) state_->listener->closing();
  state_->shown.reset();
  state_->directory.reset();
  state_->memory.reset();
  state_->store->close();
  state_->loses_at_exit.reset();
}

datastore& manager_core::store() noexcept {
  return *state_->store;
}
heap& manager_core::memory() noexcept {
  return *state_->memory;
}
std::size_t manager_core::capacity() const noexcept {
  return state_->store->memory().limit();
}

std::size_t manager_core::free_memory() const {
  const detail::segment& memory = state_->store->memory();
  const heap_stats stats = state_->memory->stats();
  const auto rest = [](std::size_t all, std::size_t taken) { return taken < all ? all - taken : 0; };
  return std::min(rest(memory.limit(), stats.used_bytes),
                  rest(memory.capacity(), stats.used_bytes + stats.metadata_bytes));
}

std::size_t manager_core::address_space() const noexcept {
  return state_->store->memory().capacity();
}

std::size_t manager_core::size() const noexcept {
  return state_->store->memory().size();
}

void manager_core::require_writable() const {
  state_->require_writable();
}

void manager_core::require_memory() const {
  state_->require_memory();
}

bool manager_core::writable() const noexcept {
  return state_->writable;
}

}  // namespace perdure::detail
