// Which arrays there are, and what is known of them.
#include <algorithm>
#include <mutex>

#include "array/array_shape.hpp"
#include "array/stored_arrays.hpp"

namespace perdure::detail {

std::optional<array_info> stored_arrays::find(std::string_view id) const {
  arrays_.require_open();
  const std::shared_lock lock(arrays_.mutex());
  const stored_array* const array = arrays_.look_up(id);
  return array == nullptr ? std::nullopt : std::optional(describe(id, *array));
}

array_info stored_arrays::info(std::string_view id) const {
  arrays_.require_open();
  const std::shared_lock lock(arrays_.mutex());
  return describe(id, arrays_.require(id));
}

std::vector<slab> stored_arrays::parts(std::string_view id) const {
  arrays_.require_open();
  const std::shared_lock lock(arrays_.mutex());
  const stored_array& array = arrays_.require(id);
  shape_of(id, array);
  std::vector<slab> all;
  for (std::size_t i = 0; i < array.blocks.size(); ++i) {
    const box one = block_box(array, i);
    all.push_back({one.offset, one.count, {}});
  }
  return all;
}

std::vector<std::string> stored_arrays::list(std::string_view prefix) const {
  arrays_.require_open();
  std::vector<std::string> ids;
  {
    const std::shared_lock lock(arrays_.mutex());
    if (arrays_.catalogue() == nullptr) return ids;
    for (const auto& [id, array] : arrays_.catalogue()->arrays) {
      const std::string_view name = id;
      const bool is_below = prefix.empty() || (name.starts_with(prefix) &&
                                               (name.size() == prefix.size() || name[prefix.size()] == '/'));
      if (is_below) ids.emplace_back(name);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::size_t stored_arrays::count() const {
  arrays_.require_open();
  const std::shared_lock lock(arrays_.mutex());
  return arrays_.catalogue() == nullptr ? 0 : arrays_.catalogue()->arrays.size();
}

}  // namespace perdure::detail
