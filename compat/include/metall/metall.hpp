// The header a program includes. Metall's brings other headers along, and programs have come to need them.
#pragma once

#include <boost/container/vector.hpp>
#include <iostream>
#include <metall/basic_manager.hpp>
#include <metall/defs.hpp>
#include <metall/detail/hash.hpp>
#include <metall/detail/memory.hpp>
#include <metall/detail/time.hpp>
#include <metall/detail/utilities.hpp>
#include <metall/logger.hpp>
#include <metall/version.hpp>

namespace metall {

using manager = basic_manager<>;

}  // namespace metall
