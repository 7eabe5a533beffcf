/* Arrays by name, of any number of dimensions: what perdure::array_store is in C++, on the same arrays.
 *
 * Element types are text as in data.h ("float64", "{16/8 time:int64@0 at:float32[2]@8}"); besides, there are
 * "string" and "list<float64>" (any number of numbers), whose elements have any length each. Dimensions stand
 * the slowest first: elements of the last one lie beside each other. An array is read as the type and shape
 * that it has, never converted.
 *
 * Ids are text of 1 to 4096 bytes in which single slashes divide groups: "run/temperature". What a function
 * stores is complete when it returns, and durable with the next checkpoint; whoever reads or views an array
 * that is stored over sees the old one or the new one, whole.
 *
 * Thread safety: all may be called from any thread at once; arrays are written by one thread at a time. */
#ifndef PERDURE_C_ARRAY_H
#define PERDURE_C_ARRAY_H

#include <perdure/c/store.h>
#include <perdure/c/text_list.h>

/// The most dimensions of an array.
enum { PERDURE_MAX_RANK = 32 };

/// The place of the elements of an array.
enum {
  PERDURE_LAYOUT_BLOCKS = 0,      ///< each part as it was written (default)
  PERDURE_LAYOUT_CONTIGUOUS = 1,  ///< all beside each other; parts are written in place, where views see it
  PERDURE_LAYOUT_CHUNKED = 2      ///< in a grid of blocks of the same shape
};

/// The way in which the bytes of a block are made fewer. PERDURE_UNSUPPORTED where the library was built
/// without it.
enum {
  PERDURE_COMPRESSION_NONE = 0,
  PERDURE_COMPRESSION_LZ4 = 1,
  PERDURE_COMPRESSION_ZSTD = 2,
  PERDURE_COMPRESSION_BLOSC = 3
};

/// Options for storing an array. Zero in a member means its default. Later versions add members at the end.
typedef struct perdure_array_options {
  size_t struct_size;             ///< sizeof(perdure_array_options)
  int32_t layout;                 ///< PERDURE_LAYOUT_…
  int32_t compression;            ///< PERDURE_COMPRESSION_…; none with PERDURE_LAYOUT_CONTIGUOUS
  int32_t level;                  ///< level of the compression; 0: its usual one
  int32_t no_shuffle;             ///< not 0: compress elements as they are, not sorted by bytes
  const uint64_t* chunk;          ///< chunked: elements along each dimension; NULL: chosen, of about a MiB
  const char* const* dimensions;  ///< a name for each dimension; NULL: none
  /// Not 0: an array of that id that is of another type (where one is created: of another type or shape) is
  /// replaced in one step, with its attributes. With 0 that is PERDURE_WRONG_TYPE or PERDURE_ALREADY_EXISTS.
  int32_t replaces_any;
  int32_t reserved;  ///< 0
} perdure_array_options;

/// A part of an array: `count` elements along each dimension, the first at `offset`, each `stride` behind the
/// one before; and where they lie in the caller's memory.
typedef struct perdure_array_part {
  size_t rank;                    ///< the array's number of dimensions
  const uint64_t* offset;         ///< NULL: 0 everywhere
  const uint64_t* count;          ///< elements along each dimension
  const uint64_t* stride;         ///< NULL: 1 everywhere
  const int64_t* memory_strides;  ///< bytes between neighbours in the caller's memory; NULL: row-major
} perdure_array_part;

