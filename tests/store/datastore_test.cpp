// What a datastore promises when nothing goes wrong.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <vector>

#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "store/tested_backing.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

class a_datastore : public scratch_test {};

TEST_F(a_datastore, uses_the_tracker_it_is_told_to) {
  const auto store = tested::create(path(), small_store());
  const char* wish = std::getenv("PERDURE_TRACKER");
  if (wish != nullptr && *wish != 0) {
    EXPECT_EQ(store->tracker(), wish);
  } else {
    EXPECT_NE(store->tracker(), "none");
  }
}

TEST_F(a_datastore, keeps_what_was_checkpointed) {
  {
    const auto store = tested::create(path(), small_store());
    EXPECT_EQ(store->epoch(), 0u);
    EXPECT_EQ(store->memory().size(), 0u);
    store->memory().grow(8 * mib);
    for (std::uint64_t page = 0; page < 1000; page += 3) put(*store, page, page + 1);
    store->checkpoint();
    EXPECT_EQ(store->epoch(), 1u);
  }
  const auto store = tested::open(path());
  EXPECT_EQ(store->epoch(), 1u);
  EXPECT_EQ(store->memory().size(), 8 * mib);
  for (std::uint64_t page = 0; page < 1000; ++page)
    EXPECT_TRUE(has(*store, page, page % 3 == 0 ? page + 1 : 0));
}

TEST_F(a_datastore, forgets_what_was_not_checkpointed) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(4 * mib);
    put(*store, 7, 1);
    store->checkpoint();
    put(*store, 7, 2);
    put(*store, 8, 3);
    store->memory().grow(64 * mib);
    put(*store, 15000, 4);
  }
  const auto store = tested::open(path());
  EXPECT_EQ(store->memory().size(), 4 * mib);
  EXPECT_TRUE(has(*store, 7, 1));
  EXPECT_TRUE(has(*store, 8, 0));
}

TEST_F(a_datastore, commits_only_what_changed) {
  const auto store = tested::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 1, 1);
  store->checkpoint();
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 1u) << "nothing had changed";
  put(*store, 1, 2);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
  store->memory().grow(6 * mib);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 3u) << "growth is a change";
}

TEST_F(a_datastore, finds_nothing_changed_after_reopening) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(8 * mib);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  const auto store = tested::open(path());
  // Some pages read, most not touched at all.
  for (std::uint64_t page = 0; page < 1000; page += 50) EXPECT_TRUE(has(*store, page, page + 1));
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 1u);
}

TEST_F(a_datastore, keeps_single_byte_stores_of_many_epochs) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(16 * mib);
    for (int epoch = 1; epoch <= 20; ++epoch) {
      for (int i = 0; i < 50; ++i) {
        store->memory()
            .base()[static_cast<std::size_t>(mix(static_cast<std::uint64_t>(epoch * 64 + i)) % (16 * mib))] =
            std::byte{static_cast<unsigned char>(epoch)};
      }
      store->checkpoint();
    }
  }
  std::vector<std::byte> expected(16 * mib);
  for (int epoch = 1; epoch <= 20; ++epoch) {
    for (int i = 0; i < 50; ++i) {
      expected[static_cast<std::size_t>(mix(static_cast<std::uint64_t>(epoch * 64 + i)) % (16 * mib))] =
          std::byte{static_cast<unsigned char>(epoch)};
    }
  }
  const auto store = tested::open(path());
  EXPECT_EQ(std::memcmp(store->memory().base(), expected.data(), expected.size()), 0);
}

TEST_F(a_datastore, can_be_made_of_several_files) {
  store_options options = small_store();
  options.home_file_size = 2 * mib;
  {
    const auto store = tested::create(path(), options);
    store->memory().grow(9 * mib);
    for (std::uint64_t page = 500; page < 2560; ++page) put(*store, page, page);
    store->checkpoint();
    for (std::uint64_t page = 510; page < 520; ++page) put(*store, page, page + 1);
    store->checkpoint();
    EXPECT_EQ(store->info().home_files, 5u);
  }
  const auto store = tested::open(path());
  EXPECT_EQ(store->memory().size(), 10 * mib);
  for (std::uint64_t page = 500; page < 2560; ++page) {
    EXPECT_TRUE(has(*store, page, page >= 510 && page < 520 ? page + 1 : page));
  }
}

