// Arrays that --store-as makes.
#pragma once

#include <perdure/array/untyped_arrays.hpp>
#include <string>

namespace perdure::cli {

/// Returns the name of the array with all levels of the communities that the array `name` has.
std::string levels_of(const std::string& name);
/// Throws where --store-as must not make the array `name`: `invalid_argument` inside of a graph of ranks, and
/// `already_exists` where it, or that of its levels, is there and was not made by --store-as.
void require_result_name(const untyped_arrays& arrays, const std::string& name);
/// Erases the array of the levels of `name`, if there is one.
void erase_levels(untyped_arrays& arrays, const std::string& name);
/// Notes on an array which command has made it, and of which graph.
void mark_result(untyped_arrays& arrays, const std::string& name, const std::string& command,
                 const std::string& of);

}  // namespace perdure::cli
