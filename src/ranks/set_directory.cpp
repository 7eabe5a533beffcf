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

#include "os/directory_names.hpp"
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
  os::file::open_directory(store::parent_of(path)).sync();
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
    os::remove_tree_in(os::file::open_directory(store::parent_of(path)), path.filename());
  }
}

// The same of one whose making was cut short: its hidden name says so. Whoever still makes it holds its lock.
void clear_hidden(const os::file& parent, const std::string& name) {
  std::optional<store::store_lock> lock;
  {
    const os::file directory = os::file::open_directory(parent.path() / name);
    if (os::exists_in(directory, "LOCK")) lock.emplace(directory, store::store_access::alone);
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

// The checkpoint with which every new part begins: one with a directory of objects, one with the part's
// record.
constexpr std::uint64_t first_epoch_of_part = 2;

// Whether a set has decided on checkpoints of the part, or may have: not of one that is new, nor of a copy
// that nobody has opened since. False where no part is, or an unfinished one.
bool has_decided_checkpoints(const std::filesystem::path& part) {
  std::error_code failed;
  if (!std::filesystem::exists(part / "super", failed)) return false;
  try {
    const store_info info = store_maintenance::inspect(part);
    return info.epoch > first_epoch_of_part && (info.copied_ns == 0 || info.epoch != info.copied_epoch);
  } catch (const error& failure) {
    return failure.code() != errc::not_found && failure.code() != errc::not_a_store;
  }
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
  return text;
}

bool is_set_name(const std::string& name) {
  return name.size() >= 8 && name.starts_with("set.") &&
         name.find_first_not_of("0123456789", 4) == std::string::npos;
}

}  // namespace

bool set_directory::place::is_here() const {
  return host.empty() || host == os::this_process().host;
}

set_directory::set_directory(const std::filesystem::path& root)
    : root_(std::filesystem::absolute(store::normalized_store_path(root))) {}

std::filesystem::path set_directory::of_parts(std::uint64_t number) const {
  return root_ / numbered("set.%04llu", number);
}

os::file set_directory::make(bool others_may_write) const {
  const auto require_free_of_others = [this] {
    if (!std::filesystem::is_directory(root_)) {
      throw error(errc::already_exists, root_.string() + " exists and is no directory: choose another path");
    }
    if (os::exists_in(os::file::open_directory(root_), set_manifest::name) ||
        os::exists_in(os::file::open_directory(root_), set_manifest::unfinished_name) ||
        store::is_empty_directory(root_))
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
    if (!others_may_write && store::is_empty_directory(root_)) store::require_private_place(root_);
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
  if (!elsewhere) store::throw_damaged(parts / where_name(rank), "it names no machine and no path");
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
  if (const auto copy = copies_.find(rank); copy != copies_.end()) return copy->second;
  const place found = find(number, rank);
  if (!found.exists)
    store::throw_damaged(
        root_, "part " + std::to_string(rank) + " of the set is missing (" + found.path.string() + ')');
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

std::vector<set_directory::place> set_directory::places(const set_state& set) const {
  std::vector<place> all;
  for (std::uint32_t rank = 0; rank < set.ranks; ++rank) all.push_back(find(set.number, rank));
  return all;
}

void set_directory::require_all_here(const set_state& set) const {
  std::vector<std::string> missing;
  std::vector<std::string> elsewhere;
  for (std::uint32_t rank = 0; rank < set.ranks; ++rank) {
    const place found = find(set.number, rank);
    if (!found.exists) missing.push_back(std::to_string(rank) + " (" + found.path.string() + ')');
    if (!found.is_here())
      elsewhere.push_back(std::to_string(rank) + " (machine " + found.host + ", " + found.path.string() +
                          ')');
  }
  if (!missing.empty())
    store::throw_damaged(root_, (missing.size() == 1 ? "part " : "parts ") + joined(missing) +
                                    " of the set " + (missing.size() == 1 ? "is" : "are") + " missing");
  if (elsewhere.empty()) return;
  throw error(errc::not_found,
              root_.string() +
                  " cannot be used from one machine: " + (elsewhere.size() == 1 ? "part " : "parts ") +
                  joined(elsewhere) + (elsewhere.size() == 1 ? " lies" : " lie") +
                  " elsewhere; use a snapshot of the set that its program takes to a file system "
                  "that all machines reach");
}

std::filesystem::path set_directory::make_place_for_part(const set_state& set, std::uint32_t rank,
                                                         const std::filesystem::path& parts_directory) const {
  remove_part(set.number, rank);
  std::filesystem::path result = of_parts(set.number) / part_name(rank);
  clear(result);
  if (!parts_directory.empty()) {
    const std::filesystem::path own =
        std::filesystem::absolute(store::normalized_store_path(parts_directory)) / store::to_text(set.uuid) /
        numbered("set.%04llu", set.number);
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

void set_directory::erase_part(std::uint64_t number, std::uint32_t rank) const {
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
}

void set_directory::remove_part(std::uint64_t number, std::uint32_t rank) const noexcept {
  try {
    erase_part(number, rank);
  } catch (const std::exception&) {
    // The next opening tries again.
  }
}

void set_directory::remove_left_over(std::uint64_t number, std::uint32_t ranks) const noexcept {
  try {
    for (const std::string& name : os::names_in(root_))
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
    for (const std::string& name : os::names_in(directory.path())) {
      const auto rank = rank_of(name);
      if (!rank || (is_of_set && *rank < ranks)) continue;
      if (directory_number > number && is_decided(directory_number, *rank)) continue;
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

bool set_directory::is_decided(std::uint64_t number, std::uint32_t rank) const noexcept {
  try {
    const place where = find(number, rank);
    return where.is_here() && has_decided_checkpoints(where.path);
  } catch (const std::exception&) {
    // The file that says where the part lies is cut short: it was never there.
    return false;
  }
}

std::vector<set_directory::found_part> set_directory::parts_found() const {
  std::vector<found_part> all;
  for (const std::string& name : os::names_in(root_)) {
    if (!is_set_name(name)) continue;
    const std::uint64_t number = std::stoull(name.substr(4));
    std::set<std::uint32_t> ranks;
    for (const std::string& inside : os::names_in(root_ / name))
      if (const auto rank = rank_of(inside)) ranks.insert(*rank);
    for (const std::uint32_t rank : ranks) {
      place where{{}, of_parts(number) / part_name(rank), false};
      try {
        where = find(number, rank);
      } catch (const error&) {
        // What says where the part lies is cut short: nothing is to be found there.
      }
      all.push_back({number, rank, std::move(where)});
    }
  }
  return all;
}

void set_directory::require_no_set_after(std::uint64_t number) const {
  for (const found_part& one : parts_found()) {
    if (one.number <= number || !is_decided(one.number, one.rank)) continue;
    throw error(errc::already_exists,
                root_.string() + " holds part " + std::to_string(one.rank) + " of a set (" +
                    one.where.path.string() + ") " +
                    (number == 0 ? "and no file `manifest`" : "that its file `manifest` does not name") +
                    ": if that file was lost, restore it; else remove the directory (perdure rm)");
  }
}

bool set_directory::has_set() const {
  if (!std::filesystem::is_directory(root_)) return false;
  const os::file directory = os::file::open_directory(root_);
  if (os::exists_in(directory, "super")) return false;
  if (os::exists_in(directory, set_manifest::name) || os::exists_in(directory, set_manifest::unfinished_name))
    return true;
  for (const std::string& name : os::names_in(root_))
    if (is_set_name(name) && std::filesystem::is_directory(root_ / name)) return true;
  return false;
}

void set_directory::require_removable(parts_elsewhere others) const {
  std::vector<std::string> elsewhere;
  for (const found_part& one : parts_found()) {
    if (!one.where.is_here()) {
      elsewhere.push_back(std::to_string(one.rank) + " (machine " + one.where.host + ", " +
                          one.where.path.string() + ')');
    } else if (std::filesystem::exists(one.where.path / "LOCK")) {
      const store::store_lock free(os::file::open_directory(one.where.path), store::store_access::alone);
    }
  }
  if (elsewhere.empty() || others == parts_elsewhere::forget) return;
  throw error(errc::not_found, root_.string() + " cannot be removed from this machine: " +
                                   (elsewhere.size() == 1 ? "part " : "parts ") + joined(elsewhere) +
                                   (elsewhere.size() == 1 ? " lies" : " lie") +
                                   " elsewhere; remove each there, with its file *.where");
}

void set_directory::remove(parts_elsewhere others) const {
  for (const found_part& one : parts_found()) {
    erase_part(one.number, one.rank);
    if (others == parts_elsewhere::forget && !one.where.is_here())
      os::remove_in(os::file::open_directory(of_parts(one.number)), where_name(one.rank));
  }
  // What is left of them is hidden: copies that were cut short.
  remove_left_over(0, 0);
  const os::file directory = os::file::open_directory(root_);
  os::remove_in(directory, set_manifest::unfinished_name);
  directory.sync();
  os::remove_if_empty(root_);
}

set_state require_parts_here(const std::filesystem::path& path) {
  const set_directory directory(path);
  return store::reporting("open the set", directory.root(), [&] {
    const set_state set = set_manifest::read(directory.open());
    directory.require_all_here(set);
    return set;
  });
}

}  // namespace perdure::detail