/// One array. Later versions add members at the end.
typedef struct perdure_array_info {
  const char* id;                 ///< name of the array
  const char* type;               ///< element type
  size_t rank;                    ///< number of dimensions
  const uint64_t* dims;           ///< length of each dimension
  const char* const* dimensions;  ///< their names; NULL if they have none
  const uint64_t* chunk;          ///< elements of a chunk along each dimension; NULL unless chunked
  uint64_t elements;              ///< number of elements
  uint64_t element_size;          ///< bytes; 0 of elements of any length
  uint64_t bytes;                 ///< bytes of all elements, as they are read
  uint64_t stored_bytes;          ///< bytes of all blocks
  uint64_t blocks;                ///< number of blocks that the elements are in
  int32_t layout;                 ///< PERDURE_LAYOUT_…
  int32_t compression;            ///< PERDURE_COMPRESSION_…
  int32_t is_viewable;            ///< not 0: perdure_array_view_create gives it without a copy
  int32_t reserved;               ///< 0
} perdure_array_info;

/// Arrays of a store. The list is owned by the caller, who frees it. It tells the moment it was made; may be
/// read from any thread, and outlives the store.
typedef struct perdure_array_list perdure_array_list;

/// A value beside an array: units, a description, a table. With type "string" and rank 0 the value is one
/// text. With a higher rank the value begins with one uint64_t per text, the offset where that text ends in
/// the characters; the characters of all texts follow. An attribute without a value (null) has 0 bytes and a
/// type that begins with "opaque(0/1 ".
typedef struct perdure_array_attribute {
  const char* key;       ///< name of the attribute
  const char* type;      ///< type of an element of the value
  size_t rank;           ///< number of dimensions; 0 for a single value
  const uint64_t* dims;  ///< length of each dimension
  const void* value;     ///< a zero byte follows it
  size_t bytes;          ///< length of `value` in bytes
} perdure_array_attribute;

/// Attributes of an array; the list is owned as perdure_array_list is.
typedef struct perdure_array_attribute_list perdure_array_attribute_list;

/// An array where it lies in the store, as it was when the view was made: storing over the array, or erasing
/// it, leaves the view alone. Ends before its store is closed; freeing it later is allowed.
typedef struct perdure_array_view perdure_array_view;

/// An array, or a part of one, that is being stored. Owned by the caller, who frees it at any time; freeing
/// waits for it. May outlive the store; thread-safe, but freed once. In a child of fork() its outcome is not
/// known: PERDURE_INVALID_ARGUMENT.
typedef struct perdure_pending_store perdure_pending_store;

PERDURE_BEGIN_DECLARATIONS

/// Replaces the array of that id, or makes one, of row-major elements at `data` (which may be NULL if there
/// are none). A `rank` of 0 is a single element; `dims` may be NULL then. `options` may be NULL.
/// PERDURE_WRONG_TYPE where there is an array of another type (its shape may be another) and
/// `options->replaces_any` is 0, PERDURE_READ_ONLY,
/// PERDURE_INVALID_ARGUMENT, PERDURE_BAD_INPUT (a text that is no type), PERDURE_NO_SPACE,
/// PERDURE_OUT_OF_MEMORY, PERDURE_IO.
PERDURE_API perdure_status perdure_array_store(perdure_store* store, const char* id, const char* type,
                                               size_t rank, const uint64_t* dims, const void* data,
                                               const perdure_array_options* options);

/// Makes an array of zeros, of which parts will be written. PERDURE_ALREADY_EXISTS (with
/// `options->replaces_any` only where the array has this type and shape), and as above.
PERDURE_API perdure_status perdure_array_create(perdure_store* store, const char* id, const char* type,
                                                size_t rank, const uint64_t* dims,
                                                const perdure_array_options* options);

/// Writes a part, or all elements if `part` is NULL, of an array that is there. PERDURE_NOT_FOUND,
/// PERDURE_WRONG_TYPE, PERDURE_INVALID_ARGUMENT (the part is not inside the array), and as above.
PERDURE_API perdure_status perdure_array_write(perdure_store* store, const char* id, const char* type,
                                               const perdure_array_part* part, const void* data);

