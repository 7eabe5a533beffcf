// Offsets name places in every process.
#include "perdure/c/address.h"

#include "c/c_store.hpp"

namespace perdure::c {
namespace {

using address_test = c_store_test;

TEST_F(address_test, OffsetLeadsBackToTheAddress) {
  void* block = nullptr;
  ASSERT_OK(perdure_allocate(store, 100, &block));
  std::uint64_t offset = 0;
  ASSERT_OK(perdure_offset_of(store, static_cast<char*>(block) + 5, &offset));
  void* back = nullptr;
  ASSERT_OK(perdure_address_of(store, offset, &back));
  EXPECT_EQ(back, static_cast<char*>(block) + 5);
  void* base = nullptr;
  std::size_t size = 0;
  ASSERT_OK(perdure_base(store, &base, &size));
  EXPECT_EQ(static_cast<char*>(base) + offset, back);
  EXPECT_LT(offset, size);
}

TEST_F(address_test, ZeroIsNoPlace) {
  std::uint64_t offset = 1;
  EXPECT_OK(perdure_offset_of(store, nullptr, &offset));
  EXPECT_EQ(offset, 0U);
  void* address = garbage<void>();
  EXPECT_OK(perdure_address_of(store, 0, &address));
  EXPECT_EQ(address, nullptr);
}

TEST_F(address_test, RefusesPlacesOutside) {
  int outside = 0;
  std::uint64_t offset = 1;
  void* base = nullptr;
  std::size_t size = 0;
  ASSERT_OK(perdure_base(store, &base, &size));
  for (const void* wrong : {static_cast<const void*>(&outside), static_cast<const void*>(base),
                            static_cast<const void*>(static_cast<char*>(base) - 1),
                            static_cast<const void*>(static_cast<char*>(base) + size)}) {
    EXPECT_EQ(perdure_offset_of(store, wrong, &offset), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(offset, 0U);
  }
  void* address = garbage<void>();
  for (const std::uint64_t wrong : {std::uint64_t{size}, ~std::uint64_t{0}}) {
    EXPECT_EQ(perdure_address_of(store, wrong, &address), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(address, nullptr);
  }
}

TEST_F(address_test, ListLinkedByOffsetsIsThereAfterReopening) {
  struct node {
    std::uint64_t next;
    int number;
  };
  struct root {
    std::uint64_t first;
  };
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "root", "uint8", sizeof(root), 0, &data));
  auto* const list = static_cast<root*>(data);
  for (int i = 0; i < 100; ++i) {
    void* block = nullptr;
    ASSERT_OK(perdure_allocate(store, sizeof(node), &block));
    *static_cast<node*>(block) = {list->first, i};
    ASSERT_OK(perdure_offset_of(store, block, &list->first));
  }
  reopen();
  ASSERT_OK(perdure_data_find(store, "root", "uint8", &data, nullptr));
  int sum = 0;
  for (std::uint64_t at = static_cast<root*>(data)->first; at != 0;) {
    void* address = nullptr;
    ASSERT_OK(perdure_address_of(store, at, &address));
    sum += static_cast<node*>(address)->number;
    at = static_cast<node*>(address)->next;
  }
  EXPECT_EQ(sum, 4950);
}

TEST_F(address_test, RefusesNullArguments) {
  EXPECT_EQ(perdure_offset_of(store, nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_address_of(store, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_base(store, nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace perdure::c
