// An open manager without the types of its objects: the store, the heap, the directory, and who is
// constructing what.
//
// One lock guards the directory: finding shares it, changing it is exclusive. It is never held while
// constructors or destructors run. Who changes the directory begins a change of the heap first and takes the
// lock then: a thread that waited for a checkpoint with the lock held would hold up others that the
// checkpoint waits for. A name under construction is listed in `pending`; whoever wants it meanwhile waits
// until it is settled (published or given up).
#include "perdure/detail/manager_core.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>

#include "manager/attribute_list.hpp"
#include "manager/name_directory.hpp"
#include "perdure/error.hpp"
#include "segment/segment.hpp"
#include "store/backing/forked_child.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::detail {

namespace {

/// A thread that waits for a construction, and the thread that will settle it.
struct waiter {
  std::thread::id self;
  const object_construction* goal;  // null once settled
  std::thread::id goal_owner;
};

std::string printable(instance_kind kind, std::string_view name) {
  switch (kind) {
    case instance_kind::named: {
      constexpr std::size_t shown = 80;
      std::string text = "\"";
      for (const char c : name.substr(0, shown))
        text += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
      return text + (name.size() > shown ? "…\"" : "\"");
    }
    case instance_kind::unique:
      return "the unique instance of " + short_type_name(demangle(name));
    case instance_kind::anonymous:
      break;
  }
  return "an anonymous object";
}

/// What the directory knows the object under.
std::string_view key_of(const object_name& name, const type_stamp& type) noexcept {
  return name.kind() == instance_kind::unique ? type.name : name.name();
}

}  // namespace

struct manager_core::state {
  // Destroyed in reverse: the heap before the segment it lives in.
  std::unique_ptr<datastore> store;
  std::unique_ptr<heap> memory;
  std::unique_ptr<name_directory> directory;
  std::string path;
  bool writable = false;

  std::mutex making_listener;
  std::shared_ptr<checkpoint_listener> listener;  // or null
  std::mutex departing;  // one checkpoint, until its pages are copied, or if it is prepared, decided
  std::atomic<std::thread::id> prepared_by{};
  std::atomic<bool> is_joint{false};  // its checkpoints are made with those of other stores
  mutable std::shared_mutex lock;
  std::condition_variable_any settled;
  std::vector<object_construction*> pending;
  std::vector<waiter> waiters;

  void attach() {
    memory = heap::attach(store->memory());
    directory = std::make_unique<name_directory>(checked_memory(*memory, store->memory(), path));
    if (memory->root() != 0 || !writable) return;
    // Making one allocates, which trusts the heap; this one is not as this library leaves it.
    if (const std::vector<std::string> wrong = memory->check(); !wrong.empty())
      throw error(errc::damaged, path + ": the heap is damaged: " + wrong.front());
    format_directory();
  }
  void format() {
    memory = heap::format(store->memory());
    format_directory();
  }
  void format_directory() {
    name_directory::format(*memory);
    directory = std::make_unique<name_directory>(checked_memory(*memory, store->memory(), path));
  }

  /// Whoever has prepared a checkpoint would wait for itself.
  void require_none_prepared() const {
    if (prepared_by.load() == std::this_thread::get_id())
      throw error(errc::invalid_argument,
                  path + " has a prepared checkpoint of this thread's, which must be decided on or abandoned first");
  }

