// Which processes have a file open.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "os/file.hpp"

namespace perdure::os {

struct file_user {
  pid_t process;
  std::string command;  ///< its name as `ps` shows it
};

/// The other processes of this machine that have the file open, as far as this one may see: those of the same
/// user, and all of them for root. Reads /proc, whose size it takes time for; nothing where that is not
/// mounted.
std::vector<file_user> other_users_of(const file& opened);

}  // namespace perdure::os
