// Opening, closing and what concerns a store as a whole.
#include "perdure/c/store.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/kept_checkpoint.hpp"
#include "perdure/store_set.hpp"

using namespace perdure::c;

namespace perdure::c {

store_options options_of(const perdure_store_options* given) {
  const perdure_store_options wanted = options_from(given, "options");
  store_options options;
  if (wanted.capacity != 0) options.capacity = wanted.capacity;
  if (wanted.home_file_size != 0) options.home_file_size = wanted.home_file_size;
  options.pinned = wanted.pinned != 0;
  options.address = wanted.address;
  options.accept_unclean = wanted.accept_unclean != 0;
  options.keep_last = wanted.keep_last;
  options.keep_full_copies = wanted.keep_full_copies != 0;
  options.others_may_write = wanted.others_may_write != 0;
  if (wanted.wait_ms != 0)
    options.wait = std::chrono::milliseconds(std::max<std::int64_t>(wanted.wait_ms, 0));
  switch (wanted.backing) {
    case PERDURE_BACKING_PRIVATE:
      break;
    case PERDURE_BACKING_SHARED:
      options.backing = backing::shared_file;
      break;
    case PERDURE_BACKING_PAGED:
      options.backing = backing::paged;
      break;
    case PERDURE_BACKING_DAX:
      options.backing = backing::dax;
      break;
    default:
      refuse("options->backing is " + std::to_string(wanted.backing) + ", which is none");
  }
  switch (wanted.checks) {
    case PERDURE_OPEN_CHECKS_JOURNAL:
      break;
    case PERDURE_OPEN_CHECKS_ALL:
      options.verify = verify_mode::open;
      break;
    case PERDURE_OPEN_CHECKS_LAZILY:
      options.verify = verify_mode::lazy;
      break;
    default:
      refuse("options->checks is " + std::to_string(wanted.checks) + ", which is none");
  }
  return options;
}

detail::index_order indices_of(const perdure_store_options* given) {
  const perdure_store_options wanted = options_from(given, "options");
  switch (wanted.indices) {
    case PERDURE_INDICES_C:
      return detail::index_order::c;
    case PERDURE_INDICES_FORTRAN:
      return detail::index_order::fortran;
    default:
      refuse("options->indices is " + std::to_string(wanted.indices) + ", which is none");
  }
}

detail::manager_core& part_of_set(const perdure_store& opened) {
  if (opened.set != nullptr) return opened.set->own().core();
  throw error(errc::unsupported,
              opened.arrays->path().string() +
                  " is a set of stores, of which one process reads the arrays only: open a "
                  "part of it for reading to do more");
}

arrays_of::arrays_of(const perdure_store* store) : order_(object_of(store).indices) {
  const perdure_store& opened = object_of(store);
  if (opened.arrays != nullptr) {
    arrays_ = opened.arrays;
  } else {
    arrays_ = opened.set != nullptr ? opened.set->arrays() : untyped_arrays::of(*opened.core);
  }
}

}  // namespace perdure::c

namespace {

using perdure::detail::manager_core;

// If its checkpoint fails it stays open, unless nothing more can be done with it.
void close_set(perdure_store* store) {
  perdure::detail::store_set& set = *object_of(store).set;
  try {
    set.close();
  } catch (...) {
    if (!set.is_open()) take_object(store);
    throw;
  }
  take_object(store);
}

perdure_status open(manager_core::mode how, const char* path, const perdure_store_options* given,
                    perdure_store** store) noexcept {
  return guarded([&] {
    perdure_store*& result = required_result(store, "store");
    const char* const where = required_text(path, "path");
    auto opened = std::make_unique<perdure_store>();
    opened->indices = indices_of(given);
    if (how == manager_core::mode::open_read_only && perdure::is_set(where)) {
      opened->arrays = perdure::detail::open_arrays_of_set(where, options_of(given));
    } else {
      opened->core = manager_core::open(how, where, options_of(given), false);
    }
    result = new_handle(std::move(opened));
  });
}

}  // namespace

perdure_status perdure_store_create(const char* path, const perdure_store_options* options,
                                    perdure_store** store) {
  return open(manager_core::mode::create, path, options, store);
}