/// Begins to store as perdure_array_store does, and returns before that has ended; a thread of the library's
/// goes on. The elements at `data` must stay as they are until the handle is ready, has been waited for, or
/// is freed; all other arguments need not. What keeps the elements from being stored,
/// perdure_pending_store_wait returns. PERDURE_READ_ONLY and PERDURE_INVALID_ARGUMENT (also between
/// perdure_begin_writing and perdure_end_writing) are returned here.
///
/// Stores take place one after the other, in the order in which they began. Changes of the same array wait
/// for them; readers see the old array or the new one. A checkpoint waits for all stores that began before
/// it, and has them. If one has failed and the program has not waited for it, the checkpoint returns that
/// failure once and is not made. perdure_store_discard waits for the array that is being stored; those behind
/// it fail. Each rank of a set stores for itself.
PERDURE_API perdure_status perdure_array_store_async(perdure_store* store, const char* id, const char* type,
                                                     size_t rank, const uint64_t* dims, const void* data,
                                                     const perdure_array_options* options,
                                                     perdure_pending_store** pending);

/// Begins to write as perdure_array_write does; everything else is as above.
PERDURE_API perdure_status perdure_array_write_async(perdure_store* store, const char* id, const char* type,
                                                     const perdure_array_part* part, const void* data,
                                                     perdure_pending_store** pending);

/// Waits until the elements are stored, or returns what kept them from being stored, each time.
PERDURE_API perdure_status perdure_pending_store_wait(const perdure_pending_store* pending);

/// Sets `ready` to 1 if the store has ended, so that waiting returns at once, and else to 0.
PERDURE_API perdure_status perdure_pending_store_ready(const perdure_pending_store* pending, int* ready);

/// Waits until the store has ended. NULL is ignored.
PERDURE_API perdure_status perdure_pending_store_free(perdure_pending_store* pending);

/// Reads a part, or all elements if `part` is NULL; what was never written is zero. `bytes` is the size of
/// the memory at `data`: without memory_strides just that of the elements, with them enough for the last one.
/// PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE, PERDURE_INVALID_ARGUMENT (also a wrong size), PERDURE_DAMAGED,
/// PERDURE_IO.
PERDURE_API perdure_status perdure_array_read(const perdure_store* store, const char* id, const char* type,
                                              const perdure_array_part* part, void* data, size_t bytes);

/// Adds `steps` elements behind the last of the first dimension: row-major elements of the array's other
/// dimensions, `steps` times. PERDURE_UNSUPPORTED for a contiguous array.
PERDURE_API perdure_status perdure_array_append(perdure_store* store, const char* id, const char* type,
                                                uint64_t steps, const void* data);

/// Changes the shape. Elements outside are dropped; new ones are zero. PERDURE_UNSUPPORTED for a contiguous
/// array.
PERDURE_API perdure_status perdure_array_resize(perdure_store* store, const char* id, size_t rank,
                                                const uint64_t* dims);

/// Stores one text of `length` bytes, as an array "string" without dimensions.
PERDURE_API perdure_status perdure_array_store_text(perdure_store* store, const char* id, const char* text,
                                                    size_t length);

/// Stores elements of any length each: `type` is "string" or "list<…>". Element i is `bytes[ends[i-1] ..
/// ends[i])`, the first from 0, in row-major order.
PERDURE_API perdure_status perdure_array_store_variable(perdure_store* store, const char* id,
                                                        const char* type, size_t rank, const uint64_t* dims,
                                                        const void* bytes, const uint64_t* ends,
                                                        const perdure_array_options* options);

/// Reads the elements of such an array as a list, for the caller to free; perdure_text_list_length tells the
/// bytes of each, which lie at a multiple of 8.
PERDURE_API perdure_status perdure_array_read_variable(const perdure_store* store, const char* id,
                                                       const char* type, perdure_text_list** elements);

/// Removes the array. PERDURE_NOT_FOUND, PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_array_erase(perdure_store* store, const char* id);

/// Gives what is known of the array, as a list of one. PERDURE_NOT_FOUND.
PERDURE_API perdure_status perdure_array_find(const perdure_store* store, const char* id,
                                              perdure_array_list** list);

