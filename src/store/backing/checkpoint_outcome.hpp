// The handle of a checkpoint whose epoch another thread will tell.
#pragma once

#include <cstdint>
#include <future>
#include <perdure/pending_checkpoint.hpp>

namespace perdure::store {

/// The handle of what the promise will be given.
pending_checkpoint handle_of(std::promise<std::uint64_t>& epoch);

}  // namespace perdure::store
