/* Copies of stores. They take no space for what the file system can share. */
#ifndef PERDURE_C_COPY_H
#define PERDURE_C_COPY_H

#include <perdure/c/store.h>

PERDURE_BEGIN_DECLARATIONS

/// Copies an open store as of its last checkpoint; what changed since is not in the copy. Other threads may
/// go on. PERDURE_ALREADY_EXISTS, PERDURE_NO_SPACE, PERDURE_IO.
PERDURE_API perdure_status perdure_store_snapshot(const perdure_store* store, const char* to);

/// Copies a store as of its last checkpoint, also one that another process has open for writing.
/// PERDURE_NOT_FOUND, PERDURE_NOT_A_STORE, PERDURE_IN_USE (it is written in place), and as above.
PERDURE_API perdure_status perdure_store_copy(const char* from, const char* to);

PERDURE_END_DECLARATIONS

#endif