TEST_F(a_datastore, makes_pages_zero_again) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 64; ++page) put(*store, page, page + 1);
    store->checkpoint();
    for (std::uint64_t page = 8; page < 40; ++page) put(*store, page, 0);
    store->checkpoint();
    put(*store, 9, 77);
    store->checkpoint();
  }
  const auto store = tested::open(path());
  for (std::uint64_t page = 0; page < 64; ++page) {
    EXPECT_TRUE(has(*store, page, page == 9 ? 77 : page >= 8 && page < 40 ? 0 : page + 1));
  }
}

TEST_F(a_datastore, gives_released_pages_back_to_the_disk) {
  const auto store = tested::create(path(), small_store());
  store->memory().grow(16 * mib);
  for (std::uint64_t page = 0; page < 4096; ++page) put(*store, page, page + 1);
  store->checkpoint();
  store->wait_applied();
  const std::size_t before = store->info().disk_bytes;
  const detail::page_run gone{1024, 2048};
  store->memory().discard(gone);
  store->checkpoint(std::span(&gone, 1));
  store->wait_applied();
  EXPECT_LT(store->info().disk_bytes + 7 * mib, before);
  // Used again, in part.
  for (std::uint64_t page = 2000; page < 2100; ++page) put(*store, page, page + 9);
  store->checkpoint();
  store->close();
  const auto again = tested::open(path());
  for (std::uint64_t page = 0; page < 1024; ++page) EXPECT_TRUE(has(*again, page, page + 1));
  for (std::uint64_t page = 2000; page < 2100; ++page) EXPECT_TRUE(has(*again, page, page + 9));
  for (std::uint64_t page = 3072; page < 4096; ++page) EXPECT_TRUE(has(*again, page, page + 1));
}

TEST_F(a_datastore, refuses_released_pages_outside_the_segment) {
  const auto store = tested::create(path(), small_store());
  store->memory().grow(2 * mib);
  const detail::page_run outside{500, 13};
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "outside", [&] { store->checkpoint(std::span(&outside, 1)); }));
}

TEST_F(a_datastore, describes_itself) {
  const auto store = tested::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 0, 1);
  store->checkpoint();
  store->wait_applied();
  for (const store_info& info : {store->info(), store_maintenance::inspect(path())}) {
    EXPECT_EQ(info.format_version, 2u);
    EXPECT_EQ(info.epoch, 1u);
    EXPECT_EQ(info.applied_epoch, 1u);
    EXPECT_EQ(info.capacity, gib);
    EXPECT_EQ(info.size, 4 * mib);
    EXPECT_EQ(info.home_files, 1u);
    EXPECT_EQ(info.home_file_size % (2 * mib), 0u);
    EXPECT_GE(info.home_file_size, info.size);
    EXPECT_EQ(info.compat_features, 0u);
    EXPECT_EQ(info.read_only_compat_features, 0u);
    EXPECT_EQ(info.incompat_features, perdure::store::layout::incompat_identities);
    EXPECT_EQ(info.copied_epoch, 0u);
    EXPECT_EQ(info.uuid.size(), 36u);
    EXPECT_FALSE(info.open_dirty);
    EXPECT_FALSE(info.pinned);
    EXPECT_NE(info.abi.find("64-bit pointers"), std::string::npos);
    EXPECT_GT(info.disk_bytes, 0u);
  }
  struct stat status;
  ASSERT_EQ(::stat((path() / "heap.000").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0077, 0u) << "others may not read a store's files";
  put(*store, 1, 1);
  store->checkpoint();
  EXPECT_EQ(store->info().epoch, 2u);
}

TEST_F(a_datastore, tells_whether_it_is_a_copy_or_a_part_of_a_set) {
  {
    store_options options = store_of_files(4 * mib);
    options.last_decided = 0;
    const auto store = datastore::create(path(), options);
    EXPECT_EQ(store->info().home_file_size, 4 * mib);
    EXPECT_EQ(store->info().read_only_compat_features, perdure::store::layout::read_only_compat_joint);
  }
  store_maintenance::copy(path(), path("copy"));
  EXPECT_EQ(store_maintenance::inspect(path("copy")).compat_features, perdure::store::layout::compat_copied);
}

TEST_F(a_datastore, may_be_opened_through_a_symbolic_link_and_with_a_trailing_slash) {
  tested::create(path().string() + "/", small_store())->close();
  std::filesystem::create_directory_symlink(path(), path("link"));
  EXPECT_EQ(tested::open(path("link").string() + "/")->epoch(), 0u);
}

