// Tells what the files of a store say of it.
#include <algorithm>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>

#include "os/file_identity.hpp"
#include "store/commit/store_parts.hpp"
#include "store/file/checkpoint_log.hpp"
#include "store/file/failure.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/super_block.hpp"
#include "store/offline/kept_epochs.hpp"

namespace perdure {

store_info store_maintenance::inspect(const std::filesystem::path& given) {
  const std::filesystem::path path = resolve_store_name(given);
  return store::reporting("inspect", path, [&] {
    const os::file directory = store::open_store_directory(path);
    const store::super_block super = store::super_block::load(directory, false);
    const store::layout::super_slot& now = super.now();
    store_info info = store::describe(directory, now, super.abi());
    // A checkpoint is committed by its journal, before the super block hears of it.
    for (const unsigned parity : {0u, 1u}) {
      if (!os::exists_in(directory, store::journal::name_of(parity))) continue;
      const store::journal file(directory, parity, now.uuid, false);
      // If it is not whole, its `prepare` has not returned, and no caller may count on it.
      const auto prepared = file.undecided();
      if (prepared && prepared->epoch > now.applied_epoch && file.read_index(*prepared, now.capacity))
        info.undecided_epoch = prepared->epoch;
      const auto header = file.header();
      if (!header || header->epoch <= info.epoch || header->epoch > now.applied_epoch + 2) continue;
      info.epoch = header->epoch;
      info.size = header->segment_bytes;
    }
    return info;
  });
}

std::optional<std::string> store_maintenance::why_copies_pass_unnoticed(
    const std::filesystem::path& directory) {
  return store::reporting("examine", directory, [&]() -> std::optional<std::string> {
    if (os::lasting_identity(os::file::open_directory(directory))) return std::nullopt;
    return "only ext4, XFS, btrfs and tmpfs are known to number files for good";
  });
}

std::vector<checkpoint_record> store_maintenance::log(const std::filesystem::path& given) {
  const std::filesystem::path path = resolve_store_name(given);
  return store::reporting("read the log of", path, [&] {
    const os::file directory = store::open_store_directory(path);
    const store::super_block super = store::super_block::load(directory, false);
    std::vector<checkpoint_record> records = store::checkpoint_log::read(directory, super.now().uuid);
    for (const std::uint64_t epoch : store::kept_epochs(directory)) {
      const auto found = std::find_if(records.begin(), records.end(),
                                      [epoch](const checkpoint_record& one) { return one.epoch == epoch; });
      if (found != records.end()) found->kept = true;
    }
    return records;
  });
}

}  // namespace perdure
