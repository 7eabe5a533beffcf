/* Offsets: numbers that name places in a store in every process, whatever address the store is mapped at.
 *
 * Structures in a store refer to each other by offset; 0 is no place. A program that follows many of them
 * keeps the base address, which stays the same while the store is open, and adds. */
#ifndef PERDURE_C_ADDRESS_H
#define PERDURE_C_ADDRESS_H

#include <perdure/c/store.h>

PERDURE_BEGIN_DECLARATIONS

/// Gives the distance from the store's first byte; 0 for NULL. PERDURE_INVALID_ARGUMENT for an address
/// outside.
PERDURE_API perdure_status perdure_offset_of(const perdure_store* store, const void* address,
                                             uint64_t* offset);

/// Gives the address at an offset; NULL for 0. PERDURE_INVALID_ARGUMENT beyond the used part of the store.
PERDURE_API perdure_status perdure_address_of(const perdure_store* store, uint64_t offset, void** address);

/// Gives the store's first byte, and (unless NULL) the bytes of its used part, which may grow.
PERDURE_API perdure_status perdure_base(const perdure_store* store, void** base, size_t* size);

PERDURE_END_DECLARATIONS

#endif
