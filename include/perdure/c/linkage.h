/* Linkage of the declarations of the C API. */
#ifndef PERDURE_C_LINKAGE_H
#define PERDURE_C_LINKAGE_H

/// \cond
#ifdef __cplusplus
#define PERDURE_BEGIN_DECLARATIONS extern "C" {
#define PERDURE_END_DECLARATIONS }
#else
#define PERDURE_BEGIN_DECLARATIONS
#define PERDURE_END_DECLARATIONS
#endif

/* Visible also in builds that hide symbols by default. */
#define PERDURE_API __attribute__((visibility("default")))
/// \endcond

#endif