  object_construction* pending_for(instance_kind kind, std::string_view key) const noexcept {
    for (object_construction* one : pending)
      if (one->kind_ == kind && one->key_ == key) return one;
    return nullptr;
  }
  /// Whether `owner` (in the end) waits for the calling thread.
  bool waits_for_me(std::thread::id owner) const noexcept {
    const std::thread::id me = std::this_thread::get_id();
    for (std::size_t steps = 0; steps <= waiters.size(); ++steps) {
      if (owner == me) return true;
      const auto next =
          std::find_if(waiters.begin(), waiters.end(), [&](const waiter& w) { return w.self == owner; });
      if (next == waiters.end() || next->goal == nullptr) return false;
      owner = next->goal_owner;
    }
    return false;
  }
  void wait_for(const object_construction& goal, std::unique_lock<std::shared_mutex>& held) {
    const std::thread::id me = std::this_thread::get_id();
    waiters.push_back({me, &goal, goal.owner_});
    settled.wait(held, [&] {
      const auto mine =
          std::find_if(waiters.begin(), waiters.end(), [&](const waiter& w) { return w.self == me; });
      if (mine->goal != nullptr) return false;
      waiters.erase(mine);
      return true;
    });
  }
  /// With the lock held exclusively.
  void settle(const object_construction& done) noexcept {
    std::erase(pending, &done);
    for (waiter& w : waiters)
      if (w.goal == &done) w.goal = nullptr;
    if (!waiters.empty()) settled.notify_all();
  }

  std::string describe(instance_kind kind, std::string_view key) const { return printable(kind, key); }
  /// With the lock held. Null where there is none; `errc::wrong_type` where it is of another type.
  void* find_as(const object_name& name, const type_stamp& type, type_match match) const {
    const std::string_view key = key_of(name, type);
    const std::uint64_t hash = name_directory::key_hash(name.kind(), key);
    void* const object = directory->find(name.kind(), hash, key);
    if (object != nullptr) {
      require_type(object, type, match, name.kind(), key);
    } else if (name.kind() == instance_kind::unique && match == type_match::layout) {
      return find_unique_by_layout(type);
    }
    return object;
  }
  /// A unique object's key is the name of its type, so where that has another name it must be looked for.
  void* find_unique_by_layout(const type_stamp& type) const {
    void* only = nullptr;
    for (const object_info& object : directory->objects(instance_kind::unique)) {
      const type_record& recorded = directory->type_of(directory->record_of(object.value()));
      if (!type_table::is_same(recorded, type, type_match::layout)) continue;
      if (only != nullptr)
        throw error(
            errc::wrong_type,
            path + ": more than one unique instance has the layout of " +
                short_type_name(demangle(type.name)) + ": " +
                short_type_name(demangle(type_table::name(directory->type_of(directory->record_of(only))))) +
                " and " + short_type_name(object.type_name()) +
                "; look for the one that is meant, by its type_name(), in unique_objects()");
      only = object.value();
    }
    return only;
  }
  void require_type(const void* object, const type_stamp& type, type_match match, instance_kind kind,
                    std::string_view key) const {
    const object_record& record = directory->record_of(object);
    const type_record& recorded = directory->type_of(record);
    if (recorded.hash != type.hash || type_table::layout(recorded) != type.layout)
      type_table::require_same(directory->memory(), recorded, type, match, describe(kind, key));
  }
  /// With the lock held. `errc::invalid_argument` unless an object is at the address.
  void require_object(const void* object) const {
    if (!directory->contains(object))
      throw error(errc::invalid_argument,
                  path + ": the address is not that of an object constructed in this store");
  }
  /// With the lock held. Null where no object has the name.
  void* find_named(const object_name& name) const {
    if (name.kind() != instance_kind::named)
      throw error(errc::invalid_argument,
                  path + ": unique and anonymous objects have no name; use their address");
    return directory->find(name.kind(), name_directory::key_hash(name.kind(), name.name()), name.name());
  }
  /// As above. `errc::not_found` unless there is such an object.
  void* require_named(const object_name& name) const {
    void* const object = find_named(name);
    if (object == nullptr)
      throw error(errc::not_found,
                  path + ": there is no object named " + printable(name.kind(), name.name()));
    return object;
  }
};

namespace {

void require_sound_name(const object_name& name, const std::string& path) {
  if (name.kind() != instance_kind::named) return;
  if (name.name().empty())
    throw error(errc::invalid_argument,
                path + ": an object's name is empty; give it one, or use anonymous_instance");
  if (name.name().size() > max_name_length)
    throw error(errc::invalid_argument, path + ": an object's name has at most " +
                                            std::to_string(max_name_length) + " bytes, not " +
                                            std::to_string(name.name().size()));
}

}  // namespace

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
            (failure.code() == errc::not_a_store && is_free(normalized_store_path(path)));
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
  return std::unique_ptr<manager_core>(new manager_core(std::move(s)));
}

