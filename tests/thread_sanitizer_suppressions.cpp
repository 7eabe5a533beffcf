// For all test programs under ThreadSanitizer.

// libstdc++ counts the owners of an exception by atomic operations in the shared library, which is not
// instrumented: the thread that frees one seems to race with those that read its message before.
//
// oneTBB's library is not instrumented either, so that what it gives to memset seems to be another thread's;
// workload/parallel.hpp tells of the order that its callers rely on.
//
// Bytes that a thread copies to paged memory while another makes a checkpoint are ordered by write-protecting
// their pages, which ThreadSanitizer does not see.
extern "C" const char* __tsan_default_suppressions() {
  return "race:std::__exception_ptr::exception_ptr::_M_release\n"
         "called_from_lib:libtbb.so\n"
         "race:perdure::store::paged_memory::write_through\n";
}
