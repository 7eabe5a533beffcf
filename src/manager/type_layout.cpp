// Reads and compares the descriptions of what is inside types.
#include "manager/type_layout.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "manager/name_hash.hpp"
#include "perdure/type_stamp.hpp"

namespace perdure::detail {

namespace {

constexpr std::string_view form_mark = "+ ";
constexpr std::size_t most_recorded = std::numeric_limits<std::uint16_t>::max();

std::string text_of(const layout_label& label) {
  switch (label.how) {
    case layout_label::kind::whole:
      return {};
    case layout_label::kind::element:
      return "[i]";
    case layout_label::kind::held:
      return ".<" + std::to_string(label.index) + ">";
    case layout_label::kind::member:
      break;
  }
  if (label.name.empty()) return ".(member " + std::to_string(label.index + 1) + ")";
  std::string text(1, '.');
  text += label.name;
  return text;
}

}  // namespace

void layout_writer::add(const layout_place& place, const layout_label& label, const layout_part& part,
                        std::uint64_t offset, const form_kind& kind) {
  const auto add_numbers = [](std::string& text, std::initializer_list<std::uint64_t> numbers) {
    for (const std::uint64_t number : numbers) {
      text += std::to_string(number);
      text += ' ';
    }
  };
  const std::uint64_t trivially_copyable = part.trivially_copyable ? 1 : 0;
  std::string end;
  end += part.name;
  end += ' ';
  end += text_of(label);
  end += '\n';
  if (place.in_layout) {
    std::string& text = layout_.lines;
    add_numbers(text, {place.depth, part.size, part.alignment, part.version, trivially_copyable});
    text += static_cast<char>(part.role);
    text += ' ';
    text += end;
    ++layout_.count;
  }
  if (place.in_form) {
    std::string& text = form_.lines;
    text += form_mark;
    add_numbers(text, {place.depth, offset, part.size, part.alignment, trivially_copyable});
    text += kind.word;
    for (std::size_t i = 0; i < kind.count; ++i)
      text += (i == 0 ? ':' : ',') + std::to_string(kind.numbers[i]);
    text += ' ';
    text += end;
    ++form_.count;
  }
}

bool layout_writer::recorded_text::begin(std::string_view type) {
  if (std::find(begun.begin(), begun.end(), type) != begun.end()) return false;
  begun.push_back(type);
  return true;
}

layout_place layout_writer::begin(const layout_place& place, const std::type_info& type) {
  return {place.depth, place.in_layout && layout_.begin(type.name()),
          place.in_form && form_.begin(type.name())};
}

std::string layout_writer::recorded_text::take() {
  return count > 1 ? std::move(lines) : std::string();
}

type_description layout_writer::take() {
  return {layout_.take(), form_.take()};
}

recorded_parts parts_to_record(const type_stamp& type) noexcept {
  if (type.form.size() > most_recorded || type.layout.size() > most_recorded - type.form.size())
    return {kept_part_of(type.layout), {}};
  return {type.layout, type.form};
}

recorded_parts parts_of_recorded(std::string_view text) noexcept {
  if (text.starts_with(form_mark)) return {{}, text};
  const std::size_t end = text.find("\n+ ");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end + 1), text.substr(end + 1)};
}

namespace {

struct line {
  std::uint64_t depth = 0;
  layout_part part;
  std::string_view without_label;
};

/// Takes the first line off the text; nothing at its end, or if the line is malformed.
std::optional<line> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(0, end);
  text.remove_prefix(end + 1);
  line read;
  const std::string_view whole = rest;
  const auto word = [&rest]() {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    const std::string_view found = rest.substr(0, space);
    rest.remove_prefix(std::min(space + 1, rest.size()));
    return found;
  };
  const auto number = [&word](auto& value) {
    const std::string_view digits = word();
    const auto [last, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return failure == std::errc{} && last == digits.data() + digits.size();
  };
  unsigned trivially_copyable = 0;
  if (!number(read.depth) || !number(read.part.size) || !number(read.part.alignment) ||
      !number(read.part.version) || !number(trivially_copyable))
    return std::nullopt;
  read.part.trivially_copyable = trivially_copyable != 0;
  const std::string_view role = word();
  if (role.size() != 1) return std::nullopt;
  read.part.role = static_cast<layout_role>(role.front());
  read.part.name = word();
  read.without_label = whole.substr(0, whole.size() - rest.size());
  read.part.label = rest;
  return read;
}

std::vector<line> lines_of(std::string_view text) {
  std::vector<line> lines;
  while (std::optional<line> read = next_line(text)) lines.push_back(*read);
  return lines;
}

/// The lines of the direct members of the one at `parent`.
std::vector<std::size_t> parts_of_line(const std::vector<line>& lines, std::size_t parent) {
  std::vector<std::size_t> parts;
  for (std::size_t i = parent + 1; i < lines.size() && lines[i].depth > lines[parent].depth; ++i)
    if (lines[i].depth == lines[parent].depth + 1) parts.push_back(i);
  return parts;
}

std::string bytes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string told(const layout_part& part) {
  return short_type_name(demangle(part.name)) + " (" + bytes(part.size) + ")";
}

std::string template_name(std::string_view mangled) {
  const std::string name = demangle(mangled);
  const std::size_t arguments = name.find('<');
  return arguments == std::string::npos ? std::string() : name.substr(0, arguments);
}

class comparison {
 public:
  comparison(std::string_view stored, std::string_view now, layout_names names)
      : stored_(lines_of(stored)), now_(lines_of(now)), names_(names) {}

