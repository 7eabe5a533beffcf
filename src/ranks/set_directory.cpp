// Where the parts of a set lie: beside the manifest, or on a device of the rank's own machine.
#include "ranks/set_directory.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
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

// A part that is to be no more, which an attempt that ended early may have left half made, or half removed.
void clear(const std::filesystem::path& path) {
  try {
    store_maintenance::remove(path);
  } catch (const error& failure) {
    if (failure.code() != errc::not_a_store) throw;
    os::remove_tree_in(os::file::open_directory(parent_of(path)), path.filename());
  }
}

// The same of one whose making was cut short: its hidden name says so. Whoever still makes it holds its lock.
void clear_hidden(const os::file& parent, const std::string& name) {
  std::optional<store_lock> lock;
  {
    const os::file directory = os::file::open_directory(parent.path() / name);
    if (os::exists_in(directory, "LOCK")) lock.emplace(directory, store_access::alone);
  }
  os::remove_tree_in(parent, name);
}

// Of which part a name in a directory of parts tells: `part.00001`, `part.00001.where`, `.part.00001.new-…`.
std::optional<std::uint32_t> rank_of(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  if (!name.starts_with("part.")) return std::nullopt;
  name.remove_prefix(5);
  std::uint32_t rank = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), rank);
  const bool is_one = failure == std::errc() && (end == name.data() + name.size() || *end == '.');
  return is_one ? std::optional(rank) : std::nullopt;
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  return names;
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
  auto elsewhere = read_place(number, rank);
  if (!elsewhere) throw_damaged(parts / where_name(rank), "it names no machine and no path");
  return *std::move(elsewhere);
}

// Nothing where the file that says so is cut short.
std::optional<set_directory::place> set_directory::read_place(std::uint64_t number,
                                                              std::uint32_t rank) const {
  const std::string text = read_text(os::file::open_directory(of_parts(number)), where_name(rank));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || end == 0 || text.size() < end + 3 || text.back() != '\n' ||
      text[end + 1] != '/')
    return std::nullopt;
  place found{text.substr(0, end), text.substr(end + 1, text.size() - end - 2), false};
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

std::filesystem::path set_directory::make_place_for_part(const set_state& set, std::uint32_t rank,
                                                         const std::filesystem::path& parts_directory) const {
  remove_part(set.number, rank);
  std::filesystem::path result = of_parts(set.number) / part_name(rank);
  clear(result);
  if (!parts_directory.empty()) {
    const std::filesystem::path own = std::filesystem::absolute(normalized_store_path(parts_directory)) /
                                      to_text(set.uuid) / numbered("set.%04llu", set.number);
    make_with_parents(own);
    result = own / part_name(rank);
    clear(result);
  }
  // Before there is anything: what a crash leaves there is found.
  note_place(set, rank, result);
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
    const os::file directory = os::file::open_directory(of_parts(number));
    clear(directory.path() / part_name(rank));
    if (!os::exists_in(directory, where_name(rank))) return;
    if (const auto elsewhere = read_place(number, rank)) {
      if (!elsewhere->is_here()) return;
      clear(elsewhere->path);
      os::remove_if_empty(elsewhere->path.parent_path());
      os::remove_if_empty(elsewhere->path.parent_path().parent_path());
    }
    os::remove_in(directory, where_name(rank));
  } catch (const std::exception&) {
    // The next opening tries again.
  }
}

void set_directory::remove_left_over(std::uint64_t number, std::uint32_t ranks) const noexcept {
  try {
    for (const std::string& name : names_in(root_))
      if (is_set_name(name)) remove_left_over_in(std::stoull(name.substr(4)), number, ranks);
  } catch (const std::exception&) {
    // What is left is nobody's, and the next opening tries again.
  }
}

void set_directory::remove_left_over_in(std::uint64_t directory_number, std::uint64_t number,
                                        std::uint32_t ranks) const noexcept {
  const bool is_of_set = directory_number == number;
  try {
    const os::file directory = os::file::open_directory(of_parts(directory_number));
    std::set<std::uint32_t> left;
    std::vector<std::string> hidden;
    for (const std::string& name : names_in(directory.path())) {
      const auto rank = rank_of(name);
      if (!rank || (is_of_set && *rank < ranks)) continue;
      left.insert(*rank);
      if (name.starts_with('.')) hidden.push_back(name);
    }
    for (const std::uint32_t rank : left) remove_part(directory_number, rank);
    for (const std::string& name : hidden)
      if (os::exists_in(directory, name)) clear_hidden(directory, name);
  } catch (const std::exception&) {
    // As above.
  }
  if (!is_of_set) os::remove_if_empty(of_parts(directory_number));
}

}  // namespace perdure::detail
