/* All objects in a store, those of C++ programs too. */
#ifndef PERDURE_C_OBJECT_H
#define PERDURE_C_OBJECT_H

#include <perdure/c/store.h>

/// The way in which an object is found again.
enum {
  PERDURE_OBJECT_NAMED = 0,     ///< by its name
  PERDURE_OBJECT_UNIQUE = 1,    ///< by its type, of which it is the only one
  PERDURE_OBJECT_ANONYMOUS = 2  ///< through other objects
};

/// One object. Later versions add members at the end.
typedef struct perdure_object_info {
  const char* name;       ///< "" unless it is a named one; ends with a zero but may hold others
  size_t name_length;     ///< bytes
  const char* type_name;  ///< type of one element, as a C++ program writes it, or as data.h does
  uint64_t length;        ///< elements
  uint64_t element_size;  ///< bytes
  uint64_t alignment;     ///< alignment that the element type asks for, bytes
  uint64_t offset;        ///< place of the first element, bytes from the start of the store
  void* data;             ///< the first element; valid until the object is destroyed or the store closed
  int32_t kind;           ///< PERDURE_OBJECT_…
  const char* data_type;  ///< type of one element for the functions of data.h; "" if they do not take it
} perdure_object_info;

/// Objects of a store. The list is owned by the caller, who frees it. It tells the moment it was made; may be
/// read from any thread.
typedef struct perdure_object_list perdure_object_list;

PERDURE_BEGIN_DECLARATIONS

/// Lists all objects of all kinds, in no particular order.
PERDURE_API perdure_status perdure_object_list_create(const perdure_store* store, perdure_object_list** list);

/// Finds the object of that name, whatever its type, as a list of one. Its bytes are for those who know the
/// type: the library cannot tell what they mean. PERDURE_NOT_FOUND.
PERDURE_API perdure_status perdure_object_find(const perdure_store* store, const char* name,
                                               perdure_object_list** list);

/// Sets `size` to the number of entries. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_object_list_size(const perdure_object_list* list, size_t* size);

/// Gives the object at `index`, counted from 0; valid until the list is freed. PERDURE_INVALID_ARGUMENT past
/// the end.
PERDURE_API perdure_status perdure_object_list_at(const perdure_object_list* list, size_t index,
                                                  const perdure_object_info** object);

/// Frees the list. NULL is ignored.
PERDURE_API perdure_status perdure_object_list_free(perdure_object_list* list);

/// Sets `count` to the number of objects of that kind (PERDURE_OBJECT_…).
PERDURE_API perdure_status perdure_object_count(const perdure_store* store, int kind, size_t* count);

PERDURE_END_DECLARATIONS

#endif
