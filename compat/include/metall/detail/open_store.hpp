// A store that a manager has open, and what this process has open for writing.
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <metall/defs.hpp>
#include <metall/detail/object_attribute.hpp>
#include <metall/logger.hpp>
#include <mutex>
#include <perdure/manager.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace metall::detail {

/// Metall takes every type. What no later run could use is refused all the same, but mutexes may be stored:
/// while nobody holds them they are nothing but zeros.
struct placement : perdure::relocatable {
  static constexpr bool stores_any_type = PERDURE_METALL_ANY_TYPE != 0;
  static constexpr bool stores_locks = true;
};
using native_manager = perdure::basic_manager<placement>;

/// Tells the logger of the exception that is being handled.
inline void log_exception(const char* const file, const int line) noexcept {
  try {
    throw;
  } catch (const std::exception& failure) {
    logger::out(logger::level::error, file, line, failure.what());
  } catch (...) {
    logger::out(logger::level::error, file, line, "an exception of unknown type was thrown");
  }
}

/// Calls `body`; what it throws is logged, and `failed` returned instead.
template <class Result, class Body>
Result or_else(Result failed, const char* const file, const int line, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    log_exception(file, line);
    return failed;
  }
}

/// Without a slash at the end, which would hide the directory's own name.
inline std::filesystem::path plain_path(const std::filesystem::path& path) {
  std::filesystem::path plain = path.lexically_normal();
  if (!plain.has_filename() && plain.has_relative_path()) plain = plain.parent_path();
  return plain;
}

/// Whether the process may reserve so much address space for a store: it may be limited, or short of it.
inline bool has_address_space(const std::size_t bytes) noexcept {
  const std::size_t with_alignment = bytes + (std::size_t{2} << 30);
  void* const probe =
      ::mmap(nullptr, with_alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return probe != MAP_FAILED && ::munmap(probe, with_alignment) == 0;
}

/// Opens a store for writing, with room for `capacity` bytes. Metall's programs create a store with a small
/// capacity and fill it after opening it again: there, the capacity is that of the manager, not of the store.
inline native_manager open_with_room(const std::filesystem::path& path, const std::size_t capacity) {
  native_manager opened(perdure::open_only, path);
  if (opened.get_size() >= capacity) return opened;
  opened.close();
  // Where there is no address space for more, the store still opens with what it has.
  if (has_address_space(capacity))
    or_else(std::size_t{0}, __FILE__, __LINE__,
            [&] { return perdure::store_maintenance::raise_capacity(path, capacity); });
  return native_manager(perdure::open_only, path);
}

/// One store, open. Thread-safe, where `perdure::manager` is.
class open_store {
 public:
  explicit open_store(native_manager manager) : manager_(std::move(manager)) {
    manager_.commit_when_unwinding();  // as Metall's manager closes, whatever ends it
    if (manager_.read_only()) return;
    const std::lock_guard held(registry().lock);
    registered_as_ = std::filesystem::canonical(manager_.path());
    registry().stores.emplace_back(this);
  }
  open_store(const open_store&) = delete;
  open_store& operator=(const open_store&) = delete;
  ~open_store() {
    if (registered_as_.empty()) return;
    const std::lock_guard held(registry().lock);
    std::erase(registry().stores, this);
  }

  native_manager& manager() noexcept { return manager_; }
  const native_manager& manager() const noexcept { return manager_; }

  /// Objects were constructed, destroyed or described: lists are made anew when they are asked for.
  void objects_changed() noexcept { generation_.fetch_add(1, std::memory_order_release); }

  std::shared_ptr<object_list> objects(const perdure::instance_kind kind) const {
    const std::lock_guard held(lists_lock_);
    listing& known = lists_[static_cast<std::size_t>(kind)];
    const std::uint64_t now = generation_.load(std::memory_order_acquire);
    if (known.list == nullptr || known.generation != now) known = {list(manager_, kind), now};
    return known.list;
  }

  /// Ends with a zero byte; valid until the object is destroyed. Null for an anonymous object.
  const char* name_of(const void* const object) const {
    const perdure::object_info info = manager_.get_instance_info(object);
    if (info.kind() == perdure::instance_kind::anonymous) return nullptr;
    const bool named = info.kind() == perdure::instance_kind::named;
    return (named ? info.name() : info.mangled_type_name()).data();
  }

  static std::shared_ptr<object_list> list(const native_manager& manager, const perdure::instance_kind kind) {
    auto objects = std::make_shared<object_list>();
    const perdure::object_range range = kind == perdure::instance_kind::named ? manager.named_objects()
                                        : kind == perdure::instance_kind::unique
                                            ? manager.unique_objects()
                                            : manager.anonymous_objects();
    for (const perdure::object_info& info : range) objects->emplace_back(info);
    return objects;
  }

  /// Calls `use(open_store&)` with the store this process has open for writing at the path, if it has one: it
  /// stays open meanwhile. False if there is none.
  template <class Use>
  static bool with_open(const std::filesystem::path& path, Use&& use) {
    std::error_code nothing_there;
    const std::filesystem::path canonical = std::filesystem::canonical(path, nothing_there);
    if (nothing_there) return false;
    const std::lock_guard held(registry().lock);
    for (open_store* const open : registry().stores) {
      if (open->registered_as_ != canonical) continue;
      std::forward<Use>(use)(*open);
      return true;
    }
    return false;
  }

 private:
  struct writers {
    std::mutex lock;
    std::vector<open_store*> stores;
  };
  static writers& registry() {
    static writers all;
    return all;
  }
  struct listing {
    std::shared_ptr<object_list> list;
    std::uint64_t generation = 0;
  };

  native_manager manager_;
  std::filesystem::path registered_as_;  // canonical; empty when open for reading
  std::atomic<std::uint64_t> generation_ = 0;
  mutable std::mutex lists_lock_;
  mutable std::array<listing, 3> lists_;
};

}  // namespace metall::detail
