// Opening, closing and what concerns a store as a whole.
#include "perdure/c/store.h"

#include <string>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/kept_checkpoint.hpp"

using namespace perdure::c;

namespace {

using perdure::detail::manager_core;

perdure::store_options options_of(const perdure_store_options* given) {
  const perdure_store_options wanted = options_from(given, "options");
  perdure::store_options options;
  if (wanted.capacity != 0) options.capacity = wanted.capacity;
  if (wanted.home_file_size != 0) options.home_file_size = wanted.home_file_size;
  options.pinned = wanted.pinned != 0;
  options.address = wanted.address;
  options.accept_unclean = wanted.accept_unclean != 0;
  options.keep_last = wanted.keep_last;
  options.keep_full_copies = wanted.keep_full_copies != 0;
  options.others_may_write = wanted.others_may_write != 0;
  switch (wanted.backing) {
    case PERDURE_BACKING_PRIVATE:
      break;
    case PERDURE_BACKING_SHARED:
      options.backing = perdure::backing::shared_file;
      break;
    case PERDURE_BACKING_PAGED:
      options.backing = perdure::backing::paged;
      break;
    case PERDURE_BACKING_DAX:
      options.backing = perdure::backing::dax;
      break;
    default:
      refuse("options->backing is " + std::to_string(wanted.backing) + ", which is none");
  }
  switch (wanted.checks) {
    case PERDURE_OPEN_CHECKS_JOURNAL:
      break;
    case PERDURE_OPEN_CHECKS_ALL:
      options.verify = perdure::verify_mode::open;
      break;
    case PERDURE_OPEN_CHECKS_LAZILY:
      options.verify = perdure::verify_mode::lazy;
      break;
    default:
      refuse("options->checks is " + std::to_string(wanted.checks) + ", which is none");
  }
  return options;
}

perdure_status open(manager_core::mode how, const char* path, const perdure_store_options* given,
                    perdure_store** store) noexcept {
  return guarded([&] {
    perdure_store*& result = required_result(store, "store");
    const char* const where = required_text(path, "path");
    auto opened = std::make_unique<perdure_store>();
    opened->core = manager_core::open(how, where, options_of(given), false);
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
    core_of(store).checkpoint_to_close();
    take_object(store)->core->close();
  });
}

perdure_status perdure_store_discard(perdure_store* store) {
  const perdure_status refused = guarded([&] {
    if (store != nullptr) core_of(store).require_not_writing("discarding it");
  });
  return refused == PERDURE_OK ? free_handle(store) : refused;
}

perdure_status perdure_store_is_read_only(const perdure_store* store, int* read_only) {
  return guarded([&] { required(read_only, "read_only") = core_of(store).store().read_only() ? 1 : 0; });
}

perdure_status perdure_store_path(const perdure_store* store, const char** path) {
  return guarded([&] {
    const char*& result = required_result(path, "path");
    result = core_of(store).store().path().c_str();
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
