// What a datastore says to paths and files that are not as they should be. Nothing committed may be lost
// by looking at a store in vain.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <functional>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/journal.hpp"
#include "store/file/layout.hpp"
#include "store/file/unfinished_store.hpp"
#include "support/errors.hpp"
#include "support/flipped_bit.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

class a_bad_store : public scratch_test {
 protected:
  // Epoch 3: page 1 holds pattern 3, pages 2..600 their own number.
  void make_store() {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 2; page <= 600; ++page)
      fill_page(store->memory().base() + page * page_size, page);
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
      fill_page(store->memory().base() + page_size, epoch);
      store->checkpoint();
    }
  }

  ::testing::AssertionResult is_intact() {
    const auto store = datastore::open(path());
    if (store->epoch() != 3) return ::testing::AssertionFailure() << "epoch " << store->epoch();
    if (!holds(store->memory().base() + page_size, 3)) return ::testing::AssertionFailure() << "page 1";
    for (std::uint64_t page = 2; page <= 600; ++page) {
      if (!holds(store->memory().base() + page * page_size, page))
        return ::testing::AssertionFailure() << page;
    }
    return ::testing::AssertionSuccess();
  }

  ::testing::AssertionResult cannot_be_opened(errc code, const std::string& words) {
    const auto writing = fails_with(code, words, [&] { datastore::open(path()); });
    if (!writing) return writing;
    return fails_with(code, words, [&] { datastore::open_read_only(path()); });
  }

  // Without `super` and LOCK there is no report.
  bool is_found_damaged() {
    try {
      return !store_maintenance::verify(path()).whole();
    } catch (const error& failure) {
      return failure.code() == errc::damaged;
    }
  }

  void put(const std::string& file, std::uint64_t offset, const void* bytes, std::size_t count) {
    std::fstream stream(path() / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    ASSERT_TRUE(stream.good());
  }
  void flip(const std::string& file, std::uint64_t offset) { flip_bit(path() / file, offset, 2); }
  // Changes both super slots and gives them valid checksums, as another library might have written them.
  void change_super(const std::function<void(store::layout::super_slot&)>& change) {
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{store::layout::block}}) {
      store::layout::super_slot slot;
      std::ifstream stream(path() / "super", std::ios::binary);
      stream.seekg(static_cast<std::streamoff>(offset));
      stream.read(reinterpret_cast<char*>(&slot), sizeof slot);
      change(slot);
      store::seal_block(slot);
      put("super", offset, &slot, sizeof slot);
    }
  }
};

TEST_F(a_bad_store, may_be_missing) {
  EXPECT_TRUE(cannot_be_opened(errc::not_found, path().string()));
  EXPECT_TRUE(fails_with(errc::not_found, path().string(), [&] { store_maintenance::inspect(path()); }));
}

TEST_F(a_bad_store, may_be_an_empty_directory) {
  std::filesystem::create_directory(path());
  EXPECT_TRUE(cannot_be_opened(errc::not_a_store, "super"));
  EXPECT_TRUE(std::filesystem::is_empty(path())) << "looking leaves nothing behind";
  make_store();
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, may_be_a_foreign_directory_or_file) {
  std::filesystem::create_directory(path());
  std::ofstream(path() / "notes.txt") << "nothing of ours";
  EXPECT_TRUE(cannot_be_opened(errc::not_a_store, "super"));
  EXPECT_TRUE(fails_with(errc::already_exists, "exists", [&] { datastore::create(path(), small_store()); }));
  std::ofstream(path() / "super") << std::string(20000, 'x');
  EXPECT_TRUE(cannot_be_opened(errc::not_a_store, "super"));
  std::filesystem::remove_all(path());
  std::ofstream(path()) << "a file";
  EXPECT_TRUE(cannot_be_opened(errc::not_a_store, "directory"));
  EXPECT_TRUE(fails_with(errc::already_exists, "exists", [&] { datastore::create(path(), small_store()); }));
}

