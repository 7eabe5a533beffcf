// The interface of a part that takes part in the checkpoints of an open manager.
#pragma once

#include <vector>

namespace perdure::detail {

struct page_run;

class checkpoint_listener {
 public:
  virtual ~checkpoint_listener() = default;
  /// A checkpoint is asked for, and other threads may still change the heap: waits for changes that are made
  /// in the background and belong into it. What it throws keeps the checkpoint from being made.
  virtual void complete() = 0;
  /// A checkpoint is about to copy changed pages, and no thread changes the heap: adds pages whose content is
  /// of no consequence from this checkpoint on, which nobody may look at any more. Must not use the heap.
  virtual void departing(std::vector<page_run>& released) noexcept = 0;
  /// The store is being closed. Nothing of it may be used after this.
  virtual void closing() noexcept = 0;
};

}  // namespace perdure::detail
