// The two macros between which pMEMCPY's programs call it.
#pragma once

#include <cstdlib>
#include <exception>
#include <iostream>

/// Begins a block. What is declared in it ends with it.
#define PMEMCPY_ERROR_HANDLE_START() try {
/// Ends the block: the program prints what any call in it threw on the standard error stream, and ends with
/// status 1.
#define PMEMCPY_ERROR_HANDLE_END()                \
  }                                               \
  catch (const std::exception& pmemcpy_failure) { \
    std::cerr << pmemcpy_failure.what() << '\n';  \
    std::exit(EXIT_FAILURE);                      \
  }
