// Creating, opening, flushing, growing and removing.
#include <unistd.h>

#include <fstream>
#include <perdure/store_maintenance.hpp>
#include <perdure_interprocess/file_mapping.hpp>
#include <stdexcept>
#include <utility>

#include "compat/interprocess/interprocess_fixture.hpp"
#include "support/child_process.hpp"

namespace perdure {
namespace {

using file_test = empty_path_test;

int value_in(bip::managed_mapped_file& file) {
  int* const found = file.find<int>("x").first;
  return found == nullptr ? -1 : *found;
}

TEST_F(file_test, CreateOnlyRefusesAStoreThatExists) {
  { bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536); }
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ(thrown_by([&] { bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536); }),
            bip::already_exists_error);
}

TEST_F(file_test, OpenOnlyRefusesAMissingOrABusyStore) {
  EXPECT_EQ(thrown_by([&] { bip::managed_mapped_file file(bip::open_only, path.c_str()); }),
            bip::not_found_error);
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
    file.construct<int>("x")(7);
  }
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_EQ(value_in(file), 7);
  EXPECT_EQ(thrown_by([&] { bip::managed_mapped_file second(bip::open_only, path.c_str()); }),
            bip::busy_error);
}

TEST_F(file_test, OpenOrCreateFindsWhatEarlierRunsLeft) {
  for (int run = 0; run < 3; ++run) {
    bip::managed_mapped_file file(bip::open_or_create, path.c_str(), 65536);
    EXPECT_EQ((*file.find_or_construct<int>("runs")(0))++, run);
  }
}

TEST_F(file_test, ReadersShareAStoreAndChangeNothing) {
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
    file.construct<int>("x")(7);
  }
  bip::managed_mapped_file file(bip::open_read_only, path.c_str());
  bip::managed_mapped_file second(bip::open_read_only, path.c_str());
  EXPECT_EQ(value_in(file), 7);
  EXPECT_EQ(value_in(second), 7);
  EXPECT_EQ(thrown_by([&] { file.construct<int>("y")(1); }), bip::read_only_error);
  EXPECT_EQ(thrown_by([&] { file.destroy<int>("x"); }), bip::read_only_error);
  EXPECT_EQ(thrown_by([&] { (void)file.allocate(8); }), bip::read_only_error);
  bip::managed_mapped_file::multiallocation_chain chain;
  EXPECT_EQ(thrown_by([&] { file.allocate_many(8, 2, chain); }), bip::read_only_error);
  EXPECT_EQ(file.allocate(8, std::nothrow), nullptr);
  EXPECT_TRUE(file.check_sanity());
  EXPECT_TRUE(file.flush());
}

TEST_F(file_test, CopyOnWriteKeepsChangesOutOfTheStore) {
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
    file.construct<int>("x")(7);
  }
  {
    bip::managed_mapped_file file(bip::open_copy_on_write, path.c_str());
    *file.find<int>("x").first = 8;
    file.construct<int>("y")(9);
    EXPECT_EQ(value_in(file), 8);
    EXPECT_FALSE(file.flush());
    bip::managed_mapped_file other(bip::open_read_only, path.c_str());
    EXPECT_EQ(value_in(other), 7);
  }
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_EQ(value_in(file), 7);
  EXPECT_EQ(file.find<int>("y").first, nullptr);
}

TEST_F(file_test, WhatIsNoStoreIsAPathError) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(thrown_by([&] { bip::managed_mapped_file file(bip::open_only, path.c_str()); }), bip::path_error);
  try {
    bip::managed_mapped_file file(bip::open_only, path.c_str());
    FAIL();
  } catch (const store_exception& failure) {
    EXPECT_EQ(failure.reason(), errc::not_a_store);
    EXPECT_NE(std::string(failure.what()).find(path), std::string::npos);
  }
}

TEST_F(file_test, FlushIsACheckpoint) {
  // The child ends without destructors: what it did after the flush is lost.
  ASSERT_TRUE(in_another_process([&] {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
    int* const x = file.construct<int>("x")(7);
    if (!file.flush()) return 1;
    *x = 8;
    ::_exit(0);
  }));
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_EQ(value_in(file), 7);
}

TEST_F(file_test, KeepsWhatWasStoredWhenAnExceptionEndsIt) {
  EXPECT_THROW(
      {
        bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
        file.construct<int>("x")(7);
        throw std::runtime_error("ends the file's life");
      },
      std::runtime_error);
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_EQ(value_in(file), 7);
}

