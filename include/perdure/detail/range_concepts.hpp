// The concepts of ranges, and `std::ranges::data` and its kin, without the views.
#pragma once

#include <span>

// libstdc++ declares them with <span>; its <ranges> takes a twentieth of what a program with stores compiles.
#ifndef _GLIBCXX_RELEASE
#include <ranges>
#endif
