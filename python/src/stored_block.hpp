// The elements of a stored array where they lie, as an object that has the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <string>
#include <utility>

#include "forked_views.hpp"
#include "open_store.hpp"

namespace perdure::python {

/// Keeps the block of a view, and the store that it lies in. NumPy's arrays have it as their base.
class stored_block {
 public:
  stored_block(std::shared_ptr<session> of, std::shared_ptr<live_views> views, std::string name,
               viewed_array viewed)
      : session_(std::move(of)),
        views_(std::move(views)),
        name_(std::move(name)),
        viewed_(std::move(viewed)) {
    views_->add(name_);
    if (session_->loses_memory_at_fork()) forked_views::all().add(viewed_.data, viewed_.info.bytes);
  }
  stored_block(const stored_block&) = delete;
  stored_block& operator=(const stored_block&) = delete;
  ~stored_block() {
    views_->remove(name_);
    forked_views::all().remove(viewed_.data, viewed_.info.bytes);
  }

  const void* data() const noexcept { return viewed_.data; }
  std::size_t bytes() const noexcept { return viewed_.info.bytes; }
  const std::string& name() const noexcept { return name_; }

 private:
  std::shared_ptr<session> session_;
  std::shared_ptr<live_views> views_;
  std::string name_;
  viewed_array viewed_;  // ends first: its hold is the store's
};

/// Adds `StoredBlock` to the module.
void bind_stored_blocks(nanobind::module_& module);

/// Adds `BufferOf`, a base of classes whose buffer is that of what their method `view` returns.
void bind_redirected_buffers(nanobind::module_& module);

}  // namespace perdure::python
