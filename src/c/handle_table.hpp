// Handles that can be told from garbage.
//
// A handle is a number in the clothes of a pointer: the place of an object in a table, and a generation that
// changes whenever the place is used anew. So a handle that was closed, one of another kind, or any other
// value is recognised without following it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
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
  // Each row is twice as long as the one before, so places never move, most lie in the first rows, and all
  // rows together have fewer places than a handle can name.
  static constexpr std::uint32_t first_row_length = 64;
  static constexpr std::size_t most_rows = 22;

  static std::uint64_t handle_for(std::uint32_t index, std::uint32_t generation) noexcept {
    return (std::uint64_t{generation} << 32) | (std::uint64_t{index} << 4) | handle_traits<T>::tag;
  }
  static std::uint32_t index_of(std::uint64_t handle) noexcept {
    return static_cast<std::uint32_t>(handle) >> 4;
  }

  place& place_at(std::uint32_t index) const noexcept {
    std::size_t row = 0;
    for (std::uint32_t length = first_row_length; index >= length; length *= 2) {
      index -= length;
      ++row;
    }
    return rows_[row][index];
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
    if (row_count_ == rows_.size()) throw std::bad_alloc();
    // Room for all, so that giving a place back cannot fail.
    free_.reserve(count + next_row_length_);
    rows_[row_count_] = std::make_unique<place[]>(next_row_length_);
    for (std::uint32_t i = next_row_length_; i-- != 0;) free_.push_back(count + i);
    count_.store(count + next_row_length_, std::memory_order_release);
    ++row_count_;
    next_row_length_ *= 2;
  }

  std::mutex mutex_;
  std::atomic<std::uint32_t> count_{0};
  std::array<std::unique_ptr<place[]>, most_rows> rows_;
  std::size_t row_count_ = 0;
  std::uint32_t next_row_length_ = first_row_length;
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
