// The file `log`: a ring of records of the last checkpoints.
#include "store/file/checkpoint_log.hpp"

#include <fcntl.h>
#include <string.h>

#include <algorithm>
#include <exception>

#include "store/file/checked_block.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::store {

namespace {

static_assert(layout::log_records == checkpoints_remembered);

std::uint64_t offset_of(std::uint64_t epoch) {
  return layout::block + epoch % layout::log_records * sizeof(layout::log_record);
}

std::uint32_t checksum_of_record(const layout::log_record& record) {
  return os::crc32c(0, &record.epoch, sizeof record - offsetof(layout::log_record, epoch));
}

std::string text_of(const std::array<char, 64>& label) {
  return {label.data(), ::strnlen(label.data(), label.size())};
}

}  // namespace

bool is_log_header(const layout::log_header& header, const layout::uuid_bytes& uuid) noexcept {
  return is_sound(header, layout::log_magic) && header.uuid == uuid;
}

std::string label_of(const layout::journal_header& header) {
  return text_of(header.label);
}

checkpoint_log::checkpoint_log(const os::file& directory, const layout::uuid_bytes& uuid, bool writable)
    : directory_(reopened(directory, writable)), uuid_(uuid) {}

void checkpoint_log::append(const layout::journal_header& header,
                            std::span<const layout::journal_entry> index) noexcept {
  try {
    if (!file_) {
      file_ = os::file::open_in(directory_, "log", O_RDWR | O_CREAT);
      layout::log_header own{};
      const std::size_t got = file_.read_at(&own, sizeof own, 0);
      if (got != sizeof own || !is_log_header(own, uuid_)) {
        file_.resize(0);
        own = {};
        own.magic = layout::log_magic;
        own.format = layout::format_version;
        own.uuid = uuid_;
        seal_block(own);
        file_.write_at(&own, sizeof own, 0);
      }
    }
    layout::log_record record{};
    record.epoch = header.epoch;
    record.committed_ns = header.committed_ns;
    record.segment_bytes = header.segment_bytes;
    record.address = header.address;
    record.label = header.label;
    for (const layout::journal_entry& entry : index) {
      if (entry.carried != 0) continue;
      switch (entry.kind) {
        case layout::entry_kind::fresh:
          ++record.fresh_pages;
          break;
        case layout::entry_kind::overwrite:
          ++record.overwritten_pages;
          break;
        default:
          record.cleared_pages += entry.value;
      }
    }
    record.crc = checksum_of_record(record);
    file_.write_at(&record, sizeof record, offset_of(record.epoch));
  } catch (const std::exception&) {
    file_.close();
  }
}

std::vector<checkpoint_record> checkpoint_log::read(const os::file& directory,
                                                    const layout::uuid_bytes& uuid) {
  std::vector<checkpoint_record> found;
  if (!os::exists_in(directory, "log")) return found;
  const os::file file = os::file::open_in(directory, "log", O_RDONLY);
  layout::log_header header{};
  if (file.read_at(&header, sizeof header, 0) != sizeof header || !is_log_header(header, uuid)) return found;
  std::vector<layout::log_record> records(layout::log_records);
  const std::size_t got = file.read_at(records.data(), records.size() * sizeof records[0], layout::block);
  records.resize(got / sizeof records[0]);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const layout::log_record& record = records[i];
    if (record.epoch == 0 || record.epoch % layout::log_records != i) continue;
    if (record.crc != checksum_of_record(record)) continue;
    checkpoint_record& out = found.emplace_back();
    out.epoch = record.epoch;
    out.time_ns = record.committed_ns;
    out.fresh_pages = record.fresh_pages;
    out.overwritten_pages = record.overwritten_pages;
    out.cleared_pages = record.cleared_pages;
    out.segment_bytes = record.segment_bytes;
    out.address = record.address;
    out.label = text_of(record.label);
  }
  std::sort(found.begin(), found.end(),
            [](const checkpoint_record& a, const checkpoint_record& b) { return a.epoch < b.epoch; });
  return found;
}

}  // namespace perdure::store
