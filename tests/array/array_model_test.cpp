// Random parts of random arrays in every layout, against plain memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <perdure/array_store.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

/// An array in plain memory.
struct model {
  extents dims;
  std::vector<std::int32_t> elements;

  std::int32_t& at(const extents& index) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < dims.rank(); ++i) place = place * dims[i] + index[i];
    return elements[place];
  }
};

/// Calls `visit` with each index of `count`.
template <class Visit>
void for_each_index(const extents& count, Visit&& visit) {
  if (count.elements() == 0) return;
  extents index = extents::all(count.rank(), 0);
  for (;;) {
    visit(index);
    std::size_t i = count.rank();
    while (i-- > 0) {
      if (++index[i] < count[i]) break;
      index[i] = 0;
    }
    if (i == static_cast<std::size_t>(-1)) return;
  }
}

class array_model : public testing::TestWithParam<int> {
 protected:
  std::minstd_rand random{static_cast<unsigned>(GetParam()) * 7919U + 1};
  std::uint64_t below(std::uint64_t n) { return random() % n; }

  extents random_dims() {
    extents dims;
    const std::size_t rank = 1 + below(4);
    for (std::size_t i = 0; i < rank; ++i) dims.push_back(1 + below(rank < 3 ? 20 : 7));
    return dims;
  }
  array_options random_options(const extents& dims) {
    array_options options;
    options.layout = static_cast<array_layout>(below(3));
    if (options.layout == array_layout::chunked && below(2) == 0)
      for (std::size_t i = 0; i < dims.rank(); ++i) options.chunk.push_back(1 + below(dims[i] + 2));
    if (options.layout != array_layout::contiguous) {
      options.codec = static_cast<compression>(below(3));
      if (!is_available(options.codec)) options.codec = compression::none;
      options.shuffle = below(2) == 0;
    }
    return options;
  }
  slab random_slab(const extents& dims) {
    slab where;
    const bool strided = below(3) == 0;
    for (std::size_t i = 0; i < dims.rank(); ++i) {
      const std::uint64_t stride = strided ? 1 + below(3) : 1;
      const std::uint64_t first = below(dims[i]);
      where.offset.push_back(first);
      where.count.push_back(1 + below((dims[i] - first - 1) / stride + 1));
      if (strided) where.stride.push_back(stride);
    }
    return where;
  }
  static extents place(const slab& where, const extents& index) {
    extents at = where.offset;
    for (std::size_t i = 0; i < at.rank(); ++i)
      at[i] += index[i] * (where.stride.empty() ? 1 : where.stride[i]);
    return at;
  }
  /// Memory in which the elements of a view lie with gaps, in any order of dimensions.
  struct spread {
    std::vector<std::int32_t> memory;
    std::vector<std::ptrdiff_t> strides;
    std::ptrdiff_t origin = 0;
    array_view<std::int32_t> view(const extents& dims) { return {memory.data() + origin, dims, strides}; }
  };
  spread random_memory(const extents& dims) {
    spread result;
    result.strides.resize(dims.rank());
    std::vector<std::size_t> order(dims.rank());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    if (below(2) == 0) std::shuffle(order.begin(), order.end(), random);
    std::ptrdiff_t stride = 1 + static_cast<std::ptrdiff_t>(below(2));
    for (const std::size_t i : order) {
      const bool backwards = below(4) == 0;
      result.strides[i] = backwards ? -stride : stride;
      if (backwards) result.origin += stride * static_cast<std::ptrdiff_t>(dims[i] - 1);
      stride *= static_cast<std::ptrdiff_t>(dims[i] + below(2));
    }
    result.memory.resize(static_cast<std::size_t>(stride) + 1);
    return result;
  }
  static std::int32_t& element(array_view<std::int32_t> view, const extents& index) {
    std::ptrdiff_t at = 0;
    for (std::size_t i = 0; i < index.rank(); ++i)
      at += static_cast<std::ptrdiff_t>(index[i]) * view.stride(i);
    return view.data()[at];
  }
};

TEST_P(array_model, AgreesWithPlainMemory) {
  const scratch_directory scratch;
  std::optional<array_store> arrays;
  arrays.emplace(create_only, scratch.path(), small_store());
  std::int32_t next = 1;
  for (int array = 0; array < 12; ++array) {
    const std::string id = "array" + std::to_string(array % 4);
    model expected{random_dims(), {}};
    expected.elements.resize(expected.dims.elements());
    const array_options options = random_options(expected.dims);
    if (below(2) == 0) {
      arrays->erase(id);
      arrays->create<std::int32_t>(id, expected.dims, options);
    } else {
      spread memory = random_memory(expected.dims);
      const auto view = memory.view(expected.dims);
      for_each_index(expected.dims,
                     [&](const extents& index) { expected.at(index) = element(view, index) = next++; });
      arrays->store(id, view, options);
    }
    for (int step = 0; step < 12; ++step) {
      const slab where = random_slab(expected.dims);
      spread memory = random_memory(where.count);
      const auto view = memory.view(where.count);
      if (below(2) == 0) {
        for_each_index(where.count, [&](const extents& index) {
          expected.at(place(where, index)) = element(view, index) = next++;
        });
        (*arrays)[id].write(where, view);
      }
      const slab other = random_slab(expected.dims);
      spread read = random_memory(other.count);
      const auto into = read.view(other.count);
      (*arrays)[id].read(other, into);
      for_each_index(other.count, [&](const extents& index) {
        ASSERT_EQ(element(into, index), expected.at(place(other, index)))
            << "array " << array << " step " << step << " of " << expected.dims.text() << ' '
            << to_string(options.layout) << " at " << place(other, index).text();
      });
      if (HasFatalFailure()) return;
      if (below(10) == 0) arrays->checkpoint();
    }
    if (below(4) == 0) {
      arrays.reset();
      arrays.emplace(open_only, scratch.path());
    }
    ASSERT_EQ(arrays->load<std::vector<std::int32_t>>(id), expected.elements);
    ASSERT_TRUE(arrays->check(id).empty());
  }
  arrays.reset();
  EXPECT_TRUE(manager::verify(scratch.path()).whole());
}

INSTANTIATE_TEST_SUITE_P(Random, array_model, testing::Range(0, 20));

}  // namespace
}  // namespace perdure
