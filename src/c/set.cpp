// Sets of stores.
#include "perdure/c/set.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "c/called_ranks.hpp"
#include "c/handles.hpp"

using namespace perdure::c;

namespace {

using perdure::detail::manager_core;
using perdure::detail::store_set;

/// A part as C uses it: what it holds is reached by functions of stores.
class core_part final : public perdure::detail::opened_part {
 public:
  explicit core_part(std::unique_ptr<manager_core> core) : core_(std::move(core)) {}
  manager_core& core() override { return *core_; }

 private:
  std::unique_ptr<manager_core> core_;
};

class opener_of_cores final : public perdure::detail::part_opener {
 public:
  std::unique_ptr<perdure::detail::opened_part> open(manager_core::mode how,
                                                     const std::filesystem::path& path,
                                                     const perdure::store_options& options) const override {
    return std::make_unique<core_part>(manager_core::open(how, path, options, false));
  }
};

perdure::detail::set_options set_options_from(const perdure_set_options& wanted) {
  perdure::detail::set_options options;
  options.store = options_of(wanted.store);
  if (wanted.parts_directory != nullptr) options.parts_directory = wanted.parts_directory;
  return options;
}

std::unique_ptr<called_ranks> group_of(const perdure_ranks* ranks, const perdure_set_options& wanted) {
  constexpr auto longest = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  if (wanted.timeout_ms != 0)
    timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::min(wanted.timeout_ms, longest)));
  return std::make_unique<called_ranks>(ranks, timeout);
}

/// Frees ranks that no group has taken over.
class given_ranks {
 public:
  explicit given_ranks(const perdure_ranks* ranks) : ranks_(ranks) {}
  given_ranks(const given_ranks&) = delete;
  given_ranks& operator=(const given_ranks&) = delete;
  ~given_ranks() {
    if (ranks_ == nullptr) return;
    try {
      const perdure_ranks known = options_from(ranks_, "ranks");
      if (known.free != nullptr) known.free(known.context, 0);
    } catch (...) {
      // Of no known size: nothing of it can be called.
    }
  }
  const perdure_ranks* take() { return std::exchange(ranks_, nullptr); }

 private:
  const perdure_ranks* ranks_;
};

perdure_status open_set(store_set::mode how, const char* path, const perdure_ranks* ranks,
                        const perdure_set_options* given, perdure_store** store) noexcept {
  return guarded([&] {
    given_ranks owned(ranks);
    perdure_store*& result = required_result(store, "store");
    const char* const where = required_text(path, "path");
    required(ranks, "ranks");
    const perdure_set_options wanted = options_from(given, "options");
    const perdure::detail::set_options options = set_options_from(wanted);
    auto opened = std::make_unique<perdure_store>();
    opened->indices = indices_of(wanted.store);
    opened->set = store_set::open(group_of(owned.take(), wanted), how, where, options, opener_of_cores());
    result = new_handle(std::move(opened));
  });
}

}  // namespace

perdure_status perdure_set_create(const char* path, const perdure_ranks* ranks,
                                  const perdure_set_options* options, perdure_store** store) {
  return open_set(store_set::mode::create, path, ranks, options, store);
}

perdure_status perdure_set_open(const char* path, const perdure_ranks* ranks,
                                const perdure_set_options* options, perdure_store** store) {
  return open_set(store_set::mode::open, path, ranks, options, store);
}

perdure_status perdure_set_open_read_only(const char* path, const perdure_ranks* ranks,
                                          const perdure_set_options* options, perdure_store** store) {
  return open_set(store_set::mode::open_read_only, path, ranks, options, store);
}

perdure_status perdure_set_open_or_create(const char* path, const perdure_ranks* ranks,
                                          const perdure_set_options* options, perdure_store** store) {
  return open_set(store_set::mode::open_or_create, path, ranks, options, store);
}

perdure_status perdure_set_repartition(const char* path, const perdure_ranks* ranks,
                                       const perdure_set_options* options) {
  return guarded([&] {
    given_ranks owned(ranks);
    const char* const where = required_text(path, "path");
    required(ranks, "ranks");
    const perdure_set_options wanted = options_from(options, "options");
    const perdure::detail::set_options chosen = set_options_from(wanted);
    store_set::repartition(group_of(owned.take(), wanted), where, chosen);
  });
}

perdure_status perdure_set_info_get(const perdure_store* store, perdure_set_info* info) {
  return guarded([&] {
    const perdure_store& opened = object_of(store);
    if (opened.set == nullptr) refuse("the store is no set of stores that ranks have opened");
    perdure_set_info all{};
    all.rank = opened.set->rank();
    all.ranks = opened.set->ranks();
    all.parts = opened.set->parts();
    all.epoch = opened.set->epoch();
    fill(info, all, "info");
  });
}

void perdure_combine_votes(const void* from, void* into, int32_t count) {
  using perdure::detail::vote;
  for (int32_t i = 0; i < count; ++i) {
    vote one;
    vote sum;
    const std::size_t at = static_cast<std::size_t>(i) * sizeof one;
    std::memcpy(&one, static_cast<const char*>(from) + at, sizeof one);
    std::memcpy(&sum, static_cast<char*>(into) + at, sizeof sum);
    sum.add(one);
    std::memcpy(static_cast<char*>(into) + at, &sum, sizeof sum);
  }
}