TEST_F(a_datastore, is_shared_by_readers) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(2 * mib);
    put(*store, 3, 3);
    store->checkpoint();
  }
  const auto first = datastore::open_read_only(path());
  const auto second = datastore::open_read_only(path());
  EXPECT_TRUE(first->read_only());
  EXPECT_TRUE(first->memory().read_only());
  EXPECT_TRUE(has(*first, 3, 3));
  EXPECT_TRUE(has(*second, 3, 3));
  EXPECT_TRUE(fails_with(errc::in_use, "open for reading", [&] { tested::open(path()); }));
  EXPECT_TRUE(fails_with(errc::read_only, "reading", [&] { first->checkpoint(); }));
  EXPECT_THROW(first->memory().grow(8 * mib), std::bad_alloc);
}

TEST_F(a_datastore, has_one_writer_and_names_it) {
  const auto store = tested::create(path(), small_store());
  const std::string holder = "this process has it open";
  EXPECT_TRUE(fails_with(errc::in_use, holder, [&] { tested::open(path()); }));
  EXPECT_TRUE(fails_with(errc::in_use, holder, [&] { datastore::open_read_only(path()); }));
  store->close();
  EXPECT_NO_THROW(tested::open(path()));
}

TEST_F(a_datastore, fails_its_checkpoints_once_it_has_been_removed) {
  for (const backing how : {backing::private_memory, backing::paged, backing::shared_file}) {
    store_options options = small_store();
    options.backing = how;
    const auto store = tested::create(path(), options);
    store->memory().grow(2 * mib);
    put(*store, 1, 1);
    store->checkpoint();
    std::filesystem::rename(path(), path("moved"));
    EXPECT_NO_THROW(store->checkpoint());
    std::filesystem::remove_all(path("moved"));
    EXPECT_TRUE(fails_with(errc::conflict, "has been removed", [&] { store->checkpoint(); }));
    put(*store, 1, 2);
    EXPECT_TRUE(fails_with(errc::conflict, "has been removed", [&] { store->checkpoint(); }));
    EXPECT_TRUE(has(*store, 1, 2));
  }
}

TEST_F(a_datastore, is_out_of_use_when_closed) {
  const auto store = tested::create(path(), small_store());
  store->close();
  store->close();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { store->checkpoint(); }));
}

TEST_F(a_datastore, has_no_memory_to_trim_when_closed) {
  const auto store = datastore::create(path(), small_store());
  store->close();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { store->trim(); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { store->prepare({}, "label"); }));
}

TEST_F(a_datastore, cannot_be_checkpointed_by_a_forked_child) {
  auto store = tested::create(path(), small_store());
  store->memory().grow(2 * mib);
  put(*store, 1, 1);
  store->checkpoint();
  EXPECT_TRUE(in_another_process([&] {
    const bool is_refused = code_of([&] { store->checkpoint(); }) == errc::invalid_argument;
    store.reset();
    return is_refused ? 0 : 1;
  }));
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { tested::open(path()); }))
      << "the parent still holds the lock";
  put(*store, 2, 2);
  store->checkpoint();
  store->close();
  const auto again = tested::open(path());
  EXPECT_TRUE(has(*again, 1, 1));
  EXPECT_TRUE(has(*again, 2, 2));
}

