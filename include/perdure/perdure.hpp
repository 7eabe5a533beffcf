// Everything, for programs that do not mind the compile time.
#pragma once

// clang-format off: first, for what is compiled as an older C++ to stop there
#include <perdure/cxx20.hpp>
// clang-format on
#include <perdure/allocator.hpp>
#include <perdure/container/deque.hpp>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/flat_set.hpp>
#include <perdure/container/forward_list.hpp>
#include <perdure/container/list.hpp>
#include <perdure/container/map.hpp>
#include <perdure/container/queue.hpp>
#include <perdure/container/set.hpp>
#include <perdure/container/stable_vector.hpp>
#include <perdure/container/stack.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/unordered_map.hpp>
#include <perdure/container/unordered_set.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/damage.hpp>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/hash.hpp>
#include <perdure/heap.hpp>
#include <perdure/kind.hpp>
#include <perdure/kind_allocator.hpp>
#include <perdure/kind_decorator.hpp>
#include <perdure/kind_resource.hpp>
#include <perdure/manager.hpp>
#include <perdure/memory_policy.hpp>
#include <perdure/node_set.hpp>
#include <perdure/object_info.hpp>
#include <perdure/offset_ptr.hpp>
#include <perdure/open_mode.hpp>
#include <perdure/pager.hpp>
#include <perdure/pager_monitor.hpp>
#include <perdure/persistable.hpp>
#include <perdure/placement.hpp>
#include <perdure/relocation.hpp>
#include <perdure/scoped_allocator.hpp>
#include <perdure/tier_division.hpp>
#include <perdure/tiered_kind.hpp>
#include <perdure/type_stamp.hpp>
#include <perdure/verify.hpp>
#include <perdure/version.hpp>
#include <perdure/write_guard.hpp>
