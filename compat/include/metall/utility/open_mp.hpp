// OpenMP where the compiler has it, one thread where it has not.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

#include <string>
#include <utility>

#define METALL_OPEN_MP_PRAGMA(text) _Pragma(#text)
#ifdef _OPENMP
#define OMP_DIRECTIVE(directive) METALL_OPEN_MP_PRAGMA(omp directive)
#else
#define OMP_DIRECTIVE(directive)
#endif

namespace metall::utility::omp {

#ifdef _OPENMP
using omp_sched_type = omp_sched_t;
#else
using omp_sched_type = int;
#endif

inline std::string schedule_kind_name([[maybe_unused]] const omp_sched_type kind) {
#ifdef _OPENMP
  // The monotonic modifier is the highest bit, in versions of OpenMP that have it.
  constexpr unsigned monotonic = 0x80000000U;
  const bool is_monotonic = (static_cast<unsigned>(kind) & monotonic) != 0;
  std::string name;
  switch (static_cast<unsigned>(kind) & ~monotonic) {
    case omp_sched_static:
      name = "omp_sched_static";
      break;
    case omp_sched_dynamic:
      name = "omp_sched_dynamic";
      break;
    case omp_sched_guided:
      name = "omp_sched_guided";
      break;
    case omp_sched_auto:
      name = "omp_sched_auto";
      break;
    default:
      name = "Unknown kind (" + std::to_string(static_cast<unsigned>(kind)) + ")";
  }
  return is_monotonic ? name + " with omp_sched_monotonic" : name;
#else
  return "OpenMP is not supported";
#endif
}

/// Kind and chunk size.
inline std::pair<omp_sched_type, int> get_schedule() {
  omp_sched_type kind{};
  int chunk_size = 0;
#ifdef _OPENMP
  ::omp_get_schedule(&kind, &chunk_size);
#endif
  return {kind, chunk_size};
}
inline int get_num_threads() noexcept {
#ifdef _OPENMP
  return ::omp_get_num_threads();
#else
  return 1;
#endif
}
inline int get_thread_num() noexcept {
#ifdef _OPENMP
  return ::omp_get_thread_num();
#else
  return 0;
#endif
}
inline void set_num_threads([[maybe_unused]] const int n) noexcept {
#ifdef _OPENMP
  ::omp_set_num_threads(n);
#endif
}

}  // namespace metall::utility::omp