void manager_core::checkpoint(std::string_view label) {
  // Threads go on as soon as the pages are copied.
  checkpoint_async(label).wait();
}

void manager_core::require_checkpoints() const {
  require_writable();
  if (state_->store->read_only())
    throw error(errc::read_only, state_->path +
                                     ": the store is open with open_copy_on_write, so its changes are not "
                                     "kept; open it with open_only to keep them");
  require_not_writing("a checkpoint");
  state_->require_none_prepared();
}

// While threads are kept from the heap.
std::vector<page_run> manager_core::released_pages() {
  std::vector<page_run> released = state_->memory->release_free_memory();
  for (const page_run& run : released) state_->store->memory().discard(run);
  if (state_->listener) state_->listener->departing(released);
  return released;
}

void manager_core::make_checkpoints_joint() noexcept {
  state_->is_joint = true;
}

void manager_core::require_alone() const {
  if (state_->is_joint)
    throw error(errc::invalid_argument, state_->path +
                                            ": this store has its checkpoints together with those of other "
                                            "ranks: checkpoint or close all of them by their common manager");
}

pending_checkpoint manager_core::checkpoint_async(std::string_view label) {
  require_checkpoints();
  require_alone();
  // Else another thread's checkpoint could be on its way home again when this one keeps all others out.
  const std::scoped_lock lock(state_->departing);
  await_application();
  const heap::standstill still(*state_->memory);
  require_no_failed_moves();
  return state_->store->checkpoint_async(released_pages(), label);
}

namespace {

/// Keeps other checkpoints of the manager from beginning until it is over.
class prepared_of_manager final : public prepared_checkpoint {
 public:
  prepared_of_manager(std::unique_lock<std::mutex> departing, std::atomic<std::thread::id>& prepared_by,
                      std::unique_ptr<prepared_checkpoint> of_store)
      : departing_(std::move(departing)), prepared_by_(prepared_by), of_store_(std::move(of_store)) {
    prepared_by_ = std::this_thread::get_id();
  }
  ~prepared_of_manager() override {
    of_store_.reset();
    prepared_by_ = std::thread::id();
  }

  std::uint64_t epoch() const noexcept override { return of_store_->epoch(); }
  void decide() override { of_store_->decide(); }
  void abandon() noexcept override { of_store_->abandon(); }
  void leave() noexcept override { of_store_->leave(); }

 private:
  std::unique_lock<std::mutex> departing_;  // ends last
  std::atomic<std::thread::id>& prepared_by_;
  std::unique_ptr<prepared_checkpoint> of_store_;
};

}  // namespace

std::unique_ptr<prepared_checkpoint> manager_core::prepare(std::string_view label) {
  require_checkpoints();
  std::unique_lock departing(state_->departing);
  await_application();
  std::unique_ptr<prepared_checkpoint> of_store;
  {
    const heap::standstill still(*state_->memory);
    require_no_failed_moves();
    of_store = state_->store->prepare(released_pages(), label);
  }
  return std::make_unique<prepared_of_manager>(std::move(departing), state_->prepared_by, std::move(of_store));
}

void manager_core::snapshot(const std::filesystem::path& to) const {
  if (!state_->store->snapshot_copies_memory()) return state_->store->snapshot(to);
  require_writable();
  require_not_writing("a snapshot");
  state_->require_none_prepared();
  const std::scoped_lock lock(state_->departing);
  const heap::standstill still(*state_->memory);
  require_no_failed_moves();
  state_->store->snapshot(to);
}

// The store would wait for it too, but then with all threads kept from allocating.
void manager_core::await_application() const {
  try {
    state_->store->wait_applied();
  } catch (const error&) {
    // The checkpoint tries again, and says so if it cannot.
  }
}

