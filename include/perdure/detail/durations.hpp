// `std::chrono::duration`, without clocks and calendars where the standard library can do that.
#pragma once

#include <cstddef>  // defines the macros of the library

// libstdc++ declares it with <filesystem> from version 12 on, when <chrono> got the calendars of C++20.
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 12
#include <filesystem>
#else
#include <chrono>
#endif
