// The backing of kinds: memory as a policy says, committed piece by piece when the heap comes to use it.
#pragma once

#include <cstddef>
#include <memory>
#include <perdure/memory_policy.hpp>

#include "segment/segment.hpp"

namespace perdure::detail {

class policy_segment : public segment {
 public:
  /// Bytes of the policy's memory that are committed now.
  virtual std::size_t committed() const noexcept = 0;
};

/// Memory that is still committed when the segment is destroyed is unmapped, without `decommit`.
/// Reserves `capacity` bytes (rounded up to 1 GiB) of address space. The policy must outlive the segment.
/// Throws `perdure::error` (`out_of_memory`, or `invalid_argument` for a policy that contradicts itself).
std::unique_ptr<policy_segment> make_policy_segment(memory_policy& policy, std::size_t capacity);

}  // namespace perdure::detail
