// Boost's file_mapping, whose `remove` knows stores too.
#pragma once
#pragma GCC system_header

// clang-format off: first, for what is compiled as an older C++ to stop there
#include <perdure/cxx20.hpp>
// clang-format on
#include <boost/interprocess/interprocess_fwd.hpp>

#define file_mapping file_mapping_of_boost
#define remove_file_on_destroy remove_file_on_destroy_of_boost
#include_next <boost/interprocess/file_mapping.hpp>
#undef file_mapping
#undef remove_file_on_destroy

#include <perdure_interprocess/detail/basic_file_mapping.hpp>
