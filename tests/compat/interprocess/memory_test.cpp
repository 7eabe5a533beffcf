// Raw memory, handles, offset pointers and the allocator's own interface.
#include <algorithm>
#include <cstring>
#include <memory>
#include <perdure_interprocess/allocators/adaptive_pool.hpp>
#include <perdure_interprocess/allocators/cached_adaptive_pool.hpp>
#include <perdure_interprocess/allocators/cached_node_allocator.hpp>
#include <perdure_interprocess/allocators/node_allocator.hpp>
#include <perdure_interprocess/allocators/private_adaptive_pool.hpp>
#include <perdure_interprocess/allocators/private_node_allocator.hpp>
#include <sstream>

#include "compat/interprocess/interprocess_fixture.hpp"

namespace perdure {
namespace {

using memory_test = open_file_test;

TEST_F(memory_test, DeallocateGivesBackWhatAllocateGave) {
  void* const block = file.allocate(100);
  std::memset(block, 1, 100);
  EXPECT_GE(file.get_segment_manager()->size(block), 100U);
  EXPECT_TRUE(file.belongs_to_segment(block));
  EXPECT_FALSE(file.belongs_to_segment(&block));
  EXPECT_FALSE(file.all_memory_deallocated());
  file.deallocate(block);
  EXPECT_TRUE(file.all_memory_deallocated());
  EXPECT_THROW((void)file.allocate(file.store().get_size()), bip::bad_alloc);
  EXPECT_EQ(file.allocate(~std::size_t{0}, std::nothrow), nullptr);
  EXPECT_TRUE(file.check_sanity());
}

TEST_F(memory_test, AllocateAlignedAlignsAsAsked) {
  for (std::size_t alignment = 1; alignment <= (2 << 20); alignment *= 2) {
    void* const block = file.allocate_aligned(100, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    file.deallocate(block);
  }
  EXPECT_EQ(file.allocate_aligned(1, 3, std::nothrow), nullptr);
  EXPECT_THROW((void)file.allocate_aligned(1, gib), bip::bad_alloc);
  EXPECT_NE(file.allocate_aligned(1, 64, std::nothrow), nullptr);
}

TEST_F(memory_test, FreeMemoryShrinksAsBlocksAreAllocated) {
  EXPECT_GE(file.get_size(), 65536U);
  const std::size_t before = file.get_free_memory();
  EXPECT_LE(before, file.get_size());
  (void)file.allocate(10 << 20);
  EXPECT_LT(file.get_free_memory(), before);
  EXPECT_EQ(file.get_segment_manager()->get_size(), file.get_size());
  EXPECT_EQ(file.get_segment_manager()->get_free_memory(), file.get_free_memory());
  EXPECT_LE(segment_manager::get_min_size(), 65536U);
}

TEST_F(memory_test, HandlesNameAddressesInEveryRun) {
  int* const x = file.construct<int>("x")(7);
  const bip::managed_mapped_file::handle_t handle = file.get_handle_from_address(x);
  EXPECT_EQ(file.get_address_from_handle(handle), x);
  EXPECT_EQ(file.get_address_from_handle(0), file.get_address());
  file = bip::managed_mapped_file();
  bip::managed_mapped_file other(bip::create_only, (path + "2").c_str(), 65536);  // takes the old place
  file = bip::managed_mapped_file(bip::open_only, path.c_str());
  EXPECT_EQ(*static_cast<int*>(file.get_address_from_handle(handle)), 7);
}

TEST_F(memory_test, FreeMemoryIsZeroed) {
  auto* const block = static_cast<unsigned char*>(file.allocate(5000));
  std::memset(block, 0xab, 5000);
  file.deallocate(block);
  file.zero_free_memory();
  EXPECT_EQ(std::count(block, block + 5000, 0xab), 0);
}

TEST_F(memory_test, AllocationCommandGrowsInPlace) {
  std::size_t count = 100000;
  int* reuse = nullptr;
  int* const block = file.allocation_command<int>(bip::allocate_new, 100000, count, reuse);
  ASSERT_NE(block, nullptr);
  EXPECT_GE(count, 100000U);
  reuse = block;
  std::size_t more = 1000000;
  EXPECT_EQ(file.allocation_command<int>(bip::expand_fwd | bip::nothrow_allocation, 500000, more, reuse),
            block);
  EXPECT_EQ(reuse, block);
  EXPECT_GE(more, 500000U);
  block[more - 1] = 1;

  std::size_t fewer = 100000;
  EXPECT_EQ(file.allocation_command<int>(bip::shrink_in_place, 200000, fewer, reuse), block);
  EXPECT_LE(fewer, 200000U);
  EXPECT_GE(fewer, 100000U);

  // Something in the way: only a new block will do.
  void* const wall = file.allocate(100000 * sizeof(int));
  more = 2000000;
  EXPECT_EQ(file.allocation_command<int>(bip::expand_fwd | bip::nothrow_allocation, 2000000, more, reuse),
            nullptr);
  EXPECT_LT(more, 2000000U);
  EXPECT_THROW(file.allocation_command<int>(bip::expand_fwd, 2000000, more = 2000000, reuse), bip::bad_alloc);
  more = 2000000;
  int* const moved = file.allocation_command<int>(bip::expand_fwd | bip::allocate_new | bip::zero_memory,
                                                  2000000, more, reuse);
  EXPECT_NE(moved, block);
  EXPECT_EQ(reuse, nullptr);
  EXPECT_EQ(std::count(moved, moved + 2000000, 0), 2000000);
  file.deallocate(moved);
  file.deallocate(block);
  file.deallocate(wall);
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(memory_test, ARawAllocationCommandAllocatesElements) {
  std::size_t count = 10;
  void* reuse = nullptr;
  segment_manager& manager = *file.get_segment_manager();
  void* const block = manager.raw_allocation_command(bip::allocate_new, 10, count, reuse, 24);
  EXPECT_GE(manager.size(block), 240U);
  EXPECT_GE(count, 10U);
  EXPECT_EQ(manager.raw_allocation_command(bip::allocate_new | bip::nothrow_allocation, ~std::size_t{0},
                                           count = ~std::size_t{0}, reuse, 24),
            nullptr);
  manager.deallocate(block);
}

TEST_F(memory_test, ManyBlocksAreAllocatedAtOnce) {
  bip::managed_mapped_file::multiallocation_chain chain;
  file.allocate_many(100, 50, chain);
  EXPECT_EQ(chain.size(), 50U);
  const std::size_t lengths[] = {1, 1000, 3};
  file.allocate_many(lengths, 3, 8, chain);
  EXPECT_EQ(chain.size(), 53U);
  EXPECT_THROW(file.allocate_many(gib, 3, chain), bip::bad_alloc);
  file.allocate_many(std::nothrow, gib, 3, chain);
  const std::size_t absurd[] = {~std::size_t{0}};
  file.allocate_many(std::nothrow, absurd, 1, 8, chain);
  EXPECT_EQ(chain.size(), 53U);
  file.deallocate_many(chain);
  EXPECT_TRUE(chain.empty());
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(memory_test, TheSegmentManagerIsFoundFromAnAllocator) {
  const auto numbers = file.get_allocator<int>();
  EXPECT_EQ(numbers.get_segment_manager(), file.get_segment_manager());
  EXPECT_EQ(static_cast<const void*>(file.get_segment_manager()), file.get_address());
  bip::allocator<double, segment_manager> others(numbers);
  EXPECT_TRUE(others == numbers);
  bip::managed_mapped_file second(bip::create_only, (path + "2").c_str(), 65536);
  EXPECT_TRUE((others != bip::allocator<double, segment_manager>(second.get_segment_manager())));
  using std::swap;
  bip::allocator<double, segment_manager> theirs(second.get_segment_manager());
  swap(others, theirs);
  EXPECT_EQ(others.get_segment_manager(), second.get_segment_manager());
}

TEST_F(memory_test, AnAllocatorHasBoostsOwnFunctions) {
  auto numbers = file.get_allocator<int>();
  auto p = numbers.allocate(10);
  static_assert(std::is_same_v<decltype(p), bip::offset_ptr<int>>);
  EXPECT_GE(numbers.size(p), 10U);
  EXPECT_GT(numbers.max_size(), 10U);
  numbers.construct(p, 7);
  EXPECT_EQ(*p, 7);
  EXPECT_EQ(numbers.address(*p), p);
  numbers.destroy(p);
  numbers.deallocate(p, 10);
  p = numbers.allocate_one();
  numbers.deallocate_one(p);
  decltype(numbers)::multiallocation_chain chain;
  numbers.allocate_individual(20, chain);
  EXPECT_EQ(chain.size(), 20U);
  numbers.allocate_many(3, 5, chain);
  EXPECT_EQ(chain.size(), 25U);
  numbers.deallocate_individual(chain);
  EXPECT_THROW((void)numbers.allocate(~std::size_t{0} / 2), bip::bad_alloc);
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(memory_test, AnAllocatorOfAClosedStoreSaysSo) {
  auto numbers = file.get_allocator<int>();
  int* const block = numbers.allocate(1).get();
  file = bip::managed_mapped_file();
  EXPECT_EQ(thrown_by([&] { (void)numbers.allocate(1); }), bip::invalid_argument);
  numbers.deallocate(block, 1);
}

TEST_F(memory_test, NodeAllocatorsServe) {
  const auto use = [&]<class Allocator>(std::type_identity<Allocator>) {
    Allocator nodes(file.get_segment_manager());
    typename Allocator::template rebind<double>::other others(nodes);
    auto p = others.allocate(1);
    others.deallocate(p, 1);
    nodes.deallocate_free_blocks();
    EXPECT_EQ(others.get_segment_manager(), file.get_segment_manager());
  };
  use(std::type_identity<bip::node_allocator<int, segment_manager>>{});
  use(std::type_identity<bip::private_node_allocator<int, segment_manager, 32>>{});
  use(std::type_identity<bip::cached_node_allocator<int, segment_manager>>{});
  use(std::type_identity<bip::adaptive_pool<int, segment_manager, 64, 3, 10>>{});
  use(std::type_identity<bip::private_adaptive_pool<int, segment_manager>>{});
  use(std::type_identity<bip::cached_adaptive_pool<int, segment_manager>>{});
  bip::cached_node_allocator<int, segment_manager> cached(file.get_segment_manager(), 100);
  cached.set_max_cached_nodes(10);
  EXPECT_GE(cached.get_max_cached_nodes(), 10U);
  cached.deallocate_cache();
  EXPECT_TRUE(file.all_memory_deallocated());
}

// Boost's own has other casts, and prints its distance.
#ifndef IN_PLACE_OF_BOOST
TEST_F(memory_test, OffsetPointersAreCastAndPrinted) {
  struct base {
    int value = 1;
  };
  struct derived : base {};
  derived* const object = file.construct<derived>("d")();
  const bip::offset_ptr<derived> d = object;
  const bip::offset_ptr<base> b = d;
  EXPECT_EQ(b.get(), object);
  EXPECT_EQ(boost::static_pointer_cast<derived>(b), d);
  EXPECT_EQ(boost::const_pointer_cast<base>(bip::offset_ptr<const base>(b)), b);
  EXPECT_EQ(boost::reinterpret_pointer_cast<char>(b).get(), reinterpret_cast<char*>(object));
  std::ostringstream text, raw;
  text << b;
  raw << static_cast<const void*>(object);
  EXPECT_EQ(text.str(), raw.str());
  const bip::offset_ptr<const base, std::ptrdiff_t, std::uintptr_t, 0> reader = b;
  EXPECT_EQ(reader->value, 1);
  const bip::offset_ptr<void> none;
  EXPECT_FALSE(none);
  using pointer = bip::offset_ptr<base>;
  static_assert(std::is_same_v<pointer::rebind<int>::other, bip::offset_ptr<int>>);
  static_assert(std::is_same_v<pointer::pointer, base*>);
  static_assert(std::is_unsigned_v<pointer::offset_type>);
  pointer first = b;
  pointer second;
  swap(first, second);
  EXPECT_FALSE(first);
  EXPECT_EQ(second, b);
}
#endif

}  // namespace
}  // namespace perdure