/// Lists all arrays, sorted by id; or those of the group `group` ("run" has "run" and "run/x", not "running")
/// unless it is NULL.
PERDURE_API perdure_status perdure_array_list_create(const perdure_store* store, const char* group,
                                                     perdure_array_list** list);

/// Sets `size` to the number of entries. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_array_list_size(const perdure_array_list* list, size_t* size);

/// Gives the array at `index`, counted from 0; valid until the list is freed. PERDURE_INVALID_ARGUMENT past
/// the end.
PERDURE_API perdure_status perdure_array_list_at(const perdure_array_list* list, size_t index,
                                                 const perdure_array_info** array);

/// Frees the list. NULL is ignored.
PERDURE_API perdure_status perdure_array_list_free(perdure_array_list* list);

/// Gives the array where it lies in the store, without a copy: row-major elements at `data`, `bytes` (unless
/// NULL) of them. With `to_write` not 0 of a contiguous array, which may be written there; what is written is
/// durable with the next checkpoint. PERDURE_UNSUPPORTED where it does not lie in one piece
/// (perdure_array_info.is_viewable), PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE.
PERDURE_API perdure_status perdure_array_view_create(const perdure_store* store, const char* id,
                                                     const char* type, int to_write,
                                                     perdure_array_view** view, void** data, size_t* bytes);

/// Frees the view. NULL is ignored.
PERDURE_API perdure_status perdure_array_view_free(perdure_array_view* view);

/// Brings the array into memory, with many reads at a time. PERDURE_NOT_FOUND, PERDURE_IO.
PERDURE_API perdure_status perdure_array_prefetch(const perdure_store* store, const char* id);

/// Compares the array's blocks with their checksums: PERDURE_OK, or PERDURE_DAMAGED. `wrong`, unless it is
/// NULL, is set to what is wrong, for the caller to free, in both cases.
PERDURE_API perdure_status perdure_array_check(const perdure_store* store, const char* id,
                                               perdure_text_list** wrong);

/// Adds the attribute to the array, or replaces it. `bytes` is the size of `value`: of the elements, or of
/// the text if `type` is "string". PERDURE_NOT_FOUND, PERDURE_READ_ONLY, PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_array_attribute_set(perdure_store* store, const char* id, const char* key,
                                                       const char* type, size_t rank, const uint64_t* dims,
                                                       const void* value, size_t bytes);

/// Copies the value to `buffer`, and sets `value_size` (unless it is NULL) to its bytes. With a `capacity` of
/// 0 `buffer` may be NULL and only the size is told. A value longer than any other `capacity` is
/// PERDURE_INVALID_ARGUMENT. PERDURE_NOT_FOUND, PERDURE_WRONG_TYPE.
PERDURE_API perdure_status perdure_array_attribute_get(const perdure_store* store, const char* id,
                                                       const char* key, const char* type, void* buffer,
                                                       size_t capacity, size_t* value_size);

/// Removes an attribute. PERDURE_NOT_FOUND where there is no such array or attribute; PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_array_attribute_remove(perdure_store* store, const char* id,
                                                          const char* key);

/// Lists all attributes of the array, sorted by key. PERDURE_NOT_FOUND.
PERDURE_API perdure_status perdure_array_attribute_list_create(const perdure_store* store, const char* id,
                                                               perdure_array_attribute_list** list);

/// Sets `size` to the number of entries. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_array_attribute_list_size(const perdure_array_attribute_list* list,
                                                             size_t* size);

/// Gives the attribute at `index`, counted from 0; valid until the list is freed. PERDURE_INVALID_ARGUMENT
/// past the end.
PERDURE_API perdure_status perdure_array_attribute_list_at(const perdure_array_attribute_list* list,
                                                           size_t index,
                                                           const perdure_array_attribute** attribute);

/// Frees the list. NULL is ignored.
PERDURE_API perdure_status perdure_array_attribute_list_free(perdure_array_attribute_list* list);

PERDURE_END_DECLARATIONS

#endif
