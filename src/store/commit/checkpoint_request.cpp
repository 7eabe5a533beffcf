// Checks what a program asks of a checkpoint.
#include "store/commit/checkpoint_request.hpp"

#include <perdure/checkpoint_log.hpp>
#include <perdure/error.hpp>
#include <string>

#include "segment/page_runs.hpp"

namespace perdure::store {

void require_label(std::string_view label) {
  if (label.size() <= max_label_length) return;
  throw error(errc::invalid_argument, "the label of a checkpoint has at most " +
                                          std::to_string(max_label_length) + " bytes, not " +
                                          std::to_string(label.size()));
}

std::vector<detail::page_run> sound_released(std::span<const detail::page_run> released, std::uint64_t pages,
                                             const std::filesystem::path& store) {
  std::vector<detail::page_run> sound(released.begin(), released.end());
  for (const detail::page_run& run : sound) {
    if (run.first > pages || run.count > pages - run.first)
      throw error(errc::invalid_argument, "released pages lie outside the segment of " + store.string());
  }
  detail::normalize(sound);
  return sound;
}

}  // namespace perdure::store
