// Opens a set for reading in one process.
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/store_set.hpp>
#include <utility>

#include "ranks/lone_rank.hpp"
#include "ranks/set_directory.hpp"

namespace perdure {

namespace {

using opener = detail::opener_of_managers<relocatable>;

}  // namespace

set_reader::set_reader(const std::filesystem::path& given, const store_options& options) {
  const std::filesystem::path path = resolve_set_name(given);
  detail::require_parts_here(path);
  set_ = detail::store_set::open(detail::make_lone_rank(), detail::store_set::mode::open_read_only, path,
                                 {options, {}}, opener());
  set_->arrays();  // made here, as threads may ask for them at once
}

std::uint32_t set_reader::parts() const noexcept {
  return set_->parts();
}

std::uint64_t set_reader::epoch() const noexcept {
  return set_->epoch();
}

const std::filesystem::path& set_reader::path() const noexcept {
  return set_->path();
}

manager set_reader::open_part(std::uint32_t part) const {
  const std::unique_ptr<detail::opened_part> opened = set_->open_part(part, opener());
  return std::move(static_cast<detail::managed_part<relocatable>&>(*opened).manager());
}

array_store set_reader::arrays() const {
  return array_store(shared_arrays());
}

std::shared_ptr<untyped_arrays> set_reader::shared_arrays() const {
  struct arrays_of_set {
    std::shared_ptr<detail::store_set> set;
    std::shared_ptr<untyped_arrays> arrays;  // ends first
  };
  const auto both = std::make_shared<arrays_of_set>(set_, set_->arrays());
  return {both, both->arrays.get()};
}

std::shared_ptr<untyped_arrays> detail::open_arrays_of_set(const std::filesystem::path& path,
                                                           const store_options& options) {
  return is_set(path) ? set_reader(path, options).shared_arrays() : nullptr;
}

}  // namespace perdure
