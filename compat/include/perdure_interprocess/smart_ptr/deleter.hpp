// Destroys an object of a store, for smart pointers.
#pragma once

#include <boost/intrusive/pointer_traits.hpp>
#include <memory>
#include <perdure_interprocess/interprocess_fwd.hpp>

namespace perdure_interprocess {

/// Calls the segment manager's `destroy_ptr`. May be kept in the store.
template <class T, class SegmentManager>
class deleter {
  template <class U>
  using rebound_pointer = typename boost::intrusive::pointer_traits<
      typename SegmentManager::void_pointer>::template rebind_pointer<U>::type;

 public:
  using pointer = rebound_pointer<T>;

  deleter(rebound_pointer<SegmentManager> manager) noexcept : manager_(manager) {}

  void operator()(const pointer& object) { manager_->destroy_ptr(std::to_address(object)); }

 private:
  rebound_pointer<SegmentManager> manager_;
};

}  // namespace perdure_interprocess
