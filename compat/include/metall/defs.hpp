// The macros a program may set before it includes Metall's headers.
//
// METALL_DEFAULT_CAPACITY has its effect. METALL_SEGMENT_BLOCK_SIZE, METALL_DISABLE_CONCURRENCY,
// METALL_USE_SORTED_BIN, METALL_FREE_SMALL_OBJECT_SIZE_HINT, METALL_DISABLE_FREE_FILE_SPACE,
// METALL_USE_ANONYMOUS_NEW_MAP and METALL_VERBOSE_SYSTEM_SUPPORT_WARNING steer machinery that Perdure does
// not have; they may be set and change nothing.
#pragma once

/// The most a store may reserve, in bytes.
#ifndef METALL_MAX_CAPACITY
#define METALL_MAX_CAPACITY (1ULL << 46ULL)
#endif

/// Bytes of address space of a store that is created without a capacity; disk and memory are
/// taken as they are used.
#ifndef METALL_DEFAULT_CAPACITY
#define METALL_DEFAULT_CAPACITY (1ULL << 40ULL)
#endif

#ifndef METALL_SEGMENT_BLOCK_SIZE
#define METALL_SEGMENT_BLOCK_SIZE (1ULL << 28ULL)
#endif

/// 1: objects of any type may be constructed. 0: those that no later run could use (plain pointers, virtual
/// functions, memory outside the store) are refused by the compiler, with a message that says why. Must be
/// the same in all sources of a program.
#ifndef PERDURE_METALL_ANY_TYPE
#define PERDURE_METALL_ANY_TYPE 0
#endif

/// 1: `metall::offset_ptr` is `boost::interprocess::offset_ptr`, as in Metall, for programs and libraries
/// that have templates of their own for it. 0: it is Perdure's, which is faster. Must be the same in all
/// sources of a program and in all programs that use a store, since it is part of the types of what is
/// stored.
#ifndef PERDURE_METALL_BOOST_OFFSET_PTR
#define PERDURE_METALL_BOOST_OFFSET_PTR 0
#endif