TEST_F(file_test, AFileMayBeEmptyMovedAndSwapped) {
  bip::managed_mapped_file none;
  EXPECT_EQ(none.get_segment_manager(), nullptr);
  EXPECT_EQ(thrown_by([&] { none.find<int>("x"); }), bip::invalid_argument);
  EXPECT_EQ(thrown_by([&] { (void)none.get_size(); }), bip::invalid_argument);
  bip::managed_mapped_file first(bip::create_only, path.c_str(), 65536);
  int* const x = first.construct<int>("x")(7);
  bip::managed_mapped_file second(std::move(first));
  EXPECT_EQ(second.find<int>("x").first, x);
  none = std::move(second);
  EXPECT_EQ(none.find<int>("x").first, x);
  second.swap(none);
  EXPECT_EQ(second.find<int>("x").first, x);
  swap(first, second);
  EXPECT_EQ(first.find<int>("x").first, x);
  first = bip::managed_mapped_file();
  bip::managed_mapped_file again(bip::open_only, path.c_str());
  EXPECT_EQ(value_in(again), 7);
}

TEST_F(file_test, SizeIsWhatWasAskedFor) {
  constexpr std::size_t kib = 1024;
  std::size_t free_before = 0;
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 640 * kib);
    EXPECT_EQ(file.get_size(), 640 * kib);
    EXPECT_EQ(file.get_segment_manager()->get_size(), 640 * kib);
    free_before = file.get_free_memory();
    EXPECT_LT(free_before, 640 * kib);
    EXPECT_EQ(file.get_segment_manager()->get_free_memory(), free_before);
    EXPECT_TRUE(file.all_memory_deallocated());
  }
  EXPECT_TRUE(bip::managed_mapped_file::grow(path.c_str(), 640 * kib));
  {
    bip::managed_mapped_file file(bip::open_or_create, path.c_str(), 64 * kib);
    EXPECT_EQ(file.get_size(), 1280 * kib);
    EXPECT_GT(file.get_free_memory(), free_before);
    file.construct<char>("much")[1280 * kib]('a');
    EXPECT_GT(file.get_size(), 1280 * kib) << "blocks have other sizes than Boost's";
    EXPECT_EQ(file.get_free_memory(), 0U);
    EXPECT_EQ(file.construct<char>("more", std::nothrow)[640 * kib]('a'), nullptr);
    file.destroy<char>("much");
    EXPECT_EQ(file.get_size(), 1280 * kib);
  }
  EXPECT_TRUE(bip::managed_mapped_file::shrink_to_fit(path.c_str()));
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_LT(file.get_size(), 1280 * kib);
  EXPECT_LT(file.get_free_memory(), free_before);
}

TEST_F(file_test, AFileOf64KiBHoldsWhatItHoldsWithBoost) {
  constexpr std::size_t kib = 1024;
  const auto fill = [](bip::managed_mapped_file& file, std::size_t bytes) {
    std::size_t blocks = 0;
    while (file.allocate(bytes, std::nothrow) != nullptr) ++blocks;
    return blocks * bytes;
  };
  // A block of 1000 bytes has 1008 with Boost, one of 129 bytes 144.
  for (const std::size_t bytes : {std::size_t{40}, std::size_t{129}, std::size_t{1000}}) {
    {
      bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 * kib);
    }
    bip::managed_mapped_file file(bip::open_only, path.c_str());
    const std::size_t taken = fill(file, bytes);
    EXPECT_GE(taken, 64 * kib * bytes / ((bytes + 8 + 15) / 16 * 16)) << bytes;
    EXPECT_LE(taken, 2 * 64 * kib) << bytes;
    EXPECT_EQ(file.get_free_memory(), 0U);
    EXPECT_THROW((void)file.allocate(bytes), bip::bad_alloc);
    EXPECT_THROW(file.construct<char>("more")[4096]('a'), bip::bad_alloc);
    file = bip::managed_mapped_file();
    EXPECT_TRUE(bip::managed_mapped_file::grow(path.c_str(), 64 * kib));
    file = bip::managed_mapped_file(bip::open_only, path.c_str());
    EXPECT_GE(file.get_free_memory(), 64 * kib);
    const std::size_t added = fill(file, bytes);
    EXPECT_GE(added, 64 * kib * bytes / ((bytes + 8 + 15) / 16 * 16)) << bytes;
    EXPECT_LE(added, 3 * 64 * kib) << bytes;
    file = bip::managed_mapped_file();
    EXPECT_TRUE(bip::file_mapping::remove(path.c_str()));
  }
}

TEST_F(file_test, GrowRaisesTheCapacity) {
  EXPECT_FALSE(bip::managed_mapped_file::grow(path.c_str(), 65536));
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
    EXPECT_EQ(file.allocate(gib, std::nothrow), nullptr);
    EXPECT_THROW((void)file.allocate(gib), bip::bad_alloc);
    EXPECT_FALSE(bip::managed_mapped_file::grow(path.c_str(), 65536));
  }
  EXPECT_TRUE(bip::managed_mapped_file::grow(path.c_str(), gib + 1));
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_EQ(file.get_size(), 65536 + gib + 1);
  EXPECT_NE(file.allocate(gib, std::nothrow), nullptr);
  EXPECT_FALSE(bip::managed_mapped_file::grow(path.c_str(), ~std::size_t{0}));
}

