// Included first where C++20 is needed first: what is compiled as an older C++ gets one sentence.
#pragma once

#if __cplusplus < 202002L
#error "Perdure needs C++20: compile with -std=c++20 or later"
// Compilers go on after that, and would print pages. After a file that is not there they stop.
#include "compile with -std=c++20"
#endif
