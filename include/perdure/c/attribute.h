/* Attributes of named objects, arrays and others: small values under keys, for descriptions, units, versions.
 * Values are any bytes, up to 1 MiB; keys are text of up to 4 KiB. */
#ifndef PERDURE_C_ATTRIBUTE_H
#define PERDURE_C_ATTRIBUTE_H

#include <perdure/c/store.h>

/// An attribute: a key and a value of any bytes.
typedef struct perdure_attribute {
  const char* key;    ///< ends with a zero
  size_t key_length;  ///< bytes
  const void* value;  ///< a zero follows it
  size_t value_size;  ///< bytes
} perdure_attribute;

/// Attributes of an object. The list is owned by the caller, who frees it. It tells the moment it was made;
/// may be read from any thread, and outlives the store.
typedef struct perdure_attribute_list perdure_attribute_list;

PERDURE_BEGIN_DECLARATIONS

/// Adds the attribute to the object of that name, or replaces its value. `value` may be NULL if `value_size`
/// is 0. PERDURE_NOT_FOUND (no such object), PERDURE_READ_ONLY, PERDURE_INVALID_ARGUMENT (too long, or too
/// many).
PERDURE_API perdure_status perdure_attribute_set(perdure_store* store, const char* name, const char* key,
                                                 const void* value, size_t value_size);

/// Copies the value to `buffer`, and sets `value_size` (unless it is NULL) to its bytes. With a `capacity` of
/// 0 `buffer` may be NULL and only the size is told. A value longer than any other `capacity` is
/// PERDURE_INVALID_ARGUMENT; nothing is copied then, but the size is told. PERDURE_NOT_FOUND where there is
/// no such object or attribute.
PERDURE_API perdure_status perdure_attribute_get(const perdure_store* store, const char* name,
                                                 const char* key, void* buffer, size_t capacity,
                                                 size_t* value_size);

/// Removes an attribute. PERDURE_NOT_FOUND where there is no such object or attribute; PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_attribute_remove(perdure_store* store, const char* name, const char* key);

/// Lists all attributes of the object of that name. PERDURE_NOT_FOUND.
PERDURE_API perdure_status perdure_attribute_list_create(const perdure_store* store, const char* name,
                                                         perdure_attribute_list** list);

/// Sets `size` to the number of entries. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_attribute_list_size(const perdure_attribute_list* list, size_t* size);

/// Gives the attribute at `index`, counted from 0; valid until the list is freed. PERDURE_INVALID_ARGUMENT
/// past the end.
PERDURE_API perdure_status perdure_attribute_list_at(const perdure_attribute_list* list, size_t index,
                                                     const perdure_attribute** attribute);

/// Frees the list. NULL is ignored.
PERDURE_API perdure_status perdure_attribute_list_free(perdure_attribute_list* list);

PERDURE_END_DECLARATIONS

#endif
