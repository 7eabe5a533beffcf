/* Whether a store's files are whole, and mending them. */
#ifndef PERDURE_C_VERIFY_H
#define PERDURE_C_VERIFY_H

#include <perdure/c/store.h>
#include <perdure/c/text_list.h>

/// Options for verifying a store. Zero in a member means its default.
typedef struct perdure_verify_options {
  size_t struct_size;      ///< sizeof(perdure_verify_options)
  uint64_t most_findings;  ///< the report lists no more; it counts all. Default 10,000
  uint32_t threads;        ///< default: one for each processor this process may use
  uint32_t reserved;       ///< 0
} perdure_verify_options;

/// Options for repairing a store. Zero in a member means its default.
typedef struct perdure_repair_options {
  size_t struct_size;     ///< sizeof(perdure_repair_options)
  uint32_t threads;       ///< threads, as in perdure_verify_options
  int32_t accept_damage;  ///< not 0: take damaged pages, and zeros where a file is cut short, for right
} perdure_repair_options;

/// Outcome of a verification. Later versions add members at the end.
typedef struct perdure_verify_summary {
  size_t struct_size;      ///< sizeof(perdure_verify_summary), set by the caller
  uint64_t epoch;          ///< the checkpoint the store would open at
  uint64_t applied_epoch;  ///< the checkpoint the home files are at
  uint64_t pages;          ///< pages of the store
  uint64_t bytes_read;     ///< holes are not read
  uint64_t damages;        ///< findings that are damage, listed or not; 0: the store is whole
  uint64_t findings;       ///< listed in the report
} perdure_verify_summary;

/// The `page` of a finding that is not about one.
#define PERDURE_NO_PAGE UINT64_MAX

/// One thing that is not as a store's files should be. Later versions add members at the end.
typedef struct perdure_verify_finding {
  const char* section;  ///< part of a store that it is about ("home_page", "journal", …), as in `perdure
                        ///< verify --json`
  const char* file;     ///< name within the store's directory
  const char* what;     ///< a sentence
  uint64_t offset;      ///< in that file, in bytes
  uint64_t page;        ///< number of the page in the store, or PERDURE_NO_PAGE
  uint64_t epoch;       ///< the checkpoint that the bytes belong to
  int32_t damage;       ///< 0 for what a crash leaves behind and the next opening clears away by itself
} perdure_verify_finding;

/// Findings about a store. The report is owned by the caller, who frees it. It may be read from any thread.
typedef struct perdure_verify_report perdure_verify_report;

PERDURE_BEGIN_DECLARATIONS

/// Checks every byte of the store's files, and if they are whole, heap and objects too; changes nothing.
/// PERDURE_OK: whole. PERDURE_DAMAGED: `report` says where. In both cases `report`, unless it is NULL, is
/// set. `options` may be NULL. What keeps the store from being read at all fails as opening would.
PERDURE_API perdure_status perdure_verify(const char* path, const perdure_verify_options* options,
                                          perdure_verify_report** report);

/// Mends what can be mended from what is sound; changes nothing it cannot prove, unless told to. PERDURE_OK:
/// whole now. PERDURE_DAMAGED: damage is left. In both cases `done` (what was mended), `before` and `after`,
/// unless they are NULL, are set. Other failures as for opening.
PERDURE_API perdure_status perdure_repair(const char* path, const perdure_repair_options* options,
                                          perdure_text_list** done, perdure_verify_report** before,
                                          perdure_verify_report** after);

/// Fills `summary`. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_verify_report_summary(const perdure_verify_report* report,
                                                         perdure_verify_summary* summary);

/// Gives the finding at `index`, counted from 0; valid until the report is freed. PERDURE_INVALID_ARGUMENT
/// past the end.
PERDURE_API perdure_status perdure_verify_report_finding(const perdure_verify_report* report, size_t index,
                                                         const perdure_verify_finding** finding);

/// Frees the report. NULL is ignored.
PERDURE_API perdure_status perdure_verify_report_free(perdure_verify_report* report);

PERDURE_END_DECLARATIONS

#endif
