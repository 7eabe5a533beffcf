// Raises the capacity of a store that nobody has open.
#include <perdure/kept_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>

#include "store/backing/address_space.hpp"
#include "store/file/capacity.hpp"
#include "store/file/failure.hpp"
#include "store/file/hard_links.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"

namespace perdure {

std::size_t store_maintenance::raise_capacity(const std::filesystem::path& given, std::size_t capacity) {
  require_changeable_store(given);
  const std::filesystem::path path = store::normalized_store_path(given);
  return store::reporting("raise the capacity of", path, [&]() -> std::size_t {
    const os::file directory = store::open_store_directory(path);
    if (!os::exists_in(directory, "super")) store::super_block::load(directory, false);
    store::store_lock lock(directory, store::store_access::alone);
    store::leave_hard_links(directory, lock);
    store::super_block super = store::super_block::load(directory, true);
    store::layout::super_slot next = super.now();
    const store::sound_capacity wanted(capacity, next.home_file_bytes);
    if (wanted.limit <= store::limit_in(next)) return store::limit_in(next);
    if (next.address != 0) store::reserve_at(next.address, wanted.reserved, path);
    wanted.record_in(next);
    // Stored in both slots, as either may be the one that is left.
    super.store(next);
    super.store(next);
    return wanted.limit;
  });
}

}  // namespace perdure