TEST_F(a_bad_store, is_not_made_over_another_or_in_a_missing_place) {
  make_store();
  EXPECT_TRUE(fails_with(errc::already_exists, "exists", [&] { datastore::create(path(), small_store()); }));
  EXPECT_TRUE(is_intact());
  EXPECT_TRUE(
      fails_with(errc::not_found, "", [&] { datastore::create(path("no/such/place"), small_store()); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "path", [&] { datastore::create("", small_store()); }));
}

TEST_F(a_bad_store, is_not_made_with_absurd_sizes) {
  store_options options = small_store();
  options.capacity = 0;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "capacity", [&] { datastore::create(path(), options); }));
  options.capacity = ~std::size_t{0};
  EXPECT_TRUE(fails_with(errc::invalid_argument, "capacity", [&] { datastore::create(path(), options); }));
  options = small_store();
  options.home_file_size = 12345;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "2 MiB", [&] { datastore::create(path(), options); }));
  options = store_options();
  options.home_file_size = 2 * mib;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "home files", [&] { datastore::create(path(), options); }));
  options = small_store();
  options.pinned = true;
  options.address = reinterpret_cast<void*>(std::uintptr_t{4096});
  EXPECT_TRUE(fails_with(errc::invalid_argument, "1 GiB", [&] { datastore::create(path(), options); }));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(a_bad_store, may_have_files_missing) {
  for (const char* file : {"super", "heap.000", "crc", "jrnl.0", "jrnl.1"}) {
    make_store();
    std::filesystem::rename(path() / file, path("aside"));
    EXPECT_TRUE(cannot_be_opened(errc::damaged, file)) << file;
    std::filesystem::rename(path("aside"), path() / file);
    EXPECT_TRUE(is_intact()) << file;
    std::filesystem::remove_all(path());
  }
}

TEST_F(a_bad_store, may_have_files_cut_short) {
  for (const char* file : {"super", "heap.000", "crc", "jrnl.0", "jrnl.1"}) {
    for (const int percent : {0, 30, 99}) {
      make_store();
      const std::uint64_t size = std::filesystem::file_size(path() / file);
      const std::uint64_t left = size * static_cast<std::uint64_t>(percent) / 100;
      const bool journal = std::string(file).starts_with("jrnl");
      // Of a journal that has been applied nothing but the header is needed.
      if (journal && left >= store::layout::block) {
        std::filesystem::remove_all(path());
        continue;
      }
      std::filesystem::resize_file(path() / file, left);
      EXPECT_TRUE(cannot_be_opened(errc::damaged, file)) << file << " at " << percent << " %";
      std::filesystem::remove_all(path());
    }
  }
}

TEST_F(a_bad_store, tells_the_sizes_of_a_file_that_is_cut_short) {
  make_store();
  const std::uint64_t size = std::filesystem::file_size(path() / "heap.000");
  const std::uint64_t left = size - 4096;
  std::filesystem::resize_file(path() / "heap.000", left);
  const std::string told = "it is cut short, to " + std::to_string(left) + " bytes";
  EXPECT_TRUE(fails_with(errc::damaged, told + ", of which the store needs " + std::to_string(size),
                         [&] { datastore::open(path(), small_store()); }));
  const verify_report report = store_maintenance::verify(path());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_NE(to_string(report.findings.front()).find(told), std::string::npos)
      << to_string(report.findings.front());
}

TEST_F(a_bad_store, may_have_a_damaged_super_slot_and_uses_the_other) {
  for (const std::uint64_t offset : {0, 9, 70, 2000, 4095, 4096, 4096 + 9, 4096 + 70, 8191}) {
    make_store();
    flip("super", offset);
    EXPECT_TRUE(is_intact()) << "byte " << offset;
    std::filesystem::remove_all(path());
  }
}

TEST_F(a_bad_store, may_have_both_super_slots_damaged) {
  make_store();
  flip("super", 100);
  flip("super", 4096 + 100);
  EXPECT_TRUE(cannot_be_opened(errc::damaged, "super"));
}

