// Looks after a set as a whole, in one process: what it records, and verifying, copying, dividing and
// removing it.
#include <algorithm>
#include <perdure/detail/store_set.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>

#include "ranks/kept_sets.hpp"
#include "ranks/lone_rank.hpp"
#include "ranks/set_directory.hpp"
#include "ranks/set_manifest.hpp"
#include "store/file/failure.hpp"
#include "store/file/super_block.hpp"

namespace perdure {

using detail::set_directory;
using detail::set_manifest;
using detail::set_state;

bool is_set(const std::filesystem::path& path) {
  const store_name name = parse_store_name(path);
  return set_directory(name.checkpoint.empty() ? path : name.store).has_set();
}

set_info inspect_set(const std::filesystem::path& path) {
  const set_directory directory(resolve_set_name(path));
  return store::reporting("inspect the set", path, [&] {
    const set_state set = set_manifest::read(directory.open());
    set_info info{store::to_text(set.uuid), set.epochs_before + set.epoch, set.epoch, {}};
    for (const set_directory::place& one : directory.places(set))
      info.parts.push_back({one.path, one.host, one.is_here(), !one.exists});
    return info;
  });
}

std::vector<checkpoint_record> log_of_set(const std::filesystem::path& given) {
  const std::filesystem::path path = resolve_set_name(given);
  const set_state set = detail::require_parts_here(path);
  const set_directory directory(path);
  std::vector<checkpoint_record> all;
  for (std::uint32_t part = 0; part < set.ranks; ++part) {
    std::vector<checkpoint_record> own = store_maintenance::log(directory.part(set.number, part));
    // A part may be ahead of the manifest, beside a program that writes the set.
    std::erase_if(own, [&](const checkpoint_record& one) { return one.epoch > set.epoch; });
    if (part == 0) {
      all = std::move(own);
      continue;
    }
    for (const checkpoint_record& one : own) {
      const auto found = std::find_if(
          all.begin(), all.end(), [&](const checkpoint_record& other) { return other.epoch == one.epoch; });
      if (found == all.end()) continue;
      found->time_ns = std::max(found->time_ns, one.time_ns);
      found->fresh_pages += one.fresh_pages;
      found->overwritten_pages += one.overwritten_pages;
      found->cleared_pages += one.cleared_pages;
      found->segment_bytes += one.segment_bytes;
    }
  }
  const std::vector<kept_checkpoint> kept = kept_checkpoints_of_set(path);
  for (checkpoint_record& one : all) {
    one.epoch += set.epochs_before;
    one.address = 0;  // each part has its own
    one.kept = std::any_of(kept.begin(), kept.end(),
                           [&](const kept_checkpoint& other) { return other.epoch == one.epoch; });
  }
  return all;
}

bool set_verify_report::whole() const noexcept {
  return !problem &&
         std::all_of(parts.begin(), parts.end(), [](const verify_report& one) { return one.whole(); });
}

set_verify_report verify_set(const std::filesystem::path& given, const verify_options& options) {
  const std::filesystem::path path = resolve_set_name(given);
  const set_state set = detail::require_parts_here(path);
  const set_directory directory(path);
  set_verify_report report;
  report.epoch = set.epochs_before + set.epoch;
  for (std::uint32_t part = 0; part < set.ranks; ++part)
    report.parts.push_back(manager::verify(directory.part(set.number, part), options));
  if (!report.whole()) return report;
  try {
    const set_reader reader(path, {.beside_writer = reader_beside_writer::hold_writer});
  } catch (const error& failure) {
    if (failure.code() != errc::damaged && failure.code() != errc::conflict) throw;
    report.problem = failure.what();
  }
  return report;
}

void copy_set(const std::filesystem::path& given, const std::filesystem::path& to) {
  const std::filesystem::path from = resolve_set_name(given);
  detail::require_parts_here(from);
  detail::store_set::copy(detail::make_lone_rank(), from, to);
}

bool remove_set(const std::filesystem::path& path, parts_elsewhere others) {
  require_changeable_store(path);
  const set_directory directory(path);
  if (!std::filesystem::exists(directory.root())) return false;
  if (!directory.has_set())
    throw error(errc::not_a_store, path.string() + " holds no set of stores: it is left as it is");
  store::reporting("remove the set", path, [&] { remove_whole_set(directory, others); });
  return true;
}

void repartition_set(const std::filesystem::path& path, std::uint32_t parts, const store_options& options,
                     set_divider* divider) {
  require_changeable_store(path);
  if (parts == 0) throw error(errc::invalid_argument, "a set cannot be divided among 0 parts");
  detail::require_parts_here(path);
  detail::store_set::repartition(detail::make_lone_rank(), path, {options, {}}, parts, divider);
}

}  // namespace perdure
