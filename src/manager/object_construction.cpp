// Constructs and destroys objects, as far as their types do not matter.
#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "manager/manager_state.hpp"
#include "manager/object_key.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"

namespace perdure::detail {

object_construction::object_construction(manager_core& core, const object_name& name, const type_stamp& type,
                                         std::size_t length, if_exists policy, std::size_t alignment)
    : state_(*core.state_),
      key_(key_of(name, type)),
      kind_(name.kind()),
      owner_(pending_constructions::mark_of_this_thread()) {
  state_.require_known(type);
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
      const object_construction* const other = state_.pending.find(kind_, key_);
      if (other == nullptr) break;
      if (state_.pending.wait_for_me(*other))
        throw error(errc::already_exists, state_.path + ": " + printable(kind_, key_) +
                                              " is already being constructed by its own constructor");
      // This change ends while the thread waits: a checkpoint would wait for this thread, and the other
      // constructor for the checkpoint.
      change.reset();
      if (state_.memory->is_writing())
        throw error(
            errc::invalid_argument,
            state_.path + ": another thread is constructing " + printable(kind_, key_) +
                ", for which a thread inside a write_guard must not wait: find or construct it before "
                "the guard begins");
      state_.pending.wait_for(*other, held);
      held.unlock();
      change.emplace(*state_.memory);
      held.lock();
    }
    directory.reserve(state_.pending.count() + 1);
    type_offset = directory.intern(type);
    state_.pending.add(*this);
    pending_ = true;
  }

  try {
    const std::string_view stored_name = kind_ == instance_kind::named ? key_ : std::string_view{};
    object_ = state_.directory->allocate_object(kind_, hash, stored_name, type_offset, type.size,
                                                std::max(type.alignment, alignment), length);
  } catch (...) {
    const std::unique_lock held(state_.lock);
    state_.pending.settle(*this);
    throw;
  }
}

object_construction::~object_construction() {
  if (!pending_) return;
  const heap_change change(*state_.memory);
  state_.directory->free_object(object_);
  const std::unique_lock held(state_.lock);
  state_.pending.settle(*this);
}

void object_construction::publish() noexcept {
  const heap_change change(*state_.memory);
  const std::unique_lock held(state_.lock);
  state_.directory->insert(object_);
  state_.pending.settle(*this);
  pending_ = false;
}

std::pair<void*, std::size_t> manager_core::withdraw(const object_name& name, const type_stamp& type,
                                                     type_match match) {
  require_writable();
  if (name.kind() == instance_kind::anonymous)
    throw error(errc::invalid_argument,
                state_->path + ": anonymous objects have no name to find them by; use destroy_ptr");
  state_->require_known(type);
  const state::change change(*state_);
  void* const object = state_->find_as(name, type, match);
  if (object == nullptr) return {nullptr, 0};
  const std::size_t length = state_->directory->record_of(object).length;
  state_->directory->erase(object);
  return {object, length};
}

std::pair<void*, std::size_t> manager_core::withdraw(const void* object, const type_stamp& type) {
  state_->require_known(type);
  const state::change change(*state_);
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
  // An address where a block begins is that of no object: an object lies behind its name and record in its
  // block.
  if (heap::containing(address) != &memory || memory.begins_block(address)) return false;
  const heap_change change(memory);
  std::unique_lock held(state_->lock);
  if (!state_->directory->contains(address)) return false;
  state_->directory->erase(address);
  held.unlock();
  state_->directory->free_object(address);
  return true;
}

}  // namespace perdure::detail
