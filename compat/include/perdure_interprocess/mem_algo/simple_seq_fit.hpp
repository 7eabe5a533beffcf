// A name for Perdure's heap, like rbtree_best_fit.
#pragma once

#include <perdure_interprocess/mem_algo/rbtree_best_fit.hpp>

namespace perdure_interprocess {

template <class MutexFamily, class VoidPointer = offset_ptr<void>>
struct simple_seq_fit : rbtree_best_fit<MutexFamily, VoidPointer> {};

}  // namespace perdure_interprocess
