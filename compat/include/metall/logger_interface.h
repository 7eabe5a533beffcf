/* The logging hook, in C, so that a program in any language may take the messages. */
#ifndef PERDURE_COMPAT_METALL_LOGGER_INTERFACE_H
#define PERDURE_COMPAT_METALL_LOGGER_INTERFACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum metall_log_level {
  metall_critical = 5,
  metall_error = 4,
  metall_warning = 3,
  metall_info = 2,
  metall_debug = 1,
  metall_verbose = 0
} metall_log_level;

/* Takes every message. With METALL_LOGGER_EXTERN_C defined the program defines this function; otherwise
 * metall/logger.hpp does, and writes to the standard error stream. Must not throw; called from any thread. */
void metall_log(metall_log_level level, const char* file_name, size_t line_no, const char* message);

#ifdef __cplusplus
}
#endif

#endif
