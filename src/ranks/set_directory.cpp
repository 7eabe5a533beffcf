// Where the parts of a set lie: beside the manifest, or on a device of the rank's own machine.
#include "ranks/set_directory.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <system_error>
#include <vector>

#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/super_block.hpp"

namespace perdure::detail {

namespace {

std::string numbered(const char* format, std::uint64_t number) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned long long>(number));
  return text.data();
}

std::string part_name(std::uint32_t rank) {
  return numbered("part.%05llu", rank);
}

std::string where_name(std::uint32_t rank) {
  return part_name(rank) + ".where";
}

void make_if_missing(const std::filesystem::path& path) {
  try {
    os::make_directory(path);
  } catch (const std::system_error& failure) {
    if (failure.code().value() != EEXIST || !std::filesystem::is_directory(path)) throw;
    // Another rank may have made it and be about to sync its name.
  }
  os::file::open_directory(parent_of(path)).sync();
}

void make_with_parents(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return;
  if (path.has_parent_path() && path.parent_path() != path) make_with_parents(path.parent_path());
  make_if_missing(path);
}

std::string read_text(const os::file& directory, const std::string& name) {
  const os::file file = os::file::open_in(directory, name, O_RDONLY);
  std::string text(std::min<std::uint64_t>(file.size(), 1 << 16), '\0');
  text.resize(file.read_at(text.data(), text.size(), 0));
  return text;
}

// What an attempt that ended early left in the place of a part, which may be half made, or half removed.
void clear(const std::filesystem::path& path) {
  try {
    datastore::remove(path);
  } catch (const error& failure) {
    if (failure.code() != errc::not_a_store) throw;
    std::filesystem::remove_all(path);
  }
}

bool is_set_name(const std::string& name) {
  return name.size() >= 8 && name.starts_with("set.") &&
         name.find_first_not_of("0123456789", 4) == std::string::npos;
}

}  // namespace

struct set_directory::place {
  std::string host;  // empty: any, or none
  std::filesystem::path path;
  bool exists = false;

  bool is_here() const { return host.empty() || host == os::this_process().host; }
};

set_directory::set_directory(const std::filesystem::path& root)
    : root_(std::filesystem::absolute(normalized_store_path(root))) {}

std::filesystem::path set_directory::of_parts(std::uint64_t number) const {
  return root_ / numbered("set.%04llu", number);
}

os::file set_directory::make() const {
  const auto require_free_of_others = [this] {
    if (!std::filesystem::is_directory(root_)) {
      throw error(errc::already_exists, root_.string() + " exists and is no directory: choose another path");
    }
    if (os::exists_in(os::file::open_directory(root_), set_manifest::name) ||
        os::exists_in(os::file::open_directory(root_), set_manifest::unfinished_name) ||
        is_empty_directory(root_))
      return;
    const bool has_parts = std::filesystem::exists(of_parts(1));
    throw error(
        errc::already_exists,
        root_.string() + (has_parts ? " holds parts of a set and no file `manifest`: if that was lost, "
                                      "restore it; else remove the directory"
                                    : " exists already: choose another path"));
  };
  if (std::filesystem::exists(std::filesystem::symlink_status(root_))) {
    require_free_of_others();
  } else {
    make_if_missing(root_);
  }
  return os::file::open_directory(root_);
}

os::file set_directory::open() const {
  try {
    return os::file::open_directory(root_);
  } catch (const std::system_error& failure) {
    const int code = failure.code().value();
    if (code == ENOENT)
      throw error(errc::not_found, "there is no set of stores " + root_.string() + ": create it first");
    if (code == ENOTDIR)
      throw error(errc::not_a_store,
                  root_.string() + " is no set of stores: that is a directory, this is not");
    throw;
  }
}

void set_directory::make_for_parts(std::uint64_t number) const {
  make_if_missing(of_parts(number));
}

