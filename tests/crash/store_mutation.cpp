#include "crash/store_mutation.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "heap/layout.hpp"
#include "manager/directory_layout.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checkpoint_log.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/super_block.hpp"
#include "support/page_pattern.hpp"

namespace perdure::crash {

namespace {

constexpr std::uint64_t per_table_page = store::layout::entries_per_table_page;
constexpr std::size_t heap_areas = 5;   // of `find_areas`, the first
constexpr std::size_t some_units = 96;  // that the heap of the original uses

// All blocks with a checksum at their end, where it is in the file, and how much of it means anything.
template <class Block, class Change>
void change_sealed(file_bytes& file, std::uint64_t offset, Change&& change) {
  Block content = file.get<Block>(offset);
  change(&content, static_cast<std::size_t>(offsetof(Block, reserved)));
  store::seal_block(content);
  file.put(offset, content);
}

std::uint32_t checksum_of(const store::layout::table_page& page) {
  return os::crc32c(0, &page.index, sizeof page - offsetof(store::layout::table_page, index));
}

}  // namespace

store_mutation::store_mutation(store_files& files) : files_(files) {
  const store::super_file super = files_.at("super").get<store::super_file>(0);
  super_ = super.slots[super.slots[1].sequence > super.slots[0].sequence ? 1 : 0];
  find_areas();
}

void store_mutation::find_areas() {
  using namespace detail;
  areas_.push_back({0, offsetof(heap_header, zones) + 16});
  areas_.push_back({zone_header_offset, sizeof(zone_header)});
  areas_.push_back({class_map_offset + first_data_unit, some_units});
  areas_.push_back({descriptor_offset + first_data_unit * descriptor_size, some_units * descriptor_size});
  areas_.push_back({wide_bitmap_offset + first_data_unit * wide_bitmap_size, some_units * wide_bitmap_size});
  const auto root_offset = segment_value<std::uint64_t>(offsetof(heap_header, root));
  const auto root = segment_value<directory_root>(root_offset);
  areas_.push_back({root_offset, sizeof root});
  areas_.push_back({root.table, sizeof(directory_slot) << root.table_bits});
  for (std::uint64_t type = root.types; type != 0; type = segment_value<type_record>(type).next)
    areas_.push_back({type, sizeof(type_record) + 8});
  for (std::uint64_t i = 0; i < std::uint64_t{1} << root.table_bits; ++i) {
    const auto s = segment_value<directory_slot>(root.table + i * sizeof(directory_slot));
    if (s == 0) continue;
    const std::uint64_t object = (s & slot_offset_mask) * object_alignment;
    objects_.push_back(object);
    const auto record = segment_value<object_record>(object - sizeof(object_record));
    areas_.push_back({object - record.lead, record.lead});
    for (std::uint64_t at = record.attributes; at != 0; at = segment_value<attribute_record>(at).next)
      areas_.push_back({at, sizeof(attribute_record) + 8});
  }
}

void store_mutation::run(fuzz_script& script) {
  constexpr int most = 64;
  for (int i = 0; i < most && !script.at_end(); ++i) change(script);
  seal_pages();
}

void store_mutation::change(fuzz_script& script) {
  switch (script.byte() % 16) {
    case 0:
    case 1:
    case 2:
      return change_block(script);
    case 3:
      return change_table(script);
    case 4:
    case 5:
      return change_journal_index(script);
    case 6:
    case 7:
      if (script.byte() % 2 == 0) write_journal(script, super_.applied_epoch + 1, false);
      if (script.byte() % 2 == 0) return write_undo(script);
      return write_journal(script, super_.applied_epoch + 1 + script.byte() % 2, true);
    case 8:
      return change_log(script);
    case 9:
    case 10:
    case 11:
    case 12:
      return change_segment(script);
    case 13:
    case 14:
      return change_object(script);
    default:
      return change_file(script);
  }
}

std::uint64_t store_mutation::number(fuzz_script& script) {
  const std::uint64_t little = script.below(8);
  switch (script.byte() % 8) {
    case 0:
      return little;
    case 1:
      return ~little;
    case 2:
      return (std::uint64_t{1} << script.below(64)) + little;
    case 3:
      return (std::uint64_t{1} << script.below(64)) - little;
    case 4:
      return super_.segment_bytes / (little % 2 == 0 ? 1 : page_size) - script.below(4) + 2;
    case 5: {
      const area& somewhere = areas_[script.below(areas_.size())];
      return somewhere.offset + (little % 2 == 0 ? 0 : script.below(somewhere.bytes));
    }
    case 6:
      return detail::first_data_unit + script.below(some_units);
    default:
      return script.word();
  }
}

void store_mutation::poke(fuzz_script& script, void* bytes, std::size_t size) {
  constexpr std::size_t widths[] = {1, 2, 4, 4, 8, 8, 8, 8};
  const std::size_t width = std::min(widths[script.byte() % 8], size);
  const std::size_t at = script.below(size) / width * width;
  if (at + width > size) return;
  auto* const place = static_cast<std::byte*>(bytes) + at;
  std::uint64_t value = 0;
  std::memcpy(&value, place, width);
  value = script.byte() % 4 == 0 ? value + script.below(16) - 8 : number(script);
  std::memcpy(place, &value, width);
}

std::string store_mutation::file_with(std::uint64_t segment_offset) const {
  return store::home_files::name_of(static_cast<std::size_t>(segment_offset / super_.home_file_bytes));
}

void store_mutation::read_segment(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* out = static_cast<std::byte*>(to);
  for (std::size_t i = 0; i < bytes; ++i, ++offset) {
    const auto found = files_.find(file_with(offset));
    out[i] = std::byte{0};
    if (found != files_.end())
      found->second.read(store::layout::home_data_offset + offset % super_.home_file_bytes, out + i, 1);
  }
}

void store_mutation::write_segment(std::uint64_t offset, const void* from, std::size_t bytes) {
  const auto* in = static_cast<const std::byte*>(from);
  for (std::size_t i = 0; i < bytes && offset < super_.segment_bytes; ++i, ++offset) {
    files_[file_with(offset)].write(store::layout::home_data_offset + offset % super_.home_file_bytes, in + i,
                                    1);
    changed_pages_.insert(offset / page_size);
  }
}

void store_mutation::seal_pages() {
  file_bytes& table = files_["crc"];
  alignas(64) std::array<std::byte, page_size> bytes;
  for (const std::uint64_t page : changed_pages_) {
    read_segment(page * page_size, bytes.data(), bytes.size());
    const std::uint64_t place = (page / per_table_page + 1) * store::layout::block;
    auto entries = table.get<store::layout::table_page>(place);
    entries.entries[page % per_table_page] = store::page_checksum(page, bytes.data());
    entries.crc = checksum_of(entries);
    table.put(place, entries);
  }
}

void store_mutation::change_block(fuzz_script& script) {
  const auto poking = [&](void* content, std::size_t size) {
    for (int i = script.byte() % 3; i >= 0; --i) poke(script, content, size);
  };
  switch (script.byte() % 8) {
    case 0:
    case 1:
      // Both slots alike, so that the one counts that was meant.
      change_sealed<store::layout::super_slot>(files_["super"], 0, poking);
      files_["super"].put(store::layout::block, files_["super"].get<store::layout::super_slot>(0));
      break;
    case 2:
      change_sealed<store::layout::super_slot>(files_["super"], script.byte() % 2 * store::layout::block,
                                               poking);
      break;
    case 3:
      change_sealed<store::layout::abi_stamp>(files_["super"], 2 * store::layout::block, poking);
      break;
    case 4:
      change_sealed<store::layout::home_header>(files_[store::home_files::name_of(script.byte() % 2)], 0,
                                                poking);
      break;
    case 5:
      change_sealed<store::layout::checksum_header>(files_["crc"], 0, poking);
      break;
    default:
      change_sealed<store::layout::journal_header>(files_[store::journal::name_of(script.byte() % 2)], 0,
                                                   poking);
  }
}

void store_mutation::change_table(fuzz_script& script) {
  file_bytes& file = files_["crc"];
  const std::uint64_t pages = super_.segment_bytes / page_size / per_table_page + 2;
  const std::uint64_t place = (script.below(pages) + 1) * store::layout::block;
  auto page = file.get<store::layout::table_page>(place);
  const bool head = script.byte() % 4 == 0;
  if (head) {
    poke(script, &page.index, sizeof page.index + sizeof page.store);
  } else {
    page.entries[script.below(per_table_page)] = static_cast<std::uint32_t>(number(script));
  }
  page.crc = checksum_of(page);
  file.put(place, page);
}

void store_mutation::change_journal_index(fuzz_script& script) {
  file_bytes& file = files_[store::journal::name_of(script.byte() % 2)];
  auto header = file.get<store::layout::journal_header>(0);
  constexpr std::uint64_t most = 4096;
  // An earlier change may have put the index anywhere.
  if (header.entries == 0 || header.entries > most || header.index_offset >= file.size()) return;
  std::vector<store::layout::journal_entry> index(static_cast<std::size_t>(header.entries));
  const std::size_t bytes = index.size() * sizeof index[0];
  file.read(header.index_offset, index.data(), bytes);
  for (int i = script.byte() % 3; i >= 0; --i)
    poke(script, &index[script.below(index.size())], sizeof(store::layout::journal_entry));
  header.index_crc = os::crc32c(0, index.data(), bytes);
  store::seal_block(header);
  file.write(header.index_offset, index.data(), bytes);
  file.put(0, header);
}

// A journal of the script's own invention, whole as far as checksums go.
void store_mutation::write_journal(fuzz_script& script, std::uint64_t epoch, bool may_change_length) {
  store::layout::journal_header header{};
  header.magic = store::layout::journal_magic;
  header.epoch = epoch;
  write_image(script, files_[store::journal::name_of(epoch & 1)], 0, header, may_change_length);
}

void store_mutation::write_undo(fuzz_script& script) {
  std::uint64_t place = 0;
  const std::uint32_t batches = 1 + script.byte() % 3;
  for (std::uint32_t number = 0; number < batches; ++number) {
    store::layout::journal_header header{};
    header.magic = store::layout::undo_magic;
    header.epoch = super_.applied_epoch;
    header.flags = number;
    place += write_image(script, files_["undo"], place, header, script.byte() % 16 == 0);
  }
}

// Returns its length.
std::uint64_t store_mutation::write_image(fuzz_script& script, file_bytes& file, std::uint64_t at,
                                          store::layout::journal_header header, bool may_change_length) {
  header.format = store::layout::format_version;
  header.uuid = super_.uuid;
  header.segment_bytes = super_.segment_bytes;
  if (may_change_length && script.byte() % 2 == 0)
    header.segment_bytes += (script.byte() % 8 - 4ull) * store::layout::chunk_size;
  std::vector<store::layout::journal_entry> index(script.byte() % 6);
  std::uint64_t next = 0;
  for (store::layout::journal_entry& entry : index) {
    const std::uint64_t near_end = header.segment_bytes / page_size - 1 - script.below(4);
    const std::uint8_t where = script.byte() % 16;
    entry.page = where == 0 ? number(script) : where < 5 ? near_end : next + script.below(512);
    entry.kind = static_cast<store::layout::entry_kind>(1 + script.byte() % 4);
    const bool run = entry.kind >= store::layout::entry_kind::zero;
    entry.value = static_cast<std::uint32_t>(script.byte() % 16 == 0 ? number(script)
                                             : run                   ? 1 + script.below(64)
                                                                     : 2);
    next = entry.page + (run ? entry.value : 1);
    if (entry.kind == store::layout::entry_kind::overwrite) entry.slot = header.payload_pages++;
  }
  header.entries = index.size();
  header.index_offset = store::journal_image::slot_offset(header.payload_pages);
  for (store::layout::journal_entry& entry : index) {
    if (entry.kind != store::layout::entry_kind::overwrite) continue;
    alignas(64) std::array<std::byte, page_size> bytes;
    fill_page(bytes.data(), script.byte());
    entry.value = store::page_checksum(entry.page, bytes.data());
    file.put(at + store::journal_image::slot_offset(entry.slot), bytes);
    if (script.byte() % 16 == 0) entry.slot = number(script);
  }
  const std::size_t size = index.size() * sizeof(store::layout::journal_entry);
  header.index_crc = os::crc32c(0, index.data(), size);
  file.write(at + header.index_offset, index.data(), size);
  const std::uint64_t bytes = store::journal_image::bytes(header);
  if (script.byte() % 4 == 0) poke(script, &header, offsetof(store::layout::journal_header, reserved));
  store::seal_block(header);
  file.put(at, header);
  return bytes;
}

void store_mutation::change_log(fuzz_script& script) {
  file_bytes& file = files_["log"];
  if (script.byte() % 8 == 0) {
    change_sealed<store::layout::log_header>(
        file, 0, [&](void* content, std::size_t size) { poke(script, content, size); });
    return;
  }
  const std::uint64_t place = store::layout::block + script.below(8) * sizeof(store::layout::log_record);
  auto record = file.get<store::layout::log_record>(place);
  poke(script, &record, sizeof record);
  record.crc = os::crc32c(0, &record.epoch, sizeof record - offsetof(store::layout::log_record, epoch));
  file.put(place, record);
}

void store_mutation::change_segment(fuzz_script& script) {
  // Half of the changes to the heap's own: objects have many areas, and it has few.
  const bool heap = script.byte() % 2 == 0;
  const area& place = areas_[script.below(heap ? heap_areas : areas_.size())];
  // A stretch of it, so that a poke always hits.
  constexpr std::uint64_t most = 128;
  const std::uint64_t stretch = std::min(most, place.bytes);
  const std::uint64_t offset = place.offset + script.below(place.bytes - stretch + 1) / 8 * 8;
  std::array<std::byte, most> bytes;
  read_segment(offset, bytes.data(), stretch);
  poke(script, bytes.data(), stretch);
  write_segment(offset, bytes.data(), stretch);
}

// An object's record, its own checksum included.
void store_mutation::change_object(fuzz_script& script) {
  if (objects_.empty()) return;
  const std::uint64_t object = objects_[script.below(objects_.size())];
  const std::uint64_t offset = object - sizeof(detail::object_record);
  auto record = segment_value<detail::object_record>(offset);
  poke(script, &record, sizeof record);
  record.check = detail::record_check(record, object);
  write_segment(offset, &record, sizeof record);
}

void store_mutation::change_file(fuzz_script& script) {
  auto file = files_.begin();
  std::advance(file, static_cast<std::ptrdiff_t>(script.below(files_.size())));
  file_bytes& content = file->second;
  switch (script.byte() % 6) {
    case 0:
      content.resize(script.below(content.size() + 1));
      break;
    case 1:
      content.resize(content.size() + script.below(65536));
      break;
    case 2:
      if (content.size() != 0) content.put(script.below(content.size()), script.byte());
      break;
    case 3:
      content = files_[store::journal::name_of(script.byte() % 2)];
      break;
    case 4: {
      // A block in another's place.
      const std::uint64_t blocks = content.size() / store::layout::block;
      if (blocks < 2) break;
      const auto block = content.get<file_bytes::block>(script.below(blocks) * store::layout::block);
      content.put(script.below(blocks) * store::layout::block, block);
      break;
    }
    default:
      if (file->first != "crc" && !file->first.starts_with("heap.")) content = {};
  }
}

}  // namespace perdure::crash
