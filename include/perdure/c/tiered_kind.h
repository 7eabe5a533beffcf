/* Memory tiering: a kind that divides what it is asked for among other kinds. */
#ifndef PERDURE_C_TIERED_KIND_H
#define PERDURE_C_TIERED_KIND_H

#include <perdure/c/kind.h>

enum {
  /// Each block goes to the tier that is farthest behind its share.
  PERDURE_TIERING_STATIC_RATIO = 0,
  /// Smaller blocks go to the first tier, larger ones to the next; the thresholds move so that the shares
  /// come about.
  PERDURE_TIERING_SIZE_THRESHOLD = 1
};

/// A kind that a tiered kind takes blocks from, and its share.
typedef struct perdure_memory_tier {
  perdure_kind* kind;  ///< must outlive the tiered kind
  uint64_t share;      ///< share of the bytes in use, in proportion to the others
} perdure_memory_tier;

/// The threshold between two tiers, in bytes of a block. Zero: the default.
typedef struct perdure_size_threshold {
  size_t initial;  ///< default 1024
  size_t least;    ///< default 64
  size_t most;     ///< default 64 MiB
} perdure_size_threshold;

/// Options of a tiered kind. Zero in a member means its default.
typedef struct perdure_tiering_options {
  size_t struct_size;       ///< sizeof(perdure_tiering_options)
  int32_t tiering;          ///< PERDURE_TIERING_…
  uint32_t check_interval;  ///< allocations between looks at the shares; default 64
  double tolerance;         ///< how far, in parts of its goal, a share may be off; default 0.05
  double degree;            ///< by what part a threshold moves then; default 0.15
  const perdure_size_threshold* thresholds;  ///< one fewer than tiers; NULL: defaults
  size_t threshold_count;                    ///< number of `thresholds`
  int32_t no_fall_back;  ///< not 0: fail when the chosen tier has no memory, and try no other
  uint32_t reserved;     ///< 0
} perdure_tiering_options;

PERDURE_BEGIN_DECLARATIONS

/// Makes a kind that divides what it is asked for among others. Free its blocks through it: what
/// perdure_kind_free frees without a kind is counted as in use. The kinds must have ranges of their own (none
/// of perdure_kind_ops.malloc). PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_kind_create_tiered(const perdure_memory_tier* tiers, size_t count,
                                                      const perdure_tiering_options* tiering,
                                                      const perdure_kind_options* options,
                                                      perdure_kind** kind);
/// Gives the bytes in use of each tier, in their order; `count` is how many fit. PERDURE_WRONG_TYPE for
/// another kind, PERDURE_INVALID_ARGUMENT for fewer places than tiers.
PERDURE_API perdure_status perdure_kind_tier_bytes(const perdure_kind* kind, uint64_t* bytes, size_t count);
/// Gives the thresholds between the tiers (none for static ratios), likewise.
PERDURE_API perdure_status perdure_kind_tier_thresholds(const perdure_kind* kind, size_t* thresholds,
                                                        size_t count);

PERDURE_END_DECLARATIONS

#endif
