// The journal's reader against every byte of a journal being wrong, and against honest checksums over
// dishonest numbers.
#include "store/file/journal.hpp"

#include <fcntl.h>

#include <functional>

#include "store/file/checked_block.hpp"
#include "store/file/super_block.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"

namespace perdure {
namespace {

using store::layout::entry_kind;
using store::layout::journal_entry;
using store::layout::journal_header;

constexpr std::uint64_t capacity = std::uint64_t{1} << 30;
constexpr std::uint64_t segment_bytes = std::uint64_t{4} << 20;

class a_journal : public scratch_test {
 protected:
  a_journal() : scratch_test(fast_directory()), directory_(os::file::open_directory(path(""))) {
    uuid_ = store::random_uuid();
    store::journal::create(directory_, 0, uuid_);
    std::vector<std::byte> payload(2 * page_size);
    fill_page(payload.data(), 5);
    fill_page(payload.data() + page_size, 9);
    index_ = {{5, store::page_checksum(5, payload.data()), entry_kind::overwrite, {}},
              {6, 1234567, entry_kind::fresh, {}},
              {9, store::page_checksum(9, payload.data() + page_size), entry_kind::overwrite, 0, {}, 1},
              {20, 30, entry_kind::zero, {}},
              {50, 7, entry_kind::released, {}}};
    store::journal file = reopen();
    file.write_payload(0, 2, payload.data());
    header_ = file.commit({8, segment_bytes}, 0, index_, 2);
  }

  store::journal reopen() { return store::journal(directory_, 0, uuid_, true); }
  bool is_valid() {
    const store::journal file = reopen();
    const auto header = file.header();
    return header && header->epoch == 8 && file.read_index(*header, capacity).has_value();
  }
  // Writes header and index with right checksums, whatever they say.
  void forge(journal_header header, const std::vector<journal_entry>& index) {
    header.index_crc = os::crc32c(0, index.data(), index.size() * sizeof(journal_entry));
    store::seal_block(header);
    const os::file file = os::file::open_in(directory_, "jrnl.0", O_RDWR);
    file.write_at(index.data(), index.size() * sizeof(journal_entry), store::journal_image::slot_offset(2));
    file.write_at(&header, sizeof header, 0);
  }

  os::file directory_;
  store::layout::uuid_bytes uuid_;
  std::vector<journal_entry> index_;
  journal_header header_;
};

TEST_F(a_journal, gives_back_what_was_committed) {
  const store::journal file = reopen();
  const auto header = file.header();
  ASSERT_TRUE(header);
  EXPECT_EQ(header->epoch, 8u);
  EXPECT_EQ(header->segment_bytes, segment_bytes);
  const auto index = file.read_index(*header, capacity);
  ASSERT_TRUE(index);
  ASSERT_EQ(index->size(), index_.size());
  for (std::size_t i = 0; i < index_.size(); ++i) {
    EXPECT_EQ((*index)[i].page, index_[i].page);
    EXPECT_EQ((*index)[i].kind, index_[i].kind);
    EXPECT_EQ((*index)[i].value, index_[i].value);
  }
  std::vector<std::byte> page(page_size);
  file.image().read_payload(1, 1, page.data());
  EXPECT_TRUE(holds(page.data(), 9));
}

TEST_F(a_journal, is_invalid_when_any_byte_of_it_is_wrong) {
  const os::file file = os::file::open_in(directory_, "jrnl.0", O_RDWR);
  const std::uint64_t used = store::journal_image::slot_offset(2) + index_.size() * sizeof(journal_entry);
  ASSERT_EQ(file.size(), used);
  for (std::uint64_t offset = 0; offset < used; offset += offset < 4200 ? 1 : 61) {
    char byte;
    file.read_at(&byte, 1, offset);
    byte = static_cast<char>(byte ^ 0x20);
    file.write_at(&byte, 1, offset);
    bool valid;
    try {
      valid = is_valid();
    } catch (const error&) {
      valid = false;
    }
    ASSERT_FALSE(valid) << "byte " << offset;
    byte = static_cast<char>(byte ^ 0x20);
    file.write_at(&byte, 1, offset);
  }
  EXPECT_TRUE(is_valid());
}

TEST_F(a_journal, is_invalid_when_cut_anywhere) {
  const os::file file = os::file::open_in(directory_, "jrnl.0", O_RDWR);
  for (std::uint64_t size = file.size() - 1; size > store::layout::block; size -= 777) {
    file.resize(size);
    EXPECT_FALSE(is_valid()) << size;
  }
  file.resize(store::layout::block - 1);
  EXPECT_TRUE(fails_with(errc::damaged, "cut short", [&] { reopen(); }));
}

TEST_F(a_journal, with_dishonest_numbers_is_invalid) {
  const std::vector<std::function<void(journal_header&, std::vector<journal_entry>&)>> lies = {
      [](auto& header, auto&) { header.segment_bytes = capacity + store::layout::chunk_size; },
      [](auto& header, auto&) { header.segment_bytes += 4096; },
      [](auto& header, auto&) { header.entries = ~std::uint64_t{0}; },
      [](auto& header, auto&) { header.entries = ~std::uint64_t{0} / 16; },
      [](auto& header, auto&) { header.entries += 1; },
      [](auto& header, auto&) { header.payload_pages = ~std::uint64_t{0}; },
      [](auto& header, auto&) { header.payload_pages = 1; },
      [](auto& header, auto&) { header.payload_pages = 3; },
      [](auto& header, auto&) { header.index_offset = 0; },
      [](auto& header, auto&) { header.index_offset = ~std::uint64_t{0}; },
      [](auto&, auto& index) { index[2].slot = 0; },
      [](auto&, auto& index) { index[2].slot = 2; },
      [](auto&, auto& index) { index[2].slot = ~std::uint64_t{0}; },
      [](auto&, auto& index) { std::swap(index[0].slot, index[2].slot); },
      [](auto&, auto& index) { index[0].page = segment_bytes / page_size; },
      [](auto&, auto& index) { index[0].page = ~std::uint64_t{0}; },
      [](auto&, auto& index) { index[1].page = 5; },
      [](auto&, auto& index) { std::swap(index[3], index[4]); },
      [](auto&, auto& index) { index[3].value = 31; },
      [](auto&, auto& index) { index[4].value = 0; },
      [](auto&, auto& index) { index[4].value = ~std::uint32_t{0}; },
      [](auto&, auto& index) { index[1].value = 1; },
      [](auto&, auto& index) { index[1].kind = static_cast<entry_kind>(0); },
      [](auto&, auto& index) { index[1].kind = static_cast<entry_kind>(5); },
      [](auto&, auto& index) { index[1].kind = entry_kind::overwrite; },
      [](auto&, auto& index) { index[0].value ^= 4; },
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    journal_header header = header_;
    std::vector<journal_entry> index = index_;
    lies[i](header, index);
    forge(header, index);
    EXPECT_FALSE(is_valid()) << "lie " << i;
  }
  forge(header_, index_);
  EXPECT_TRUE(is_valid());
}

TEST_F(a_journal, can_be_replaced_by_an_empty_one) {
  store::journal file = reopen();
  file.replace();
  EXPECT_FALSE(is_valid());
  EXPECT_FALSE(os::exists_in(directory_, "jrnl.0.new"));
  EXPECT_EQ(reopen().header()->epoch, 0u);
}

}  // namespace
}  // namespace perdure