perdure_status perdure_store_open(const char* path, const perdure_store_options* options,
                                  perdure_store** store) {
  return open(manager_core::mode::open, path, options, store);
}

perdure_status perdure_store_open_read_only(const char* path, const perdure_store_options* options,
                                            perdure_store** store) {
  return open(manager_core::mode::open_read_only, path, options, store);
}

perdure_status perdure_store_open_kept(const char* path, const char* label, uint64_t epoch,
                                       const perdure_store_options* options, perdure_store** store) {
  return guarded([&] {
    perdure_store*& result = required_result(store, "store");
    const char* const where = required_text(path, "path");
    const perdure::kept_checkpoint kept = label == nullptr ? perdure::find_kept_checkpoint(where, epoch)
                                                           : perdure::find_kept_checkpoint(where, label);
    auto opened = std::make_unique<perdure_store>();
    opened->indices = indices_of(options);
    opened->core =
        manager_core::open(manager_core::mode::open_read_only, kept.path, options_of(options), false);
    result = new_handle(std::move(opened));
  });
}

perdure_status perdure_store_open_or_create(const char* path, const perdure_store_options* options,
                                            perdure_store** store) {
  return open(manager_core::mode::open_or_create, path, options, store);
}

perdure_status perdure_store_close(perdure_store* store) {
  return guarded([&] {
    if (store == nullptr) return;
    const perdure_store& opened = object_of(store);
    const perdure::detail::messages_in order(opened.indices);
    if (opened.set != nullptr) {
      close_set(store);
    } else if (opened.core != nullptr) {
      opened.core->checkpoint_to_close();
      take_object(store)->core->close();
    } else {
      take_object(store);
    }
  });
}

perdure_status perdure_store_discard(perdure_store* store) {
  const perdure_status refused = guarded([&] {
    if (store == nullptr) return;
    const perdure_store& opened = object_of(store);
    if (opened.core != nullptr) opened.core->require_not_writing("discarding it");
    if (opened.set != nullptr) opened.set->discard();
  });
  return refused == PERDURE_OK ? free_handle(store) : refused;
}

perdure_status perdure_store_is_read_only(const perdure_store* store, int* read_only) {
  return guarded([&] {
    const perdure_store& opened = object_of(store);
    bool is_read_only = true;
    if (opened.core != nullptr) is_read_only = opened.core->store().read_only();
    if (opened.set != nullptr) is_read_only = opened.set->read_only();
    required(read_only, "read_only") = is_read_only ? 1 : 0;
  });
}

perdure_status perdure_store_path(const perdure_store* store, const char** path) {
  return guarded([&] {
    const char*& result = required_result(path, "path");
    const perdure_store& opened = object_of(store);
    if (opened.core != nullptr) {
      result = opened.core->store().path().c_str();
    } else {
      result = (opened.set != nullptr ? opened.set->path() : opened.arrays->path()).c_str();
    }
  });
}

perdure_status perdure_store_check(perdure_store* store, perdure_text_list** wrong) {
  return guarded([&] {
    if (wrong != nullptr) *wrong = nullptr;
    manager_core& core = core_of(store);
    auto list = std::make_unique<perdure_text_list>();
    list->items = core.check();
    const std::size_t count = list->items.size();
    const std::string first = count == 0 ? std::string() : list->items.front();
    if (wrong != nullptr) *wrong = new_handle(std::move(list));
    if (count != 0)
      throw perdure::error(perdure::errc::damaged,
                           core.store().path().string() + ": " + first +
                               (count == 1 ? "" : " (and " + std::to_string(count - 1) + " more findings)"));
  });
}

perdure_status perdure_store_exists(const char* path, int* exists) {
  return guarded([&] {
    int& result = required(exists, "exists");
    result = 0;
    result = perdure::detail::store_exists(required_text(path, "path")) ? 1 : 0;
  });
}

perdure_status perdure_store_remove(const char* path) {
  return guarded([&] {
    const std::string where = required_text(path, "path");
    if (!perdure::detail::remove_store(where))
      throw perdure::error(perdure::errc::not_found, where + " does not exist");
  });
}