void manager_core::require_not_writing(const char* what) const {
  if (state_->memory->is_writing())
    throw error(errc::invalid_argument,
                state_->path + ": this thread is inside a write_guard of the store, for whose end " + what +
                    " waits: end the guard first");
}

void manager_core::require_no_failed_moves() const {
  const unsigned empty = state_->memory->failed_moves();
  if (empty == 0) return;
  throw error(errc::out_of_capacity,
              state_->path + ": " + std::to_string(empty) +
                  " containers that were moved into the store, or swapped with others by moves, found no "
                  "room for what they held, and have lost it. Nothing more is committed: discard what "
                  "changed since the last checkpoint "
                  "(manager::discard), give the store more capacity, and begin again");
}

void manager_core::checkpoint_to_close() {
  require_not_writing("closing it");
  if (state_->store->read_only() || state_->store->memory().held() != possession::own) return;
  require_alone();
  checkpoint();
}

std::shared_ptr<checkpoint_listener> manager_core::listener(
    std::shared_ptr<checkpoint_listener> (*make)(manager_core&)) {
  require_memory();
  const std::scoped_lock lock(state_->making_listener);
  if (state_->listener) return state_->listener;
  std::shared_ptr<checkpoint_listener> made = make(*this);
  // No checkpoint is looking whether there is one.
  const std::scoped_lock no_checkpoint(state_->departing);
  state_->listener = std::move(made);
  return state_->listener;
}

void manager_core::close() {
  if (state_->listener) state_->listener->closing();
  state_->directory.reset();
  state_->memory.reset();
  state_->store->close();
}

datastore& manager_core::store() noexcept {
  return *state_->store;
}
heap& manager_core::memory() noexcept {
  return *state_->memory;
}
std::size_t manager_core::capacity() const noexcept {
  return state_->store->memory().capacity();
}

std::size_t manager_core::size() const noexcept {
  return state_->store->memory().size();
}

void manager_core::require_writable() const {
  if (!state_->writable)
    throw error(errc::read_only, state_->path +
                                     ": the store is open for reading only; open it with open_only to "
                                     "change it");
  if (state_->store->memory().held() != possession::own) refuse_child(state_->path);
}

void manager_core::require_memory() const {
  if (state_->store->memory().held() == possession::nothing) refuse_child(state_->path);
}

bool manager_core::writable() const noexcept {
  return state_->writable;
}

std::pair<void*, std::size_t> manager_core::find(const object_name& name, const type_stamp& type,
                                                 type_match match) const {
  if (name.kind() == instance_kind::anonymous)
    throw error(errc::invalid_argument, state_->path + ": anonymous objects have no name to find them by");
  require_memory();
  const std::shared_lock held(state_->lock);
  void* const object = state_->find_as(name, type, match);
  if (object == nullptr) return {nullptr, 0};
  return {object, state_->directory->record_of(object).length};
}

std::pair<void*, std::size_t> manager_core::withdraw(const object_name& name, const type_stamp& type,
                                                     type_match match) {
  require_writable();
  if (name.kind() == instance_kind::anonymous)
    throw error(errc::invalid_argument,
                state_->path + ": anonymous objects have no name to find them by; use destroy_ptr");
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  void* const object = state_->find_as(name, type, match);
  if (object == nullptr) return {nullptr, 0};
  const std::size_t length = state_->directory->record_of(object).length;
  state_->directory->erase(object);
  return {object, length};
}

std::pair<void*, std::size_t> manager_core::withdraw(const void* object, const type_stamp& type) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  state_->require_object(object);
  const object_info info = state_->directory->describe(object);
  state_->require_type(object, type, type_match::whole, info.kind(),
                       info.kind() == instance_kind::unique ? info.mangled_type_name() : info.name());
  state_->directory->erase(object);
  return {const_cast<void*>(object), info.length()};
}

void manager_core::release(void* withdrawn) noexcept {
  const heap_change change(*state_->memory);
  state_->directory->free_object(withdrawn);
}

