// Tells ThreadSanitizer of orders between threads that it cannot see.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define PERDURE_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERDURE_THREAD_SANITIZER
#endif
#endif

#ifdef PERDURE_THREAD_SANITIZER
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
#endif

namespace perdure::os {

/// From here to `end_ordered_reads` this thread reads memory that no other thread writes to: page protection
/// keeps them from it.
inline void begin_ordered_reads() noexcept {
#ifdef PERDURE_THREAD_SANITIZER
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#endif
}
inline void end_ordered_reads() noexcept {
#ifdef PERDURE_THREAD_SANITIZER
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

}  // namespace perdure::os