TEST_F(a_datastore, stays_at_its_address_when_pinned) {
  store_options options = small_store();
  options.pinned = true;
  std::byte* base = nullptr;
  {
    const auto store = tested::create(path(), options);
    base = store->memory().base();
    EXPECT_EQ(store->info().address, reinterpret_cast<std::uintptr_t>(base));
    store->memory().grow(2 * mib);
    put(*store, 5, 5);
    store->checkpoint();
  }
  {
    const auto store = tested::open(path());
    EXPECT_EQ(store->memory().base(), base);
    EXPECT_TRUE(has(*store, 5, 5));
  }
  void* const squatter =
      ::mmap(base + gib / 2, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_NE(squatter, MAP_FAILED);
  EXPECT_TRUE(fails_with(errc::address_taken, "pinned", [&] { tested::open(path()); }));
  ::munmap(squatter, page_size);
  EXPECT_EQ(tested::open(path())->memory().base(), base);
}

TEST_F(a_datastore, can_be_pinned_where_the_program_wants) {
  store_options options = small_store();
  options.pinned = true;
  // An address that is free in this process, whatever a sanitizer has put where.
  options.address = tested::create(path("other"), options)->memory().base();
  const auto store = tested::create(path(), options);
  EXPECT_EQ(store->memory().base(), options.address);
}

TEST_F(a_datastore, lives_in_its_files_with_the_shared_backing) {
  store_options options = small_store();
  options.backing = backing::shared_file;
  {
    const auto store = tested::create(path(), options);
    EXPECT_EQ(store->tracker(), "none");
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, page + 1);
    EXPECT_TRUE(store_maintenance::inspect(path()).open_dirty);
    store->checkpoint();
    put(*store, 100, 101);
    store->close();
  }
  EXPECT_FALSE(store_maintenance::inspect(path()).open_dirty);
  {
    // Changed through the other backing, whose table of checksums knows nothing of what is there.
    const auto store = tested::open(path());
    EXPECT_EQ(store->memory().size(), 4 * mib);
    for (std::uint64_t page = 0; page <= 100; ++page) EXPECT_TRUE(has(*store, page, page + 1));
    put(*store, 5, 500);
    put(*store, 6, 0);
    put(*store, 700, 700);
    store->checkpoint();
  }
  const auto store = tested::open(path(), options);
  EXPECT_TRUE(has(*store, 4, 5));
  EXPECT_TRUE(has(*store, 5, 500));
  EXPECT_TRUE(has(*store, 6, 0));
  EXPECT_TRUE(has(*store, 700, 700));
}

TEST_F(a_datastore, that_died_in_shared_use_is_refused_unless_accepted) {
  store_options options = small_store();
  options.backing = backing::shared_file;
  EXPECT_EQ(result_of_child([&] {
              const auto store = tested::create(path(), options);
              store->memory().grow(2 * mib);
              put(*store, 1, 1);
              store->checkpoint();
              return ::kill(::getpid(), SIGKILL);
            }),
            128 + SIGKILL);
  EXPECT_TRUE(store_maintenance::inspect(path()).open_dirty);
  EXPECT_TRUE(fails_with(errc::damaged, "not closed", [&] { tested::open(path()); }));
  EXPECT_TRUE(fails_with(errc::damaged, "not closed", [&] { datastore::open_read_only(path()); }));
  options.accept_unclean = true;
  const auto store = tested::open(path(), options);
  EXPECT_TRUE(has(*store, 1, 1));
}

TEST_F(a_datastore, takes_the_default_capacity_where_address_space_is_plenty) {
  std::unique_ptr<datastore> store;
  try {
    store = tested::create(path());
  } catch (const error& failure) {
    ASSERT_EQ(failure.code(), errc::out_of_memory);
    GTEST_SKIP() << "no 1 TiB of address space here: " << failure.what();
  }
  store->memory().grow(2 * mib);
  put(*store, 1, 1);
  store->checkpoint();
}

TEST_F(a_datastore, gets_a_higher_capacity_when_nobody_has_it_open) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(4 * mib);
    put(*store, 7, 1);
    store->checkpoint();
    EXPECT_TRUE(fails_with(errc::in_use, "", [&] { store_maintenance::raise_capacity(path(), 3 * gib); }));
  }
  EXPECT_EQ(store_maintenance::raise_capacity(path(), 2 * gib + 1), 2 * gib + 1);
  EXPECT_EQ(store_maintenance::inspect(path()).capacity, 2 * gib + 1);
  EXPECT_EQ(store_maintenance::raise_capacity(path(), gib), 2 * gib + 1);
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  // Persistent memory is taken when the segment grows, and there is not much of it.
  const std::size_t beyond = tested::in_persistent_memory() ? 8 * mib : 2 * gib;
  {
    const auto store = tested::open(path());
    EXPECT_EQ(store->memory().limit(), 2 * gib + 1);
    EXPECT_EQ(store->memory().capacity(), store->info().address_space);
    EXPECT_TRUE(has(*store, 7, 1));
    store->memory().grow(beyond + 2 * mib);
    put(*store, beyond / page_size, 5);
    store->checkpoint();
  }
  EXPECT_TRUE(has(*tested::open(path()), beyond / page_size, 5));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "capacity",
                         [&] { store_maintenance::raise_capacity(path(), ~std::size_t{0}); }));
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { store_maintenance::raise_capacity(path("none"), gib); }));
}

}  // namespace
}  // namespace perdure