  std::optional<std::string> run() {
    if (stored_.empty() || now_.empty()) return std::nullopt;
    return difference(0, 0, "");
  }

 private:
  bool names_agree(const layout_part& stored, const layout_part& now) const {
    if (stored.name == now.name) return true;
    if (names_ == layout_names::compared || stored.role != now.role) return false;
    if (now.role == layout_role::aggregate) return true;
    const std::string name = template_name(now.name);
    return now.role == layout_role::holder && !name.empty() && name == template_name(stored.name);
  }

  /// The difference that lies furthest inside, as that says most.
  std::optional<std::string> difference(std::size_t s, std::size_t n, const std::string& path) {
    const layout_part& stored = stored_[s].part;
    const layout_part& now = now_[n].part;
    const std::string subject = path.empty() ? "it" : path.substr(path.front() == '.' ? 1 : 0);
    if (!names_agree(stored, now)) return subject + " was " + told(stored) + ", and is now " + told(now);
    std::vector<std::size_t> before = parts_of_line(stored_, s);
    std::vector<std::size_t> after = parts_of_line(now_, n);
    if (stored.role == layout_role::opaque && now.role != layout_role::opaque) {
      // The library that stored it did not look into such types.
      after.clear();
    } else if (before.empty() != after.empty()) {
      // A type's parts are told once: of one of the two where the other has an opaque type.
      if (!begun_.insert({s, n}).second) return std::nullopt;
      if (before.empty()) before = parts_told_elsewhere(stored_, stored.name);
      if (after.empty()) after = parts_told_elsewhere(now_, now.name);
    }
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      if (i == after.size()) {
        const layout_part& gone = stored_[before[i]].part;
        return path_to(path, gone) + ", " + told(gone) + ", is no longer there";
      }
      const layout_part& here = now_[after[i]].part;
      if (i == before.size()) return path_to(path, here) + ", " + told(here) + ", is new";
      if (auto inside = difference(before[i], after[i], path + std::string(here.label))) return inside;
    }
    if (stored.size != now.size || stored.alignment != now.alignment || stored.version != now.version ||
        stored.trivially_copyable != now.trivially_copyable)
      return subject + " was " + short_type_name(demangle(stored.name)) + " of " +
             in_words(stored.size, stored.alignment, stored.version, stored.trivially_copyable) +
             ", and is now of " + in_words(now.size, now.alignment, now.version, now.trivially_copyable);
    return names_ == layout_names::compared ? changed_places(before, after, subject) : std::nullopt;
  }

  /// A clause for members that have the same types in the same places, but where one has a name that another
  /// had before. Such members were not renamed, they have changed places: stored values would be read as
  /// those of another member.
  std::optional<std::string> changed_places(const std::vector<std::size_t>& before,
                                            const std::vector<std::size_t>& after,
                                            const std::string& subject) const {
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::string_view label = stored_[before[i]].part.label;
      if (!is_members_name(label) || now_[after[i]].part.label == label) continue;
      for (std::size_t j = 0; j < after.size(); ++j)
        if (now_[after[j]].part.label == label)
          return "members of " + subject + " have changed places: " + std::string(label.substr(1)) +
                 " was member " + std::to_string(i + 1) + ", and is now member " + std::to_string(j + 1);
    }
    return std::nullopt;
  }

  /// `.name`, unlike `[i]`, `.<0>` and `.(member 1)`.
  static bool is_members_name(std::string_view label) {
    return label.size() > 1 && label[0] == '.' && is_identifier(label[1]);
  }

  static std::vector<std::size_t> parts_told_elsewhere(const std::vector<line>& lines,
                                                       std::string_view name) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].part.name == name)
        if (std::vector<std::size_t> parts = parts_of_line(lines, i); !parts.empty()) return parts;
    return {};
  }

  static std::string path_to(const std::string& path, const layout_part& part) {
    const std::string whole = path + std::string(part.label);
    return whole.empty() || whole.front() != '.' ? whole : whole.substr(1);
  }

  std::vector<line> stored_;
  std::vector<line> now_;
  layout_names names_;
  std::set<std::pair<std::size_t, std::size_t>> begun_;  // ends the comparison of types that hold themselves
};

}  // namespace

std::string in_words(std::size_t size, std::size_t alignment, std::uint32_t version,
                     bool trivially_copyable) {
  return bytes(size) + " aligned to " + std::to_string(alignment) + ", " +
         (trivially_copyable ? "trivially copyable" : "not trivially copyable") + ", layout version " +
         std::to_string(version);
}

std::string_view kept_part_of(std::string_view layout) noexcept {
  if (layout.size() <= most_recorded) return layout;
  return layout.substr(0, layout.rfind('\n', most_recorded - 1) + 1);
}

std::uint64_t with_layout(std::uint64_t own_hash, std::string_view layout) {
  std::uint64_t hash = own_hash;
  while (const std::optional<line> read = next_line(layout)) hash = name_hash(read->without_label, hash);
  return hash;
}

std::optional<std::string> layout_difference(std::string_view stored, std::string_view now,
                                             layout_names names) {
  return comparison(stored, now, names).run();
}

}  // namespace perdure::detail
