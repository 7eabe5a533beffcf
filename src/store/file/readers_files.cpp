#include "store/file/readers_files.hpp"

#include <string>
#include <system_error>
#include <vector>

#include "store/file/failure.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/replaced_files.hpp"

namespace perdure::store {

namespace {

std::vector<std::string> files_that_writers_change(const os::file& directory) {
  std::vector<std::string> names;
  for (std::size_t i = 0; os::exists_in(directory, home_files::name_of(i)); ++i)
    names.push_back(home_files::name_of(i));
  for (const std::string& name : {std::string("crc"), journal::name_of(0), journal::name_of(1),
                                  std::string("undo"), std::string("super")})
    if (os::exists_in(directory, name)) names.push_back(name);
  return names;
}

}  // namespace

os::file leave_files_to_readers(const os::file& directory,
                                const std::function<void(const os::file& super)>& lock) {
  try {
    return replace_by_copies(directory, files_that_writers_change(directory), how_to_copy::share_blocks, lock)
        .value_or(os::file());
  } catch (const std::system_error& failure) {
    if (!is_refusal(failure)) throw;
    return {};
  }
}

}  // namespace perdure::store
