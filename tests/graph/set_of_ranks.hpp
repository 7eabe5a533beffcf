// Sets of stores that ranks of a test open together.
#pragma once

#include <filesystem>
#include <memory>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>

#include "support/exchange_group.hpp"
#include "support/small_store.hpp"

namespace perdure::test {

/// Collective.
inline std::unique_ptr<detail::store_set> open_set(const std::filesystem::path& path,
                                                   graph::rank_exchange& own, detail::store_set::mode how) {
  detail::set_options options;
  options.store = small_store();
  return detail::store_set::open(std::make_unique<exchange_group>(own), how, path, options,
                                 detail::opener_of_managers<relocatable>());
}

}  // namespace perdure::test