bool manager_core::deallocate_object(void* address) {
  require_writable();
  heap& memory = *state_->memory;
  // An object lies behind its name and record.
  if (heap::containing(address) != &memory || memory.begins_block(address)) return false;
  const heap_change change(memory);
  std::unique_lock held(state_->lock);
  if (!state_->directory->contains(address)) return false;
  state_->directory->erase(address);
  held.unlock();
  state_->directory->free_object(address);
  return true;
}

object_info manager_core::describe(const void* object) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  state_->require_object(object);
  return state_->directory->describe(object);
}

std::size_t manager_core::count(instance_kind kind) const noexcept {
  const std::shared_lock held(state_->lock);
  return state_->directory->count(kind);
}

object_range manager_core::objects(instance_kind kind) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  return state_->directory->objects(kind);
}

bool manager_core::visit(const object_name& name, object_visitor look) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  const void* const object = state_->find_named(name);
  if (object == nullptr) return false;
  look(state_->directory->describe(object));
  return true;
}

void manager_core::visit_all(instance_kind kind, object_visitor look) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  for (const object_info& object : state_->directory->objects(kind)) look(object);
}

void manager_core::set_attribute(const object_name& name, std::string_view key, std::string_view value) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  object_record& record = state_->directory->record_of(state_->require_named(name));
  detail::set_attribute(state_->directory->memory(), record.attributes, key, value);
}

void manager_core::set_attribute(const void* object, std::string_view key, std::string_view value) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  state_->require_object(object);
  detail::set_attribute(state_->directory->memory(), state_->directory->record_of(object).attributes, key,
                        value);
}

std::optional<std::string> manager_core::attribute_of(const object_name& name, std::string_view key) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  const object_record& record = state_->directory->record_of(state_->require_named(name));
  return find_attribute(state_->directory->memory(), record.attributes, key);
}

std::optional<std::string> manager_core::attribute_of(const void* object, std::string_view key) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  state_->require_object(object);
  return find_attribute(state_->directory->memory(), state_->directory->record_of(object).attributes, key);
}

std::vector<attribute> manager_core::attributes_of(const object_name& name) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  const object_record& record = state_->directory->record_of(state_->require_named(name));
  return list_attributes(state_->directory->memory(), record.attributes);
}

std::vector<attribute> manager_core::attributes_of(const void* object) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  state_->require_object(object);
  return list_attributes(state_->directory->memory(), state_->directory->record_of(object).attributes);
}

bool manager_core::remove_attribute(const object_name& name, std::string_view key) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  object_record& record = state_->directory->record_of(state_->require_named(name));
  return detail::remove_attribute(state_->directory->memory(), record.attributes, key);
}

bool manager_core::remove_attribute(const void* object, std::string_view key) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  state_->require_object(object);
  return detail::remove_attribute(state_->directory->memory(),
                                  state_->directory->record_of(object).attributes, key);
}

void manager_core::set_store_attribute(std::string_view key, std::string_view value) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  detail::set_attribute(state_->directory->memory(), state_->directory->store_attributes_link(), key, value);
}

std::optional<std::string> manager_core::store_attribute(std::string_view key) const {
  require_memory();
  const std::shared_lock held(state_->lock);
  return find_attribute(state_->directory->memory(), state_->directory->store_attributes(), key);
}

std::vector<attribute> manager_core::store_attributes() const {
  require_memory();
  const std::shared_lock held(state_->lock);
  return list_attributes(state_->directory->memory(), state_->directory->store_attributes());
}

bool manager_core::remove_store_attribute(std::string_view key) {
  require_writable();
  const heap_change change(*state_->memory);
  const std::unique_lock held(state_->lock);
  return detail::remove_attribute(state_->directory->memory(), state_->directory->store_attributes_link(),
                                  key);
}

std::vector<std::string> manager_core::check() const {
  require_memory();
  std::optional<heap::standstill> still;
  if (state_->writable) {
    require_not_writing("a check");
    still.emplace(*state_->memory);
  }
  std::vector<std::string> wrong = state_->memory->check();
  const std::shared_lock held(state_->lock);
  for (std::string& one : state_->directory->check()) wrong.push_back(std::move(one));
  return wrong;
}

