// The set that the ranks of a rig have open.
#pragma once

#include <filesystem>
#include <memory>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/manager.hpp>

#include "support/small_store.hpp"

namespace perdure::crash {

using detail::store_set;
using mode = store_set::mode;

inline constexpr const char* set_name = "set";

inline detail::set_options options_of_set() {
  detail::set_options options;
  options.store = small_store();
  return options;
}

inline std::unique_ptr<store_set> open_set_of(std::unique_ptr<detail::rank_group> group, mode how,
                                              const std::filesystem::path& root,
                                              bool is_made_by_checkpoint = false) {
  detail::set_options options = options_of_set();
  options.is_made_by_checkpoint = is_made_by_checkpoint;
  return store_set::open(std::move(group), how, root / set_name, options,
                         detail::opener_of_managers<relocatable>());
}

inline manager& local(store_set& set) {
  return static_cast<detail::managed_part<relocatable>&>(set.own()).manager();
}

}  // namespace perdure::crash
