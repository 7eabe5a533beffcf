/* Hooks before and after every call of a kind, attached and detached while the program runs. A kind without
 * any pays nothing for the possibility. */
#ifndef PERDURE_C_KIND_DECORATOR_H
#define PERDURE_C_KIND_DECORATOR_H

#include <perdure/c/kind.h>

/// Hooks that are attached. Owned by the caller, who detaches it; it may outlive the kind.
typedef struct perdure_kind_decorator perdure_kind_decorator;

/// Which function of a kind is called.
enum {
  PERDURE_KIND_CALL_MALLOC = 0,
  PERDURE_KIND_CALL_CALLOC = 1,
  PERDURE_KIND_CALL_REALLOC = 2,
  PERDURE_KIND_CALL_POSIX_MEMALIGN = 3,
  PERDURE_KIND_CALL_FREE = 4,
  PERDURE_KIND_CALL_USABLE_SIZE = 5
};

/// One call, as hooks see it. Later versions add members at the end.
typedef struct perdure_kind_call {
  size_t struct_size;  ///< size of the library's struct
  perdure_kind* kind;  ///< kind that is called
  int32_t operation;   ///< PERDURE_KIND_CALL_…
  int32_t refused;     ///< after: not 0 for a free or realloc of what is not the kind's
  size_t count;        ///< calloc; else 1
  size_t size;         ///< bytes asked for (calloc: of one element)
  size_t alignment;    ///< posix_memalign; else 0
  void* block;         ///< given to realloc, free, usable_size
  size_t block_size;   ///< its usable bytes before the call
  void* result;        ///< after: the block, or NULL
  size_t result_size;  ///< after: its usable bytes, or what usable_size answers
} perdure_kind_call;

/// Two hooks, of which either may be NULL. They run in the calling thread; what they allocate and free from
/// kinds is not shown to hooks. They must not attach or detach.
typedef struct perdure_kind_hooks {
  size_t struct_size;                                            ///< sizeof(perdure_kind_hooks)
  void* context;                                                 ///< the hooks' first argument
  void (*before)(void* context, const perdure_kind_call* call);  ///< called before each call of the kind
  void (*after)(void* context, const perdure_kind_call* call);   ///< called after it
} perdure_kind_hooks;

/// Numbers of calls and bytes of a kind since it is counted.
typedef struct perdure_kind_account {
  size_t struct_size;        ///< sizeof(perdure_kind_account), set by the caller
  uint64_t allocations;      ///< calls that gave a block
  uint64_t frees;            ///< blocks that were freed
  uint64_t failures;         ///< calls that gave NULL, frees that were refused
  uint64_t allocated_bytes;  ///< usable bytes, ever
  uint64_t freed_bytes;      ///< usable bytes of the freed blocks
  uint64_t live_bytes;       ///< allocated while attached, and not freed
  uint64_t peak_bytes;       ///< the most that `live_bytes` ever was
} perdure_kind_account;

PERDURE_BEGIN_DECLARATIONS

/// Attaches hooks to a kind, or with NULL to all, also those made later. Of several, the one attached first
/// is called first before and last after. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_kind_attach(perdure_kind* kind, const perdure_kind_hooks* hooks,
                                               perdure_kind_decorator** decorator);
/// Waits for the calls that the hooks see, then takes them off. NULL is ignored. PERDURE_INVALID_ARGUMENT
/// inside a hook.
PERDURE_API perdure_status perdure_kind_detach(perdure_kind_decorator* decorator);

/// Attaches a counter of what is handed out and taken back.
PERDURE_API perdure_status perdure_kind_attach_accounting(perdure_kind* kind,
                                                          perdure_kind_decorator** decorator);
/// Fills `account`. PERDURE_WRONG_TYPE for another decorator.
PERDURE_API perdure_status perdure_kind_account_get(const perdure_kind_decorator* decorator,
                                                    perdure_kind_account* account);

/// Attaches a logger that appends a line for each call to the file: time, thread, kind, call, sizes,
/// addresses. PERDURE_IO.
PERDURE_API perdure_status perdure_kind_attach_address_logger(perdure_kind* kind, const char* path,
                                                              perdure_kind_decorator** decorator);

/// Attaches a profiler, which remembers the stacks of a sample of live allocations, about one for each
/// `sample_size` bytes (0: 512 KiB).
PERDURE_API perdure_status perdure_kind_attach_profiler(perdure_kind* kind, size_t sample_size,
                                                        perdure_kind_decorator** decorator);
/// Writes the heap profile that `pprof` reads. PERDURE_WRONG_TYPE for another decorator; PERDURE_IO.
PERDURE_API perdure_status perdure_kind_profile_write(const perdure_kind_decorator* decorator,
                                                      const char* path);

PERDURE_END_DECLARATIONS

#endif
