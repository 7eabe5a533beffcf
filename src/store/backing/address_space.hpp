// Where in the address space a store is mapped.
#pragma once

#include <filesystem>

#include "os/mapping.hpp"

namespace perdure::store {

/// Any free place. Throws `out_of_memory`.
os::reservation reserve_anywhere(std::size_t capacity, const std::filesystem::path& store);
/// The recorded place of a pinned store. Throws `address_taken`.
os::reservation reserve_at(std::uint64_t address, std::size_t capacity, const std::filesystem::path& store);
/// A place for a new pinned store, far from where programs and the kernel usually map things, and different
/// from store to store so that several can be open at once. Throws `address_taken` when none is free.
os::reservation choose_pinned_place(std::size_t capacity, std::uint64_t seed,
                                    const std::filesystem::path& store);

}  // namespace perdure::store
