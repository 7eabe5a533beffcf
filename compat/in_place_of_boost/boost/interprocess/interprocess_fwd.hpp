// Boost's declarations, but for managed mapped files and what removes them, which are Perdure's. Boost's own
// are there by other names, so that no class has two definitions in a program of which some sources are
// compiled without these headers. (C++11, as Boost's: sources that use only locks come by here too.)
#pragma once
#pragma GCC system_header

#define PERDURE_IN_PLACE_OF_BOOST 1

#define basic_managed_mapped_file basic_managed_mapped_file_of_boost
#define managed_mapped_file managed_mapped_file_of_boost
#define wmanaged_mapped_file wmanaged_mapped_file_of_boost
#define file_mapping file_mapping_of_boost
#include_next <boost/interprocess/interprocess_fwd.hpp>
#undef basic_managed_mapped_file
#undef managed_mapped_file
#undef wmanaged_mapped_file
#undef file_mapping

namespace perdure_interprocess {

template <class CharType, class MemoryAlgorithm, template <class> class IndexType>
class basic_managed_mapped_file;
template <class Boosts>
class basic_file_mapping;
class remove_file_on_destroy;

}  // namespace perdure_interprocess

namespace boost {
namespace interprocess {

template <class CharType, class MemoryAlgorithm, template <class> class IndexType>
using basic_managed_mapped_file =
    perdure_interprocess::basic_managed_mapped_file<CharType, MemoryAlgorithm, IndexType>;
using managed_mapped_file = basic_managed_mapped_file<char, rbtree_best_fit<mutex_family>, iset_index>;
using wmanaged_mapped_file = basic_managed_mapped_file<wchar_t, rbtree_best_fit<mutex_family>, iset_index>;
using file_mapping = perdure_interprocess::basic_file_mapping<file_mapping_of_boost>;
using perdure_interprocess::remove_file_on_destroy;

}  // namespace interprocess
}  // namespace boost
