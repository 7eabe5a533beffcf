#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include "store_library.hpp"
@snippet@
