/* Metall's C interface: blocks of memory in a store, with or without a name.
 *
 * Functions that fail return NULL or false and set errno. Thread safety is that of metall::manager. Link
 * perdure_metall_c (CMake: perdure::metall_c). */
#ifndef PERDURE_COMPAT_METALL_C_API_METALL_H
#define PERDURE_COMPAT_METALL_C_API_METALL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open store. A pointer to one may be cast to a pointer to metall::manager. */
typedef struct metall_manager metall_manager;

/* Opens a store at its last flush, also after a crash. ENOTRECOVERABLE: there is none, someone has it open,
 * or it is damaged. */
metall_manager* metall_open(const char* path);
/* As above, for reading: writing to the memory ends the program. */
metall_manager* metall_open_read_only(const char* path);
/* EEXIST: something is at the path. ENOTRECOVERABLE: any other failure. */
metall_manager* metall_create(const char* path);

/* Flushes and copies the store. False unless the copy is complete and durable. */
bool metall_snapshot(metall_manager* manager, const char* dst_path);
/* Makes the present content durable, atomically. */
void metall_flush(metall_manager* manager);
/* Flushes and closes. NULL is ignored. */
void metall_close(metall_manager* manager);
/* True if no store is at the path afterwards. EADDRINUSE: someone has it open. EINVAL: it is not a store. */
bool metall_remove(const char* path);

/* EINVAL: no manager. ENOMEM: the store, the disk or memory is full, or the store is open for reading. */
void* metall_malloc(metall_manager* manager, size_t size);
/* NULL is ignored. */
void metall_free(metall_manager* manager, void* ptr);
/* Zeroed memory under a name. EINVAL: no manager, no name, or the name is taken. ENOMEM: as above. */
void* metall_named_malloc(metall_manager* manager, const char* name, size_t size);
/* What metall_named_malloc gave. EINVAL: no manager or no name. ENOENT: nothing has the name. */
void* metall_find(metall_manager* manager, const char* name);
/* EINVAL and ENOENT as above. */
bool metall_named_free(metall_manager* manager, const char* name);

#ifdef __cplusplus
}
#endif

#endif
