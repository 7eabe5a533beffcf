#include "memkind/kind_table.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "memkind/static_kinds.hpp"

namespace perdure::memkind_compat {

namespace {

struct registry {
  std::shared_mutex lock;
  std::vector<memkind_t> entered;  // oldest first
  std::unordered_map<const kind*, memkind_t> by_kind;
};

// Never destroyed: blocks may be freed while a program ends.
registry& all() {
  static registry& one = *new registry;
  return one;
}

}  // namespace

bool is_known(memkind_t one) noexcept {
  if (one == nullptr) return false;
  if (is_static(one)) return true;
  const std::shared_lock lock(all().lock);
  return std::find(all().entered.begin(), all().entered.end(), one) != all().entered.end();
}

memkind_t find(const kind* live) noexcept {
  if (live == nullptr) return nullptr;
  for (int partition = 0; memkind_t const one = static_at(partition); ++partition) {
    if (one->live.load(std::memory_order_acquire) == live) return one;
  }
  const std::shared_lock lock(all().lock);
  const auto found = all().by_kind.find(live);
  return found == all().by_kind.end() ? nullptr : found->second;
}

memkind_t find(std::string_view name) noexcept {
  for (int partition = 0; memkind_t const one = static_at(partition); ++partition) {
    if (one->name == name) return one;
  }
  const std::shared_lock lock(all().lock);
  const auto found = std::find_if(all().entered.begin(), all().entered.end(),
                                  [name](memkind_t one) { return one->name == name; });
  return found == all().entered.end() ? nullptr : *found;
}

std::size_t count() noexcept {
  const std::shared_lock lock(all().lock);
  return MEMKIND_NUM_BASE_KIND + all().entered.size();
}

std::unique_ptr<memkind> make_named(std::string_view name) {
  auto one = std::make_unique<memkind>();
  std::memcpy(one->name, name.data(), std::min(name.size(), sizeof one->name - 1));
  return one;
}

memkind_t enter(std::unique_ptr<memkind> one, std::unique_ptr<kind> live) noexcept {
  try {
    one->live = live.get();
    const std::unique_lock lock(all().lock);
    all().entered.push_back(one.get());
    try {
      all().by_kind.emplace(live.get(), one.get());
    } catch (const std::bad_alloc&) {
      all().entered.pop_back();
      throw;
    }
    (void)live.release();
    return one.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool remove(memkind_t one) noexcept {
  {
    const std::unique_lock lock(all().lock);
    const auto found = std::find(all().entered.begin(), all().entered.end(), one);
    if (found == all().entered.end()) return false;
    all().entered.erase(found);
    all().by_kind.erase(one->live.load());
  }
  delete one->live.load();
  delete one;
  return true;
}

memkind_t last_entered() noexcept {
  const std::shared_lock lock(all().lock);
  return all().entered.empty() ? nullptr : all().entered.back();
}

int code_of_exception() noexcept {
  try {
    throw;
  } catch (const error& failure) {
    switch (failure.code()) {
      case errc::invalid_argument:
      case errc::not_found:
      case errc::permission_denied:
        return MEMKIND_ERROR_INVALID;
      case errc::unsupported:
        return MEMKIND_ERROR_UNAVAILABLE;
      case errc::out_of_memory:
        return MEMKIND_ERROR_MALLOC;
      case errc::no_space:
      case errc::io:
        return MEMKIND_ERROR_MMAP;
      default:
        return MEMKIND_ERROR_RUNTIME;
    }
  } catch (const std::bad_alloc&) {
    return MEMKIND_ERROR_MALLOC;
  } catch (...) {
    return MEMKIND_ERROR_RUNTIME;
  }
}

}  // namespace perdure::memkind_compat
