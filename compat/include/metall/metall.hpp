// The header a program includes.
#pragma once

#include <metall/basic_manager.hpp>
#include <metall/defs.hpp>
#include <metall/logger.hpp>
#include <metall/version.hpp>

namespace metall {

using manager = basic_manager<>;

}  // namespace metall