TEST_F(a_bad_store, may_be_too_new_or_too_old) {
  make_store();
  change_super([](store::layout::super_slot& slot) { slot.format = store::layout::format_version + 1; });
  EXPECT_TRUE(cannot_be_opened(errc::too_new, "newer"));
  change_super([](store::layout::super_slot& slot) { slot.format = 0; });
  EXPECT_TRUE(cannot_be_opened(errc::too_old, "older"));
  change_super([](store::layout::super_slot& slot) {
    slot.format = store::layout::format_version;
    slot.incompat = std::uint64_t{1} << 40;
  });
  EXPECT_TRUE(cannot_be_opened(errc::too_new, "features"));
  change_super([](store::layout::super_slot& slot) {
    slot.incompat = 0;
    slot.read_only_compat = 1;
  });
  EXPECT_TRUE(fails_with(errc::too_new, "reading", [&] { datastore::open(path()); }));
  EXPECT_NO_THROW(datastore::open_read_only(path()));
  change_super([](store::layout::super_slot& slot) {
    slot.read_only_compat = 0;
    slot.compat = 1;
  });
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, may_come_from_another_machine) {
  make_store();
  change_super([](store::layout::super_slot& slot) { slot.byte_order = 0x04030201; });
  EXPECT_TRUE(cannot_be_opened(errc::incompatible, "byte order"));
  change_super([](store::layout::super_slot& slot) {
    slot.byte_order = store::layout::byte_order_mark;
    slot.pointer_bytes = 4;
  });
  EXPECT_TRUE(cannot_be_opened(errc::incompatible, "pointer"));
  change_super([](store::layout::super_slot& slot) { slot.pointer_bytes = 8; });
  store::layout::abi_stamp stamp;
  std::ifstream(path() / "super", std::ios::binary)
      .seekg(2 * store::layout::block)
      .read(reinterpret_cast<char*>(&stamp), sizeof stamp);
  stamp.long_bytes = 4;
  std::snprintf(stamp.text.data(), stamp.text.size(), "some other machine");
  store::seal_block(stamp);
  put("super", 2 * store::layout::block, &stamp, sizeof stamp);
  EXPECT_TRUE(cannot_be_opened(errc::incompatible, "some other machine"));
}

