// Handles that can be told from garbage.
//
// A handle is a number in the clothes of a pointer: the place of an object in a table, and a generation that
// changes whenever the place is used anew. So a handle that was closed, one of another kind, or any other
// value is recognised without following it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "c/boundary.hpp"

namespace perdure::c {

/// Each type with handles says which it is: a tag from 1 to 15, and a word for messages.
template <class T>
struct handle_traits;

/// The objects of one type. Thread-safe; finding takes no lock. An object must not be taken while another
/// thread uses it.
template <class T>
class handle_table {
 public:
  /// The only one. Never destroyed: what is open when the program ends is left to the system.
  static handle_table& instance() {
    static handle_table& table = *new handle_table;
    return table;
  }

  T* insert(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    place& p = place_at(index);
    p.object = object.release();
    const std::uint64_t handle = handle_for(index, p.generation);
    p.handle.store(handle, std::memory_order_release);
    return reinterpret_cast<T*>(handle);
  }

  /// Null for what is no handle of an object in this table.
  T* find(const T* handle) const noexcept {
    place* const p = place_of(handle);
    return p == nullptr ? nullptr : p->object;
  }

  std::unique_ptr<T> take(const T* handle) noexcept {
    const std::lock_guard lock(mutex_);
    place* const p = place_of(handle);
    if (p == nullptr) return nullptr;
    p->handle.store(0, std::memory_order_relaxed);
    p->generation = (p->generation + 1) & most_generation;
    free_.push_back(index_of(reinterpret_cast<std::uint64_t>(handle)));
    return std::unique_ptr<T>(p->object);
  }

 private:
  struct place {
    std::atomic<std::uint64_t> handle{0};  // 0: free
    T* object = nullptr;
    std::uint32_t generation = 1;  // of the next handle
  };

  // generation (31 bits) | place (28 bits) | tag (4 bits)
  static constexpr std::uint32_t most_generation = 0x7fffffff;
  static constexpr std::uint32_t most_places = (1U << 28) - 1;
  // Rows double in length, so places never move and a few rows are enough.
  static constexpr unsigned first_row_bits = 6;

  static std::uint64_t handle_for(std::uint32_t index, std::uint32_t generation) noexcept {
    return (std::uint64_t{generation} << 32) | (std::uint64_t{index} << 4) | handle_traits<T>::tag;
  }
  static std::uint32_t index_of(std::uint64_t handle) noexcept {
    return static_cast<std::uint32_t>(handle) >> 4;
  }

  /// Row r holds the places whose index plus the first row's length has r more bits than that length.
  place& place_at(std::uint32_t index) const noexcept {
    const std::uint32_t shifted = index + (1U << first_row_bits);
    const unsigned row = static_cast<unsigned>(std::bit_width(shifted)) - 1 - first_row_bits;
    return rows_[row][shifted - (1U << (row + first_row_bits))];
  }

  place* place_of(const T* handle) const noexcept {
    const auto value = reinterpret_cast<std::uint64_t>(handle);
    const std::uint32_t index = index_of(value);
    if (value == 0 || index >= count_.load(std::memory_order_acquire)) return nullptr;
    place& p = place_at(index);
    return p.handle.load(std::memory_order_acquire) == value ? &p : nullptr;
  }

  void grow() {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    const unsigned row =
        static_cast<unsigned>(std::bit_width(count + (1U << first_row_bits))) - 1 - first_row_bits;
    const std::uint32_t length = 1U << (row + first_row_bits);
    if (length > most_places - count) throw std::bad_alloc();
    // Room for all, so that giving a place back cannot fail.
    free_.reserve(count + length);
    rows_[row] = std::make_unique<place[]>(length);
    for (std::uint32_t i = length; i-- != 0;) free_.push_back(count + i);
    count_.store(count + length, std::memory_order_release);
  }

  std::mutex mutex_;
  std::atomic<std::uint32_t> count_{0};
  std::array<std::unique_ptr<place[]>, 28 - first_row_bits> rows_;
  std::vector<std::uint32_t> free_;
};

template <class T>
T* new_handle(std::unique_ptr<T> object) {
  return handle_table<T>::instance().insert(std::move(object));
}

/// The object of a handle; `errc::invalid_argument` if it is none.
template <class T>
T& object_of(const T* handle) {
  T* const object = handle_table<T>::instance().find(handle);
  if (object == nullptr)
    refuse(std::string(handle_traits<T>::what) +
           (handle == nullptr ? " is NULL" : " was closed or freed before, or never was one"));
  return *object;
}

/// Takes the object from its handle, which is no handle from now on. Null for null.
template <class T>
std::unique_ptr<T> take_object(const T* handle) {
  if (handle == nullptr) return nullptr;
  std::unique_ptr<T> taken = handle_table<T>::instance().take(handle);
  if (taken == nullptr) object_of(handle);  // says what is wrong with it
  return taken;
}

}  // namespace perdure::c
