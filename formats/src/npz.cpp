// Reads and writes .npz files.
#include "npz.hpp"

#include <memory>
#include <utility>

#include "input_file.hpp"
#include "npy.hpp"
#include "zip_archive.hpp"

namespace perdure::formats {

array_sources open_npz(const std::filesystem::path& path) {
  const auto archive = std::make_shared<const input_file>(path);
  array_sources arrays;
  for (const zip_member& member : list_zip(*archive)) {
    constexpr std::string_view suffix = ".npy";
    if (!member.name.ends_with(suffix)) continue;
    zip_content content = open_zip_member(archive, member);
    arrays.push_back(open_npy(std::move(content.file), content.begin, content.bytes,
                              member.name.substr(0, member.name.size() - suffix.size())));
  }
  return arrays;
}

void write_npz(std::span<array_source* const> arrays, bool compressed, const byte_sink& to) {
  zip_writer archive(to, compressed);
  for (array_source* const one : arrays)
    archive.add(one->what().name + ".npy", npy_bytes(*one),
                [&](const byte_sink& sink) { write_npy(*one, sink); });
  archive.finish();
}

}  // namespace perdure::formats
