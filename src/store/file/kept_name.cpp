// Takes names of stores apart, and refuses those of kept checkpoints where something is to be changed.
#include "store/file/kept_name.hpp"

#include <algorithm>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <string>
#include <system_error>

namespace perdure::store {

namespace {

/// Returns true also where nobody may look, so that no path is taken for a name by mistake.
bool is_there(const std::filesystem::path& path) {
  std::error_code failure;
  const auto type = std::filesystem::symlink_status(path, failure).type();
  return type != std::filesystem::file_type::not_found && failure != std::errc::filename_too_long;
}

/// Returns true for a set of stores too, which has a file of two blocks.
bool is_store(const std::filesystem::path& path) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(path / "super", failure)) return true;
  return std::filesystem::is_regular_file(path / "manifest", failure) &&
         std::filesystem::file_size(path / "manifest", failure) == 8192;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

[[noreturn]] void refuse(const std::filesystem::path& name, const std::filesystem::path& store) {
  throw error(errc::read_only, name.string() + " stands for a kept checkpoint of " + store.string() +
                                   ", which cannot be changed: change " + store.string() +
                                   " itself or a copy of the checkpoint ('perdure copy'), or choose another "
                                   "name for a new store");
}

}  // namespace

std::optional<std::uint64_t> epoch_in(std::string_view text) noexcept {
  std::uint64_t epoch = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), epoch);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return epoch;
}

void require_no_kept_name(const std::filesystem::path& path) {
  const store_name name = parse_store_name(path);
  if (!name.checkpoint.empty()) refuse(path, name.store);
}

}  // namespace perdure::store

namespace perdure {

store_name parse_store_name(const std::filesystem::path& name) {
  std::string text = name.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t at = text.rfind('@', end - 1);
    if (at == std::string::npos) break;
    end = at;
    if (store::is_there(text.substr(0, text.find('/', at)))) break;
    const bool has_both = at != 0 && text[at - 1] != '/' && at + 1 != text.size();
    if (has_both && store::is_store(text.substr(0, at))) return {text.substr(0, at), text.substr(at + 1)};
  }
  return {name, {}};
}

void require_changeable_store(const std::filesystem::path& path) {
  store::require_no_kept_name(path);
  // By whatever name the copy's directory is called.
  std::error_code failure;
  const std::filesystem::path place = std::filesystem::canonical(path, failure);
  if (failure || !store::is_number(place.filename().string())) return;
  const std::filesystem::path kept = place.parent_path();
  if (kept.filename() == store::kept_directory_name && store::is_store(kept.parent_path()))
    store::refuse(path, kept.parent_path());
}

}  // namespace perdure
