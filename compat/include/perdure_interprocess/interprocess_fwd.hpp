// Declarations of names without the headers that define them.
#pragma once

#include <perdure_interprocess/indexes/flat_map_index.hpp>
#include <perdure_interprocess/indexes/iset_index.hpp>
#include <perdure_interprocess/indexes/iunordered_set_index.hpp>
#include <perdure_interprocess/indexes/map_index.hpp>
#include <perdure_interprocess/indexes/null_index.hpp>
#include <perdure_interprocess/indexes/unordered_map_index.hpp>
#include <perdure_interprocess/mem_algo/rbtree_best_fit.hpp>
#include <perdure_interprocess/mem_algo/simple_seq_fit.hpp>
#include <perdure_interprocess/offset_ptr.hpp>

namespace perdure_interprocess {

template <class T, class SegmentManager>
class allocator;
template <class T, class SegmentManager>
class deleter;

template <class CharType, class MemoryAlgorithm, template <class> class IndexType>
class segment_manager;

template <class CharType, class MemoryAlgorithm, template <class> class IndexType>
class basic_managed_mapped_file;

/// The usual one.
using managed_mapped_file = basic_managed_mapped_file<char, rbtree_best_fit<mutex_family>, iset_index>;
/// Always mapped at the same address, so that plain pointers survive.
using fixed_managed_mapped_file =
    basic_managed_mapped_file<char, rbtree_best_fit<mutex_family, void*>, iset_index>;

}  // namespace perdure_interprocess
