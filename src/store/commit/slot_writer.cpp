// Writes pages to slots of a journal, neighbouring slots together.
#include "store/commit/slot_writer.hpp"

#include "store/file/checked_block.hpp"

namespace perdure::store {

slot_writer::slot_writer(journal& to, journaled_pages* journaled)
    : to_(to),
      journaled_(journaled),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(batch_pages * page_size)) {
  pages_.reserve(batch_pages);
}

slot_writer::place slot_writer::add(std::uint64_t page, const std::byte* from) {
  const std::uint64_t slot = journaled_ != nullptr ? journaled_->slot_for(page) : next_++;
  if (pages_.size() == batch_pages || slot != first_ + pages_.size()) flush();
  if (pages_.empty()) first_ = slot;
  const std::uint32_t checksum = copy_page(page, bytes_.get() + pages_.size() * page_size, from);
  pages_.push_back({page, checksum});
  return {slot, checksum};
}

void slot_writer::flush() {
  if (journaled_ != nullptr) {
    // A write that fails half way leaves the slot with neither its old content nor the new.
    for (const added& one : pages_) journaled_->erase({one.page, 1});
  }
  to_.write_payload(first_, pages_.size(), bytes_.get());
  if (journaled_ != nullptr) {
    for (std::size_t i = 0; i < pages_.size(); ++i)
      journaled_->put(pages_[i].page, static_cast<journaled_pages::number>(first_ + i), pages_[i].checksum);
  }
  pages_.clear();
}

}  // namespace perdure::store
