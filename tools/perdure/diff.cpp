// perdure diff A B: what changed between two states of one store.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <perdure/type_stamp.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "progress.hpp"
#include <perdure/inspect/object_reader.hpp>
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr std::size_t page_size = 4096;

/// A store as of its last checkpoint, and its objects by kind and name, type or place.
class state_of_store {
 public:
  using key = std::pair<instance_kind, std::string>;

  explicit state_of_store(const std::filesystem::path& path)
      : store_(open_read_only, path, {.beside_writer = reader_beside_writer::hold_writer}),
        bytes_(store_.memory().stats().segment_bytes) {
    for (const object_range& range :
         {store_.named_objects(), store_.unique_objects(), store_.anonymous_objects()})
      for (const object_info& one : range) objects_.emplace(key_of(one), one);
  }

  const manager& store() const noexcept { return store_; }
  const std::map<key, object_info>& objects() const noexcept { return objects_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  const std::byte* at(std::uint64_t offset) const { return store_.memory().base() + offset; }
  bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return offset <= bytes_ && bytes <= bytes_ - offset;
  }

 private:
  static key key_of(const object_info& object) {
    switch (object.kind()) {
      case instance_kind::named:
        return {object.kind(), std::string(object.name())};
      case instance_kind::unique:
        return {object.kind(), std::string(object.mangled_type_name())};
      case instance_kind::anonymous:
        break;
    }
    return {object.kind(), std::to_string(object.offset())};
  }

  manager store_;
  std::uint64_t bytes_;
  std::map<key, object_info> objects_;
};

enum class verdict { same, unsure, changed, removed, added };
constexpr std::array verdict_names{"same", "unsure", "changed", "removed", "added"};

/// Whether all memory of the object has the same bytes in the same places. `unsure` where what belongs to it
/// is not known whole.
verdict compare(const state_of_store& before, const object_info& was, const state_of_store& after,
                const object_info& is) {
  if (was.offset() != is.offset() || was.length() != is.length() || was.element_size() != is.element_size() ||
      was.mangled_type_name() != is.mangled_type_name() || was.layout() != is.layout() ||
      was.attributes() != is.attributes())
    return verdict::changed;
  bool agree = true;
  const object_extent extent =
      object_reader(before.store(), was).each_block([&](std::uint64_t offset, std::uint64_t bytes) {
        agree = agree && before.holds(offset, bytes) && after.holds(offset, bytes) &&
                std::memcmp(before.at(offset), after.at(offset), bytes) == 0;
      });
  if (!agree) return verdict::changed;
  return extent.is_all && !extent.is_damaged ? verdict::same : verdict::unsure;
}

/// What lies behind the end of a state is as zeros.
std::uint64_t count_different_pages(const state_of_store& a, const state_of_store& b) {
  static constexpr std::array<std::byte, page_size> zeros{};
  const std::uint64_t end = std::max(a.bytes(), b.bytes());
  std::atomic<std::uint64_t> done{0};
  const progress_line line("comparing", [&] { return workload::progress{done, end, "bytes"}; });
  std::uint64_t different = 0;
  for (std::uint64_t at = 0; at < end; at += page_size) {
    const std::byte* const left = a.holds(at, page_size) ? a.at(at) : zeros.data();
    const std::byte* const right = b.holds(at, page_size) ? b.at(at) : zeros.data();
    different += std::memcmp(left, right, page_size) != 0 ? 1U : 0U;
    done = at;
  }
  return different;
}

struct object_difference {
  verdict what;
  object_info object;
};

std::vector<object_difference> differences(const state_of_store& before, const state_of_store& after) {
  std::vector<object_difference> found;
  for (const auto& [key, was] : before.objects()) {
    const auto is = after.objects().find(key);
    found.push_back(is == after.objects().end()
                        ? object_difference{verdict::removed, was}
                        : object_difference{compare(before, was, after, is->second), is->second});
  }
  for (const auto& [key, is] : after.objects())
    if (!before.objects().contains(key)) found.push_back({verdict::added, is});
  return found;
}

const char* name_of_kind(instance_kind kind) {
  return kind == instance_kind::named ? "named" : kind == instance_kind::unique ? "unique" : "anonymous";
}

std::string line_of_object(const object_difference& one) {
  std::string line = verdict_names[static_cast<std::size_t>(one.what)];
  line.resize(9, ' ');
  line += one.object.kind() == instance_kind::named
              ? printable_name(std::string(one.object.name()))
              : '(' + std::string(name_of_kind(one.object.kind())) + ')';
  return line + "  " + printable_name(short_type_name(one.object.type_name())) + '\n';
}

void compare_stores(const std::filesystem::path& first, const std::filesystem::path& second, bool as_json) {
  const stopwatch watch;
  const state_of_store before(first);
  const state_of_store after(second);
  const store_info a = before.store().store().info();
  const store_info b = after.store().store().info();
  if (a.uuid != b.uuid)
    throw error(
        errc::incompatible,
        first.string() + " and " + second.string() +
            " are no copies of one store (their UUIDs differ), so their pages have nothing to do with "
            "each other; `perdure ls` shows what is in each");
  const std::uint64_t different = count_different_pages(before, after);
  const std::uint64_t pages = std::max(before.bytes(), after.bytes()) / page_size;
  std::vector<object_difference> objects = differences(before, after);
  const std::size_t all = objects.size();
  std::erase_if(objects, [&](const object_difference& one) {
    return one.what == verdict::same || (one.what == verdict::unsure && different == 0);
  });
  const std::uint64_t same = all - objects.size();
  if (as_json) {
    json rows = json::array();
    for (const object_difference& one : objects)
      rows.push_back({{"what", verdict_names[static_cast<std::size_t>(one.what)]},
                      {"kind", name_of_kind(one.object.kind())},
                      {"name", std::string(one.object.name())},
                      {"type", one.object.type_name()},
                      {"offset", one.object.offset()}});
    print({{"stores", {first.string(), second.string()}},
           {"epochs", {a.epoch, b.epoch}},
           {"pages", pages},
           {"different_pages", different},
           {"same_objects", same},
           {"objects", std::move(rows)},
           {"seconds", watch.seconds()}});
  } else {
    output out = output::standard();
    for (const object_difference& one : objects) out.write(line_of_object(one));
    out.write(grouped(different) + " of " + counted(pages, "page", "pages") +
              (different == 1 ? " differs" : " differ") + " between epochs " + grouped(a.epoch) + " and " +
              grouped(b.epoch) + "; " + counted(same, "object is", "objects are") + " the same\n");
    out.finish();
  }
  if (!objects.empty() || different != 0) throw negative_result();
}

}  // namespace

void add_diff_command(command program) {
  struct options {
    std::filesystem::path first;
    std::filesystem::path second;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command diff =
      program.add_command("diff", "Tell what changed between two copies of a store: objects, pages");
  diff.add_path("A", given->first, "The earlier copy's directory").required();
  diff.add_path("B", given->second, "The later one's").required();
  add_json_option(diff, given->as_json);
  diff.footer(
      "Exit codes: 0 the same, 1 different. An object has changed when bytes of it, or of memory that "
      "belongs "
      "to what\nis in it, have. unsure: its own bytes agree, but its type does not tell of all that belongs "
      "to "
      "it.");
  diff.callback([given] { compare_stores(given->first, given->second, given->as_json); });
}

}  // namespace perdure::cli
