// pMEMCPY's calls, as its paper and its own programs make them, and what the paper promises of them.
#include <gtest/gtest.h>
#include <pmemcpy/memcpy.h>
#include <pmemcpy/pmemcpy.h>
#include <unistd.h>

#include <atomic>
#include <complex>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"

namespace {

using perdure::code_of;

class pmemcpy_programs : public perdure::scratch_test {
 protected:
  pmemcpy_programs() : perdure::scratch_test(perdure::fast_directory()) {}
  std::string name() const { return path("pool").string(); }
};

struct particle {
  double position[3];
  std::int32_t id;
  std::int32_t charge;
};

TEST_F(pmemcpy_programs, ThePapersListingRuns) {
  struct communicator;
  communicator* const everybody = nullptr;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    pmemcpy::PMEM pmem;
    std::size_t count = 100;
    std::size_t off = 100 * rank;
    std::size_t dimsf = 100 * 4;
    double data[100] = {0};
    for (double& one : data) one = static_cast<double>(rank);
    pmem.mmap(name(), everybody);
    pmem.alloc<double>("A", 1, &dimsf);
    pmem.store<double>("A", data, 1, &off, &count);
  }
  pmemcpy::PMEM pmem;
  pmem.mmap(name());
  int ndims = 0;
  std::size_t dims[4] = {};
  pmem.load_dims("A", &ndims, dims);
  EXPECT_EQ(ndims, 1);
  EXPECT_EQ(dims[0], 400U);
  // By another decomposition.
  std::size_t off = 150;
  std::size_t count = 100;
  std::vector<double> part(count);
  pmem.load<double>("A", part.data(), 1, &off, &count);
  EXPECT_EQ(part[49], 1);
  EXPECT_EQ(part[50], 2);
  pmem.munmap();
}

TEST_F(pmemcpy_programs, TheMeasuredProgramRuns) {
  std::remove(name().c_str());
  pmemcpy::PMEM pmem(pmemcpy::StorageType::PMDK_HASHTABLE, pmemcpy::SerializerType::CAPNPROTO, true);
  pmem.mmap(name(), 8 * (1ul << 30));
  std::uint64_t nx = 6;
  pmem.store<std::uint64_t>("nx", nx);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 4; ++rank)
    threads.emplace_back([&pmem, rank] {
      std::vector<double> cube(6 * 5 * 4, rank + 0.25);
      for (const char* const id : {"A", "B"})
        pmem.store(id + std::to_string(rank), &cube[0], pmemcpy::Dimensions(6, 5ul, 4u));
    });
  for (std::thread& one : threads) one.join();
  pmem.munmap();

  pmem.mmap(name());
  std::uint64_t loaded = 0;
  pmem.load("nx", loaded);
  EXPECT_EQ(loaded, 6U);
  std::vector<double> cube(6 * 5 * 4);
  pmem.load("B3", cube.data(), pmemcpy::Dimensions(6, 5, 4));
  EXPECT_EQ(cube, std::vector<double>(120, 3.25));
  pmem.load("A2", cube.data(), pmemcpy::Dimensions(120));
  EXPECT_EQ(cube[119], 2.25);
}

TEST_F(pmemcpy_programs, PartsOfOneArrayAreStoredAndLoaded) {
  pmemcpy::PMEM pmem;
  pmem.mmap(name());
  std::vector<int> half(4);
  std::iota(half.begin(), half.end(), 0);
  pmem.store("g", half.data(), pmemcpy::Offsets(0, 0), pmemcpy::Sizes(2, 2), pmemcpy::Dimensions(2, 4));
  pmem.store("g", half.data(), pmemcpy::Offsets(0, 2), pmemcpy::Sizes(2, 2), pmemcpy::Dimensions(2, 4));
  EXPECT_EQ(pmem.load<std::vector<int>>("g"), (std::vector<int>{0, 1, 0, 1, 2, 3, 2, 3}));
  std::vector<int> column(2);
  pmem.load("g", column.data(), pmemcpy::Offsets(0, 3), pmemcpy::Sizes(2, 1), pmemcpy::Dimensions(2, 4));
  EXPECT_EQ(column, (std::vector<int>{1, 3}));
}

TEST_F(pmemcpy_programs, TypesThatDoNotCompileThereAreStored) {
  pmemcpy::PMEM pmem(pmemcpy::SerializerType::NO_SERIALIZER);
  pmem.mmap(name());
  pmem.store("s", std::string("text"));
  pmem.store("p", particle{{1, 2, 3}, 7, -1});
  pmem.store("c", std::complex<double>(1, 2));
  pmem.store("b", true);
  pmem.store("v", std::vector<std::string>{"a", "b"});
  EXPECT_EQ(pmem.load<std::string>("s"), "text");
  EXPECT_EQ(pmem.load<particle>("p").id, 7);
  EXPECT_EQ(pmem.load<std::complex<double>>("c"), std::complex<double>(1, 2));
  EXPECT_TRUE(pmem.load<bool>("b"));
  EXPECT_EQ(pmem.load<std::vector<std::string>>("v").size(), 2U);
}

