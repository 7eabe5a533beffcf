// For all test programs under ThreadSanitizer.

// libstdc++ counts the owners of an exception by atomic operations in the shared library, which is not
// instrumented: the thread that frees one seems to race with those that read its message before.
extern "C" const char* __tsan_default_suppressions() {
  return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
