// The C header of GraphBLAS for C++: by itself it does not say that its functions are C's.
#pragma once

// What it includes is included before, as C++.
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
extern "C" {
#include <GraphBLAS.h>
}