TEST_F(file_test, ShrinkToFitGivesDiskSpaceBack) {
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 << 20);
    file.construct<int>("x")(7);
    file.construct<char>("much")[32 << 20]('a');
    EXPECT_TRUE(file.flush());
    file.destroy<char>("much");
  }
  const std::size_t before = store_maintenance::inspect(path).disk_bytes;
  EXPECT_TRUE(bip::managed_mapped_file::shrink_to_fit(path.c_str()));
  EXPECT_LT(store_maintenance::inspect(path).disk_bytes + (30 << 20), before);
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  EXPECT_EQ(value_in(file), 7);
  EXPECT_FALSE(bip::managed_mapped_file::shrink_to_fit(path.c_str()));
}

TEST_F(file_test, AnAddressIsKept) {
#if defined(__SANITIZE_THREAD__)
  constexpr std::uintptr_t free_place = 96 * gib;  // of the little that ThreadSanitizer leaves
#else
  constexpr std::uintptr_t free_place = 50 * 1024 * gib;
#endif
  void* const address = reinterpret_cast<void*>(free_place);
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536, address);
    EXPECT_EQ(file.get_address(), address);
    file.construct<int>("x")(7);
  }
  {
    bip::managed_mapped_file file(bip::open_only, path.c_str(), address);
    EXPECT_EQ(file.get_address(), address);
    EXPECT_EQ(value_in(file), 7);
  }
  EXPECT_EQ(thrown_by([&] {
              bip::managed_mapped_file file(bip::open_only, path.c_str(), static_cast<char*>(address) + gib);
            }),
            bip::busy_error);
  EXPECT_EQ(thrown_by([&] {
              bip::managed_mapped_file file(bip::create_only, (path + "2").c_str(), 65536,
                                            static_cast<char*>(address) + 4096);
            }),
            bip::invalid_argument);
}

TEST_F(file_test, PermissionsAreAccepted) {
  bip::permissions all;
  all.set_unrestricted();
  bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536, nullptr, all);
  EXPECT_NE(file.construct<int>("x")(1), nullptr);
}

TEST_F(file_test, RemoveKnowsStoresAndFiles) {
  EXPECT_FALSE(bip::file_mapping::remove(path.c_str()));
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
    EXPECT_FALSE(bip::file_mapping::remove(path.c_str()));
  }
  EXPECT_TRUE(bip::file_mapping::remove(path.c_str()));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "text";
  EXPECT_TRUE(bip::file_mapping::remove(path.c_str()));
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    const bip::remove_file_on_destroy remover(path.c_str());
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(file_test, TheFixedVariantKeepsPlainPointers) {
  struct node {
    int value;
    node* next;
  };
  using file_type =
      bip::basic_managed_mapped_file<char, bip::rbtree_best_fit<bip::mutex_family, void*>, bip::iset_index>;
  {
    file_type file(bip::create_only, path.c_str(), 65536);
    node* const tail = file.construct<node>(bip::anonymous_instance)(2, nullptr);
    file.construct<node>("head")(1, tail);
    const file_type::allocator<int>::type numbers = file.get_allocator<int>();
    static_assert(std::is_same_v<decltype(numbers)::pointer, int*>);
  }
  // Its place in the address space is chosen anew only when the store is created.
  bip::fixed_managed_mapped_file file(bip::open_only, path.c_str());
  const node* const head = file.find<node>("head").first;
  ASSERT_NE(head, nullptr);
  EXPECT_EQ(head->next->value, 2);
}

TEST_F(file_test, PerduresOwnInterfaceMayBeUsedBeside) {
  bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
  file.construct<int>("x")(1);
  file.store().checkpoint("first");
  file.store().checkpoint_async("second").wait();
  file.store().snapshot(path + ".copy");
  bip::managed_mapped_file copy(bip::open_only, (path + ".copy").c_str());
  EXPECT_EQ(value_in(copy), 1);
  // Closed by the other interface: this one says so, and other stores are not concerned.
  file.store().close();
  EXPECT_EQ(file.get_segment_manager(), nullptr);
  EXPECT_EQ(thrown_by([&] { (void)value_in(file); }), bip::invalid_argument);
  EXPECT_EQ(thrown_by([&] { (void)file.get_size(); }), bip::invalid_argument);
  EXPECT_FALSE(file.flush());
  EXPECT_EQ(value_in(copy), 1);
}

}  // namespace
}  // namespace perdure
