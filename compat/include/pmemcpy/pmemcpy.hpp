// The name by which some of pMEMCPY's programs include its interface.
#pragma once

#include <pmemcpy/pmemcpy.h>
