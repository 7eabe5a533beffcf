/* Version of the library. The version of the on-disk format is another matter: see perdure_store_info. */
#ifndef PERDURE_C_VERSION_H
#define PERDURE_C_VERSION_H

#include <perdure/c/linkage.h>
#include <stdint.h>

/// Version of the headers: major, minor and patch.
///@{
#define PERDURE_VERSION_MAJOR 0
#define PERDURE_VERSION_MINOR 1
#define PERDURE_VERSION_PATCH 0
///@}

/// Version of the headers as one number, for comparison with perdure_version_number().
#define PERDURE_VERSION_NUMBER \
  (PERDURE_VERSION_MAJOR * 1000000 + PERDURE_VERSION_MINOR * 1000 + PERDURE_VERSION_PATCH)

PERDURE_BEGIN_DECLARATIONS

/// Returns the version of the library in use: major * 1000000 + minor * 1000 + patch. Thread-safe.
PERDURE_API uint32_t perdure_version_number(void);

/// Returns the same as text ("0.1.0"), for ever valid. Thread-safe.
PERDURE_API const char* perdure_version_string(void);

PERDURE_END_DECLARATIONS

#endif
