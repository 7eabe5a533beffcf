/* Texts that a function gives: sentences, one finding each, or the elements of an array. */
#ifndef PERDURE_C_TEXT_LIST_H
#define PERDURE_C_TEXT_LIST_H

#include <perdure/c/error.h>
#include <stddef.h>

/// Texts in an order. The list is owned by the caller, who frees it. It never changes; may be read from any
/// thread, and outlives the store.
typedef struct perdure_text_list perdure_text_list;

PERDURE_BEGIN_DECLARATIONS

/// Sets `size` to the number of entries. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_text_list_size(const perdure_text_list* list, size_t* size);

/// Gives the text at `index`, counted from 0, and a zero byte behind it; valid until the list is freed.
/// PERDURE_INVALID_ARGUMENT past the end.
PERDURE_API perdure_status perdure_text_list_at(const perdure_text_list* list, size_t index,
                                                const char** text);

/// Sets `bytes` to the length of the text at `index`, which may hold zeros. PERDURE_INVALID_ARGUMENT past the
/// end.
PERDURE_API perdure_status perdure_text_list_length(const perdure_text_list* list, size_t index,
                                                    size_t* bytes);

/// Frees the list. NULL is ignored.
PERDURE_API perdure_status perdure_text_list_free(perdure_text_list* list);

PERDURE_END_DECLARATIONS

#endif