TEST_F(pmemcpy_programs, WhatIsWrongIsAnError) {
  pmemcpy::PMEM pmem;
  double value = 3.5;
  EXPECT_EQ(code_of([&] { pmem.store("x", value); }), perdure::errc::invalid_argument);  // no mmap
  pmem.mmap(name());
  pmem.store("x", value);
  EXPECT_EQ(code_of([&] { pmem.load<std::int64_t>("x"); }), perdure::errc::wrong_type);
  EXPECT_EQ(code_of([&] { pmem.load<double>("y"); }), perdure::errc::not_found);
  std::vector<double> three(3);
  pmem.store("t", three.data(), pmemcpy::Dimensions(3));
  EXPECT_EQ(code_of([&] { pmem.load("t", three.data(), pmemcpy::Dimensions(2)); }),
            perdure::errc::invalid_argument);
  const std::size_t offset = 2;
  const std::size_t count = 2;
  EXPECT_EQ(code_of([&] { pmem.load("t", three.data(), 1, &offset, &count); }),
            perdure::errc::invalid_argument);
  pmem.store("x", 3);  // of another type from now on
  EXPECT_EQ(pmem.load<int>("x"), 3);
  pmem.free("x");
  EXPECT_EQ(code_of([&] { pmem.free("x"); }), perdure::errc::not_found);
}

TEST_F(pmemcpy_programs, AnotherTypeReplacesAValueInOneStep) {
  pmemcpy::PMEM pmem;
  pmem.mmap(name());
  pmem.defer();
  pmem.store("x", 3.5);
  // No store has room for it, and its elements are never looked at.
  const int one = 1;
  EXPECT_ANY_THROW(pmem.store("x", &one, pmemcpy::Dimensions(std::size_t{1} << 44)));
  EXPECT_EQ(pmem.load<double>("x"), 3.5);
  EXPECT_ANY_THROW(pmem.alloc<int>("x", pmemcpy::Dimensions(std::size_t{1} << 44)));
  EXPECT_EQ(pmem.load<double>("x"), 3.5);
  std::atomic<bool> is_done{false};
  std::atomic<int> missing{0};
  std::thread reader([&] {
    int ndims = 0;
    while (!is_done)
      if (code_of([&] { pmem.load_dims("x", &ndims, nullptr); }) != perdure::errc::ok) ++missing;
  });
  for (int i = 0; i < 3000; ++i) {
    pmem.store("x", i);
    pmem.alloc<double>("x", pmemcpy::Dimensions(2, 3));
    pmem.alloc<double>("x", pmemcpy::Dimensions(6));
    pmem.store("x", std::string("a text"));
  }
  is_done = true;
  reader.join();
  EXPECT_EQ(missing, 0);
}

TEST(pmemcpy_names, StorageAndSerializerAreChosenByName) {
  EXPECT_EQ(pmemcpy::StorageTypeConverter::convert("POSIX"), pmemcpy::StorageType::POSIX);
  EXPECT_EQ(pmemcpy::StorageTypeConverter::convert(pmemcpy::StorageType::PMDK), "PMDK");
  EXPECT_EQ(pmemcpy::SerializerTypeConverter::convert("CAPNPROTO"), pmemcpy::SerializerType::CAPNPROTO);
  EXPECT_EQ(pmemcpy::SerializerTypeConverter::convert(pmemcpy::SerializerType::BOOST), "BOOST");
  EXPECT_EQ(code_of([] { static_cast<void>(pmemcpy::StorageTypeConverter::convert("posix")); }),
            perdure::errc::invalid_argument);
  EXPECT_EQ(code_of([] { static_cast<void>(pmemcpy::SerializerTypeConverter::convert("")); }),
            perdure::errc::invalid_argument);
}

TEST_F(pmemcpy_programs, AnErrorBetweenTheMacrosEndsTheProgram) {
  PMEMCPY_ERROR_HANDLE_START()
  pmemcpy::PMEM pmem(pmemcpy::StorageTypeConverter::convert("POSIX"),
                     pmemcpy::SerializerTypeConverter::convert("CAPNPROTO"), 0);
  pmem.mmap(name(), 55 * pmemcpy::SizeType::GB);
  pmem.store<double>("a", 25);
  PMEMCPY_ERROR_HANDLE_END()
  EXPECT_EXIT(
      {
        PMEMCPY_ERROR_HANDLE_START()
        pmemcpy::PMEM pmem;
        pmem.mmap(name());
        pmem.free("b");
        PMEMCPY_ERROR_HANDLE_END()
      },
      testing::ExitedWithCode(1), "there is no \"b\"");
}

TEST(pmemcpy_names, AVectorLiesOverMemoryThatIsThere) {
  int memory[5] = {1, 2, 3, 4, 5};
  std::vector<int, pmemcpy::NoAllocator<int>> over(pmemcpy::NoAllocator<int>(memory, 5));
  over.resize(5);
  EXPECT_EQ(over.data(), memory);
  EXPECT_EQ(over[4], 5);
  EXPECT_ANY_THROW(over.resize(6));
}

TEST_F(pmemcpy_programs, WhatIsStoredSurvivesTheProgramsDeath) {
  for (const bool deferred : {false, true}) {
    ASSERT_TRUE(perdure::in_another_process([&]() -> int {
      pmemcpy::PMEM pmem;
      pmem.mmap(name());
      if (deferred) pmem.defer();
      pmem.store(deferred ? "later" : "now", 1.5);
      if (deferred) {
        pmem.persist();
        pmem.store("never", 1.5);
      }
      ::_exit(0);  // without its destructor, which would close the store
    }));
  }
  pmemcpy::PMEM pmem;
  pmem.mmap(name());
  EXPECT_EQ(pmem.load<double>("now"), 1.5);
  EXPECT_EQ(pmem.load<double>("later"), 1.5);
  EXPECT_EQ(code_of([&] { pmem.load<double>("never"); }), perdure::errc::not_found);
  pmem.release(name());
  EXPECT_FALSE(std::filesystem::exists(name()));
}

}  // namespace
