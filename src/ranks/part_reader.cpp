// Opens parts of other ranks for reading, and sees to it that they are what the manifest says.
#include "ranks/part_reader.hpp"

#include <algorithm>
#include <chrono>
#include <perdure/error.hpp>
#include <string>

namespace perdure::detail {

part_reader::part_reader(const set_directory& directory, const set_state& set, std::uint32_t rank,
                         store_options options)
    : rank_(rank) {
  options.last_decided = set.epoch;
  store_ = manager_core::open(manager_core::mode::open_read_only, directory.part(set.number, rank), options,
                              false);
  record_ = &require_part_of(*store_, set, rank);
  whole_ = find_whole_arrays(*store_);
  arrays_ = untyped_arrays::of(*store_);
}

bool part_reader::has_array(std::string_view id) const {
  return record_->arrays.contains(id) && arrays_->find(id).has_value();
}

std::shared_ptr<part_reader> part_readers::get(std::uint32_t rank) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [rank](const auto& one) { return one->rank() == rank; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return open_.front();
  }
  if (open_.size() == most_open) open_.pop_back();
  auto opened = std::make_shared<part_reader>(directory_, set_, rank, options_);
  opened->require_epoch(set_);
  return open_.emplace_front(std::move(opened));
}

std::shared_ptr<part_reader> read_beside_its_rank(rank_group& group, const set_directory& directory,
                                                  const set_state& set, std::uint32_t rank,
                                                  const store_options& options) {
  constexpr std::chrono::minutes patience(1);
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    auto opened = std::make_shared<part_reader>(directory, set, rank, options);
    const bool is_behind = opened->epoch() < set.epoch;
    if (!is_behind || std::chrono::steady_clock::now() - start > patience) {
      opened->require_epoch(set);
      return opened;
    }
    opened.reset();
    group.pause();
  }
}

}  // namespace perdure::detail