TEST_F(a_bad_store, may_have_absurd_but_checksummed_numbers) {
  const std::vector<std::function<void(store::layout::super_slot&)>> changes = {
      [](store::layout::super_slot& slot) { slot.capacity = 0; },
      [](store::layout::super_slot& slot) { slot.capacity += 1; },
      [](store::layout::super_slot& slot) { slot.capacity = ~std::uint64_t{0} << 30; },
      [](store::layout::super_slot& slot) { slot.segment_bytes = slot.capacity + store::layout::chunk_size; },
      [](store::layout::super_slot& slot) { slot.compat |= store::layout::compat_limited; },
      [](store::layout::super_slot& slot) {
        slot.compat |= store::layout::compat_limited;
        slot.limit = slot.capacity + 1;
      },
      [](store::layout::super_slot& slot) { slot.segment_bytes += 4096; },
      [](store::layout::super_slot& slot) { slot.segment_bytes += store::layout::chunk_size; },
      [](store::layout::super_slot& slot) { slot.home_file_bytes = 0; },
      [](store::layout::super_slot& slot) { slot.home_file_bytes = 4096; },
      // Tables for these would take more memory than there is, and looking for the files hours.
      [](store::layout::super_slot& slot) { slot.capacity = slot.home_file_bytes = std::uint64_t{1} << 55; },
      [](store::layout::super_slot& slot) {
        slot.capacity = store::layout::most_capacity;
        slot.home_file_bytes = store::layout::chunk_size;
        slot.segment_bytes = slot.capacity;
      },
      [](store::layout::super_slot& slot) { slot.applied_epoch = slot.epoch + 1; },
      [](store::layout::super_slot& slot) { slot.address = std::uint64_t{1} << 30; },
      [](store::layout::super_slot& slot) { slot.flags |= store::layout::flag_pinned; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    make_store();
    change_super(changes[i]);
    EXPECT_TRUE(cannot_be_opened(errc::damaged, "")) << "change " << i;
    std::filesystem::remove_all(path());
  }
}

TEST_F(a_bad_store, may_have_a_journal_of_a_shorter_segment) {
  // Pages of the checkpoint before would lie beyond its end.
  make_store();
  const os::file directory = os::file::open_directory(path());
  store::layout::super_slot super;
  std::ifstream(path() / "super", std::ios::binary)
      .seekg(store::layout::block)
      .read(reinterpret_cast<char*>(&super), sizeof super);
  ASSERT_EQ(super.segment_bytes, 4 * mib);
  for (const std::uint64_t before : {2 * mib, 4 * mib}) {
    store::journal(directory, 0, super.uuid, true).commit({4, before, 44}, super.checkpoint, {}, 0);
    store::journal(directory, 1, super.uuid, true).commit({5, 2 * mib, 55}, 44, {}, 0);
    EXPECT_TRUE(cannot_be_opened(errc::damaged, "jrnl.1"));
    const verify_report report = store_maintenance::verify(path());
    EXPECT_EQ(report.damages, 1u);
    EXPECT_EQ(report.findings.front().part, store_section::journal);
  }
}

TEST_F(a_bad_store, may_have_files_of_another_store) {
  make_store();
  std::filesystem::rename(path(), path("other"));
  make_store();
  for (const char* file : {"heap.000", "crc", "jrnl.0", "jrnl.1"}) {
    std::filesystem::copy_file(path() / file, path("aside"));
    std::filesystem::copy_file(path("other") / file, path() / file,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(cannot_be_opened(errc::damaged, "another store")) << file;
    std::filesystem::remove(path() / file);
    std::filesystem::rename(path("aside"), path() / file);
  }
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, may_have_symbolic_links_for_files) {
  make_store();
  for (const std::string file : {"super", "heap.000", "crc", "jrnl.1", "LOCK"}) {
    std::filesystem::rename(path() / file, path("aside"));
    std::filesystem::create_symlink(path("aside"), path() / file);
    EXPECT_TRUE(fails_with(errc::damaged, "symbolic link", [&] { datastore::open(path()); })) << file;
    // Readers do not look at LOCK.
    EXPECT_TRUE(file == "LOCK" || cannot_be_opened(errc::damaged, "symbolic link")) << file;
    std::filesystem::remove(path() / file);
    std::filesystem::rename(path("aside"), path() / file);
  }
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, may_have_something_else_than_files) {
  make_store();
  const std::filesystem::path fifo = path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::filesystem::path directory = path("directory");
  std::filesystem::create_directory(directory);
  for (const std::string file : {"super", "heap.000", "crc", "jrnl.0", "jrnl.1", "LOCK"}) {
    // Readers do not look at LOCK.
    const bool is_for_writers = file == "LOCK";
    std::filesystem::rename(path() / file, path("aside"));
    std::filesystem::rename(fifo, path() / file);
    EXPECT_TRUE(fails_with(errc::damaged, "a FIFO, socket, device or directory stands", [&] {
      datastore::open(path());
    })) << file;
    EXPECT_TRUE(is_for_writers ||
                cannot_be_opened(errc::damaged, "a FIFO, socket, device or directory stands"))
        << file;
    EXPECT_NE(is_found_damaged(), is_for_writers) << file;
    std::filesystem::rename(path() / file, fifo);
    std::filesystem::rename(directory, path() / file);
    EXPECT_THROW(datastore::open(path()), error) << file;
    EXPECT_TRUE(is_for_writers || code_of([&] { datastore::open_read_only(path()); }) != errc::ok) << file;
    std::filesystem::rename(path() / file, directory);
    std::filesystem::rename(path("aside"), path() / file);
  }
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, may_be_removed_with_what_is_no_file) {
  for (const char* file : {"heap.000", "crc", "jrnl.0", "jrnl.1"}) {
    make_store();
    std::filesystem::remove(path() / file);
    ASSERT_EQ(::mkfifo((path() / file).c_str(), 0600), 0);
    EXPECT_TRUE(store_maintenance::remove(path())) << file;
    EXPECT_FALSE(std::filesystem::exists(path())) << file;
  }
}

TEST_F(a_bad_store, may_have_a_damaged_table_of_checksums) {
  make_store();
  flip("crc", 4096 + 100);
  const auto store = datastore::open(path());
  fill_page(store->memory().base() + page_size, 9);
  EXPECT_TRUE(fails_with(errc::damaged, "table page 0", [&] { store->checkpoint(); }));
}

TEST_F(a_bad_store, may_be_without_its_lock_file) {
  make_store();
  std::filesystem::remove(path() / "LOCK");
  EXPECT_NO_THROW(datastore::open_read_only(path()));
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, may_be_on_a_read_only_file_system) {
  make_store();
  std::filesystem::create_directory(path("mounted"));
  if (::geteuid() != 0 ||
      ::mount(path().parent_path().c_str(), path("mounted").c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  const std::filesystem::path there = path("mounted");
  ASSERT_EQ(::mount(nullptr, there.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr), 0);
  EXPECT_TRUE(fails_with(errc::permission_denied, "read-only", [&] { datastore::open(there / "store"); }));
  EXPECT_TRUE(fails_with(errc::permission_denied, "read-only",
                         [&] { datastore::create(there / "new", small_store()); }));
  {
    const auto store = datastore::open_read_only(there / "store");
    EXPECT_TRUE(holds(store->memory().base() + page_size, 3));
    const auto second = datastore::open_read_only(there / "store");
  }
  ASSERT_EQ(::umount(there.c_str()), 0);
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, would_be_in_a_directory_that_every_user_may_write_to) {
  using std::filesystem::perms;
  make_store();
  for (const bool in_place : {false, true}) {
    store::make_stores_in_place(in_place);
    const std::filesystem::path open_to_all = path("open to all");
    std::filesystem::create_directory(open_to_all);
    std::filesystem::permissions(open_to_all, perms::all | perms::sticky_bit);
    const auto is_refused = [&](const std::function<void()>& create) {
      return fails_with(errc::permission_denied, "every user may write", create) &&
             std::filesystem::is_empty(open_to_all);
    };
    EXPECT_TRUE(is_refused([&] { datastore::create(open_to_all, small_store()); }));
    EXPECT_TRUE(is_refused([&] { store_maintenance::copy(path(), open_to_all); }));

    store_options wanted = small_store();
    wanted.others_may_write = true;
    EXPECT_NO_THROW(datastore::create(open_to_all, wanted));
    EXPECT_EQ(std::filesystem::status(open_to_all).permissions(), perms::all | perms::sticky_bit);
    std::filesystem::remove_all(open_to_all);

    // A project's directory, for all its members.
    std::filesystem::create_directory(open_to_all);
    std::filesystem::permissions(open_to_all, perms::owner_all | perms::group_all | perms::set_gid);
    EXPECT_NO_THROW(datastore::create(open_to_all, small_store()));
    EXPECT_EQ(std::filesystem::status(open_to_all).permissions(),
              perms::owner_all | perms::group_all | perms::set_gid);
    std::filesystem::remove_all(open_to_all);
  }
  store::make_stores_in_place(false);
}

TEST_F(a_bad_store, may_forbid_access) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  make_store();
  std::filesystem::permissions(path(), std::filesystem::perms::none);
  EXPECT_TRUE(cannot_be_opened(errc::permission_denied, path().string()));
  std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(is_intact());
}

TEST_F(a_bad_store, growing_beyond_capacity_is_bad_alloc_and_harmless) {
  make_store();
  {
    const auto store = datastore::open(path());
    EXPECT_THROW(store->memory().grow(store->memory().capacity() + 1), std::bad_alloc);
    EXPECT_EQ(store->memory().size(), 4 * mib);
    store->memory().grow(store->memory().capacity());
  }
  EXPECT_TRUE(is_intact());
}

}  // namespace
}  // namespace perdure
