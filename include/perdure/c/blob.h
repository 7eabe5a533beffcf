/* Named blobs: bytes that are found again by their name.
 *
 * A blob is an array of std::byte in the store's directory of objects, as C++ would construct it: there
 * `store.find<std::byte>("name")` finds it, `store.construct<std::byte>("name")[n]()` makes one, and `perdure
 * ls` lists it. Objects of other types are PERDURE_WRONG_TYPE here; perdure_object_find finds them too.
 *
 * Addresses stay valid until the blob is destroyed or the store closed, and differ in the next run: what
 * refers to other places in the store keeps offsets (address.h). A common shape is one blob named "root": a
 * struct of offsets to everything else, which perdure_allocate gave. */
#ifndef PERDURE_C_BLOB_H
#define PERDURE_C_BLOB_H

#include <perdure/c/store.h>

PERDURE_BEGIN_DECLARATIONS

/// Makes a blob of `size` zeros. `alignment` is a power of two up to 2 MiB; 0 and less than 16 give 16.
/// `name` is text of 1 to 65535 bytes. PERDURE_ALREADY_EXISTS, PERDURE_READ_ONLY, PERDURE_INVALID_ARGUMENT,
/// PERDURE_OUT_OF_MEMORY.
PERDURE_API perdure_status perdure_blob_create(perdure_store* store, const char* name, size_t size,
                                               size_t alignment, void** data);

/// The blob of that name. `size`, unless it is NULL, is set to its bytes. In a read-only store it must not be
/// written to. PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE.
PERDURE_API perdure_status perdure_blob_find(const perdure_store* store, const char* name, void** data,
                                             size_t* size);

/// As perdure_blob_find, or perdure_blob_create where there is none; `created`, unless it is NULL, is set to
/// 1 or 0. Many threads may ask at once: one creates. A blob that has fewer than `size` bytes or does not lie
/// at a multiple of `alignment` is PERDURE_WRONG_TYPE; one that has more is given as it is.
PERDURE_API perdure_status perdure_blob_find_or_create(perdure_store* store, const char* name, size_t size,
                                                       size_t alignment, void** data, int* created);

/// Gives the blob's bytes back. PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE (an object of C++, whose destructor is
/// unknown here), PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_blob_destroy(perdure_store* store, const char* name);

/// As above, by address, also without a name. PERDURE_INVALID_ARGUMENT where no object begins.
PERDURE_API perdure_status perdure_blob_destroy_at(perdure_store* store, void* data);

PERDURE_END_DECLARATIONS

#endif
