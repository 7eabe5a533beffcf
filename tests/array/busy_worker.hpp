// A store whose thread for arrays stored in the background has something to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <perdure/array/untyped_arrays.hpp>
#include <thread>

namespace perdure {

/// Keeps the worker of `arrays` waiting for another thread, which stores the same array from a source that
/// has no elements to give until `release`. `own` are the arrays of the store itself, where `arrays` are
/// those of a set.
class busy_worker {
 public:
  explicit busy_worker(untyped_arrays& arrays) : busy_worker(arrays, arrays) {}
  busy_worker(untyped_arrays& arrays, untyped_arrays& own) {
    std::promise<void> entered;
    other_ = std::thread([this, &own, &entered] {
      const element_source source = [&](const slab&, std::byte* to) {
        entered.set_value();
        released_.get_future().wait();
        *to = std::byte{0};
      };
      own.store_from("gate", element_kind::uint8, {1}, source, {});
    });
    entered.get_future().wait();
    behind_ =
        arrays.store_async("gate", element_kind::uint8, const_untyped_view::row_major(&one_, {1}, 1), {});
  }
  busy_worker(const busy_worker&) = delete;
  busy_worker& operator=(const busy_worker&) = delete;
  ~busy_worker() {
    if (later_.joinable()) later_.join();
    if (other_.joinable()) release();
  }

  void release() {
    released_.set_value();
    other_.join();
  }
  /// Releases it while the caller waits for something. Whoever does not wait goes on before that.
  void release_soon() {
    later_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      release();
    });
  }

 private:
  const std::uint8_t one_ = 1;
  std::promise<void> released_;
  std::thread other_;
  std::thread later_;
  pending_store behind_;
};

}  // namespace perdure
