// A set of stores for tests of commands.
#pragma once

#include <filesystem>
#include <numeric>
#include <perdure/array_store.hpp>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <vector>

#include "ranks/lone_rank.hpp"
#include "support/small_store.hpp"

namespace perdure::test {

/// Makes a set of one part at `path`, with the arrays "field" (6 x 10, from 0.5 on) and "run/step", and the
/// checkpoint "made".
inline void make_small_set(const std::filesystem::path& path) {
  detail::set_options options;
  options.store = small_store();
  const auto made = detail::store_set::open(detail::make_lone_rank(), detail::store_set::mode::create, path,
                                            options, detail::opener_of_managers<relocatable>());
  {
    array_store arrays(made->arrays());
    std::vector<double> all(60);
    std::iota(all.begin(), all.end(), 0.5);
    arrays.create<double>("field", {6, 10});
    arrays.store("field", array_view<const double, 2>(all.data(), {6, 10}), {0, 0});
    arrays.store("run/step", 7);
  }
  made->checkpoint("made");
  made->close();
}

}  // namespace perdure::test
