// Reads and writes .npz files.
#include "npz.hpp"

#include <memory>
#include <perdure/error.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "input_file.hpp"
#include "npy.hpp"
#include "unicode.hpp"
#include "zip_archive.hpp"

namespace perdure::formats {

namespace {

/// The message of an error without the file's name.
std::string reason_of(const error& failure, const std::filesystem::path& path) {
  std::string why = failure.what();
  const std::string begin = path.string() + ": ";
  if (why.starts_with(begin)) why.erase(0, begin.size());
  return why;
}

}  // namespace

opened_arrays open_npz(const std::filesystem::path& path, const opening& how) {
  constexpr std::string_view suffix = ".npy";
  const auto archive = std::make_shared<const input_file>(path);
  opened_arrays found;
  std::set<std::string> names;
  for (const zip_member& member : list_zip(*archive)) {
    if (!is_utf8(member.name))
      archive->refuse("the name of a member is not UTF-8 (\"" + sound_utf8(member.name).substr(0, 60) +
                      "\")");
    const bool has_suffix = member.name.ends_with(suffix);
    const std::string name = member.name.substr(0, member.name.size() - (has_suffix ? suffix.size() : 0));
    if (!how.member.empty() && how.member != name) continue;
    if (!names.insert(name).second) archive->refuse("two members are called \"" + name.substr(0, 60) + '"');
    if (how.before_array) how.before_array();
    try {
      zip_content content = open_zip_member(archive, member);
      const npy_place place{std::move(content.file), content.begin, content.bytes, std::move(content.check)};
      // The content decides, not the name: NumPy reads arrays without the suffix too.
      if (is_npy(place))
        found.sources.push_back(open_npy(place, name, found.losses));
      else
        found.losses.push_back({name, "is skipped: it is no .npy file"});
    } catch (const error& failure) {
      const std::string why = reason_of(failure, path);
      if (failure.code() == errc::bad_input && why.find(member.name) == std::string::npos)
        archive->refuse("the member " + member.name + ": " + why);
      if (failure.code() != errc::unsupported) throw;
      found.losses.push_back({name, "is skipped: " + why});
    }
  }
  return found;
}

void write_npz(std::span<array_source* const> arrays, bool compressed, const byte_sink& to) {
  zip_writer archive(to, compressed);
  for (array_source* const one : arrays) {
    const std::string& name = one->what().name;
    if (!is_utf8(name))
      throw error(errc::unsupported,
                  "the name of the array \"" + sound_utf8(name).substr(0, 60) +
                      "\" is not UTF-8, as names in .npz files are: store it under another one");
    archive.add(name + ".npy", npy_bytes(*one), [&](const byte_sink& sink) { write_npy(*one, sink); });
  }
  archive.finish();
}

}  // namespace perdure::formats