set_directory::place set_directory::find(std::uint64_t number, std::uint32_t rank) const {
  const std::filesystem::path parts = of_parts(number);
  place found{{}, parts / part_name(rank), false};
  os::file directory;
  try {
    directory = os::file::open_directory(parts);
  } catch (const std::system_error& failure) {
    if (failure.code().value() == ENOENT) return found;
    throw;
  }
  if (os::exists_in(directory, part_name(rank))) {
    found.exists = true;
    return found;
  }
  if (!os::exists_in(directory, where_name(rank))) return found;
  const std::string text = read_text(directory, where_name(rank));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || end == 0 || text.size() < end + 3 || text.back() != '\n' ||
      text[end + 1] != '/')
    throw_damaged(parts / where_name(rank), "it names no machine and no path");
  found.host = text.substr(0, end);
  found.path = text.substr(end + 1, text.size() - end - 2);
  found.exists = !found.is_here() || std::filesystem::exists(found.path);
  return found;
}

std::filesystem::path set_directory::part(std::uint64_t number, std::uint32_t rank) const {
  const place found = find(number, rank);
  if (!found.exists)
    throw_damaged(root_,
                  "part " + std::to_string(rank) + " of the set is missing (" + found.path.string() + ')');
  if (!found.is_here()) {
    throw error(errc::not_found,
                "part " + std::to_string(rank) + " of " + root_.string() + " lies on the machine " +
                    found.host + ", in " + found.path.string() +
                    ": run that rank there, or take a snapshot of the set to a place that all "
                    "machines reach while it is open");
  }
  return found.path;
}

bool set_directory::is_here(std::uint64_t number, std::uint32_t rank) const {
  return find(number, rank).is_here();
}

std::filesystem::path set_directory::place_for_part(const set_state& set, std::uint32_t rank,
                                                    const std::filesystem::path& parts_directory) const {
  std::filesystem::path result = of_parts(set.number) / part_name(rank);
  clear(result);
  if (!parts_directory.empty()) {
    const std::filesystem::path own = std::filesystem::absolute(normalized_store_path(parts_directory)) /
                                      to_text(set.uuid) / numbered("set.%04llu", set.number);
    make_with_parents(own);
    result = own / part_name(rank);
    clear(result);
  }
  return result;
}

void set_directory::note_place(const set_state& set, std::uint32_t rank,
                               const std::filesystem::path& made) const {
  const std::filesystem::path parts = of_parts(set.number);
  const os::file directory = os::file::open_directory(parts);
  if (made == parts / part_name(rank)) return os::remove_in(directory, where_name(rank));
  const std::string text = os::this_process().host + '\n' + made.string() + '\n';
  if (std::count(text.begin(), text.end(), '\n') != 2)
    throw error(errc::invalid_argument, "a directory for parts cannot have a line break in its path");
  const os::file file = os::file::open_in(directory, where_name(rank), O_RDWR | O_CREAT | O_TRUNC);
  file.write_at(text.data(), text.size(), 0);
  file.sync();
  directory.sync();
}

void set_directory::remove_part(std::uint64_t number, std::uint32_t rank) const noexcept {
  try {
    const place found = find(number, rank);
    if (!found.is_here()) return;
    datastore::remove(found.path);
    if (!found.host.empty()) {
      std::error_code is_not_empty;
      std::filesystem::remove(found.path.parent_path(), is_not_empty);
    }
    os::remove_in(os::file::open_directory(of_parts(number)), where_name(rank));
  } catch (const std::exception&) {
    // The next opening tries again.
  }
}

void set_directory::remove_others(std::uint64_t number) const noexcept {
  try {
    for (const auto& entry : std::filesystem::directory_iterator(root_)) {
      const std::string name = entry.path().filename().string();
      if (!is_set_name(name) || entry.path() == of_parts(number)) continue;
      const std::uint64_t other = std::stoull(name.substr(4));
      std::vector<std::uint32_t> ranks;
      for (const auto& part : std::filesystem::directory_iterator(entry.path())) {
        const std::string file = part.path().filename().string();
        if (file.starts_with("part."))
          ranks.push_back(static_cast<std::uint32_t>(std::stoul(file.substr(5))));
      }
      for (const std::uint32_t rank : ranks) remove_part(other, rank);
      std::error_code is_not_empty;
      std::filesystem::remove(entry.path(), is_not_empty);
    }
  } catch (const std::exception&) {
    // What is left is nobody's, and the next opening tries again.
  }
}

}  // namespace perdure::detail
