// NumPy arrays of what the library returns.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace perdure::python {

template <class T>
using numpy_array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

/// Returns an array that owns the elements. Nothing is copied.
template <class T>
numpy_array<T> to_numpy(std::vector<T>&& values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const elements = kept->data();
  const std::size_t size = kept->size();
  nanobind::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  static_cast<void>(kept.release());
  return numpy_array<T>(elements, {size}, owner);
}

/// Returns a read-only array of elements that lie elsewhere, which `keeper` keeps alive. Nothing is copied.
template <class T>
numpy_array<const T> view_as_numpy(std::span<const T> elements, std::shared_ptr<const void> keeper) {
  auto kept = std::make_unique<std::shared_ptr<const void>>(std::move(keeper));
  nanobind::capsule owner(kept.get(),
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  static_cast<void>(kept.release());
  return numpy_array<const T>(elements.data(), {elements.size()}, owner);
}

}  // namespace perdure::python
