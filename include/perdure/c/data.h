/* Named arrays of bytes, of numbers and of structs of numbers, which programs in every language find for what
 * they are. Bytes without a type of their own are "uint8".
 *
 * Types are text: "float64", "float32[3,4]" (a fixed array, row-major), "{16/8 id:uint64@0 at:float32[2]@8}"
 * (a struct of 16 bytes aligned to 8, with fields at offsets). The words are bool, char, int8 to int64, uint8
 * to uint64, float16, bfloat16, float32, float64, complex64 and complex128. A C++ program finds such an array
 * as one of its own type of the same layout, `store.find<double>("x")`, and what it has constructed of such
 * types is found here; arrays of std::byte are found as "uint8".
 *
 * Addresses stay valid until the array is destroyed or the store closed, and differ in the next run: what
 * refers to other places in the store keeps offsets (address.h). A common shape is one array named "root" of
 * one element: a struct of offsets to everything else, which perdure_allocate gave. */
#ifndef PERDURE_C_DATA_H
#define PERDURE_C_DATA_H

#include <perdure/c/store.h>

PERDURE_BEGIN_DECLARATIONS

/// Makes an array of `length` elements of zeros. `alignment` is a power of two up to 2 MiB, 0 the type's own;
/// it is 16 at least. `name` is text of 1 to 65535 bytes. PERDURE_ALREADY_EXISTS, PERDURE_READ_ONLY,
/// PERDURE_INVALID_ARGUMENT, PERDURE_BAD_INPUT (a text that is no type), PERDURE_OUT_OF_MEMORY.
PERDURE_API perdure_status perdure_data_create(perdure_store* store, const char* name, const char* type,
                                               uint64_t length, size_t alignment, void** data);

/// Finds the array of that name, if it is of that type; `length`, unless it is NULL, is set to its elements.
/// In a read-only store it must not be written to. PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE. Of an array of
/// unknown type perdure_object_find tells the type.
PERDURE_API perdure_status perdure_data_find(const perdure_store* store, const char* name, const char* type,
                                             void** data, uint64_t* length);

/// Finds an array as perdure_data_find does, or creates it as perdure_data_create does where there is none;
/// `created`, unless it is NULL, is set to 1 or 0. Many threads may ask at once: one creates. An array that
/// has fewer than `length` elements or does not lie at a multiple of `alignment` is PERDURE_WRONG_TYPE; one
/// that has more is given as it is.
PERDURE_API perdure_status perdure_data_find_or_create(perdure_store* store, const char* name,
                                                       const char* type, uint64_t length, size_t alignment,
                                                       void** data, int* created);

/// Gives the array's bytes back, whichever language made it. PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE (an object
/// that is more than plain data), PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_data_destroy(perdure_store* store, const char* name);

/// Destroys the array whose first element is at `data`, also one without a name. PERDURE_INVALID_ARGUMENT
/// where no object begins, PERDURE_WRONG_TYPE, PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_data_destroy_at(perdure_store* store, void* data);

PERDURE_END_DECLARATIONS

#endif
