// A managed mapped file by the source that is compiled with Boost alone.
#pragma once

/// Adds a number to those in the file, and says how many there are. No file is left if `remove` is true.
unsigned long numbers_in_boosts_file(const char* path, bool remove);