bool manager_core::all_memory_deallocated() const {
  require_memory();
  std::optional<heap::standstill> still;
  if (state_->writable) {
    require_not_writing("counting what is allocated");
    still.emplace(*state_->memory);
  }
  const std::shared_lock held(state_->lock);
  const name_directory& directory = *state_->directory;
  for (const instance_kind kind : {instance_kind::named, instance_kind::unique, instance_kind::anonymous})
    if (directory.count(kind) != 0) return false;
  return state_->memory->stats().blocks == directory.own_blocks();
}

void manager_core::zero_free_memory() {
  require_writable();
  require_not_writing("clearing free memory");
  state_->memory->zero_free_memory();
}

object_construction::object_construction(manager_core& core, const object_name& name, const type_stamp& type,
                                         std::size_t length, if_exists policy, std::size_t alignment)
    : state_(*core.state_), key_(key_of(name, type)), kind_(name.kind()), owner_(std::this_thread::get_id()) {
  if (policy == if_exists::use && kind_ != instance_kind::anonymous) {
    object_ = core.find(name, type).first;
    exists_ = object_ != nullptr;
    if (exists_) return;
  }
  core.require_writable();
  require_sound_name(name, state_.path);
  const std::uint64_t hash = name_directory::key_hash(kind_, key_);

  std::optional<heap_change> change(std::in_place, *state_.memory);
  std::uint64_t type_offset = 0;
  {
    std::unique_lock held(state_.lock);
    name_directory& directory = *state_.directory;
    while (kind_ != instance_kind::anonymous) {
      if (void* const found = directory.find(kind_, hash, key_); found != nullptr) {
        if (policy == if_exists::fail)
          throw error(
              errc::already_exists,
              state_.path + ": " + printable(kind_, key_) + " exists already (" +
                  short_type_name(demangle(type_table::name(directory.type_of(directory.record_of(found))))) +
                  "); use find_or_construct, or destroy it first");
        state_.require_type(found, type, type_match::whole, kind_, key_);
        object_ = found;
        exists_ = true;
        return;
      }
      const object_construction* const other = state_.pending_for(kind_, key_);
      if (other == nullptr) break;
      if (state_.waits_for_me(other->owner_))
        throw error(errc::already_exists, state_.path + ": " + printable(kind_, key_) +
                                              " is already being constructed by its own constructor");
      // The other thread cannot go on while a checkpoint waits for this one.
      change.reset();
      if (state_.memory->is_writing())
        throw error(
            errc::invalid_argument,
            state_.path + ": another thread is constructing " + printable(kind_, key_) +
                ", for which a thread inside a write_guard must not wait: find or construct it before "
                "the guard begins");
      state_.wait_for(*other, held);
      held.unlock();
      change.emplace(*state_.memory);
      held.lock();
    }
    directory.reserve(state_.pending.size() + 1);
    type_offset = directory.intern(type);
    state_.pending.push_back(this);
    pending_ = true;
  }

  try {
    const std::string_view stored_name = kind_ == instance_kind::named ? key_ : std::string_view{};
    object_ = state_.directory->allocate_object(kind_, hash, stored_name, type_offset, type.size,
                                                std::max(type.alignment, alignment), length);
  } catch (...) {
    const std::unique_lock held(state_.lock);
    state_.settle(*this);
    throw;
  }
}

object_construction::~object_construction() {
  if (!pending_) return;
  const heap_change change(*state_.memory);
  state_.directory->free_object(object_);
  const std::unique_lock held(state_.lock);
  state_.settle(*this);
}

void object_construction::publish() noexcept {
  const heap_change change(*state_.memory);
  const std::unique_lock held(state_.lock);
  state_.directory->insert(object_);
  state_.settle(*this);
  pending_ = false;
}

}  // namespace perdure::detail
