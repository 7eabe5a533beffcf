// One line after the other, each cut into fields.
#include "delimited.hpp"

#include <perdure/error.hpp>

#include "column_names.hpp"

namespace perdure::graph::formats {
namespace {

/// By number from 1, or by name.
std::size_t asked(const std::vector<std::string>& header, const std::string& column) {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] == column) return i;
  std::size_t number = 0;
  const auto result = std::from_chars(column.data(), column.data() + column.size(), number);
  if (result.ec == std::errc{} && result.ptr == column.data() + column.size() && number >= 1 &&
      number <= 100'000 && (header.empty() || number <= header.size()))
    return number - 1;
  std::string all;
  for (const std::string& one : header) all += (all.empty() ? "" : ", ") + one;
  throw error(errc::invalid_argument, "there is no column \"" + column + "\"" +
                                          (header.empty() ? ": without a header columns are numbers from 1"
                                                          : "; the header has " + all));
}

}  // namespace

std::vector<std::string> fields_of(std::string_view line, char delimiter) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  const workload::row_cutter cutter(delimiter, workload::row_cutter::blanks::dropped);
  const char* const end = line.data() + line.size();
  std::vector<std::string> all;
  std::string buffer;
  for (const char* p = line.data();;) {
    workload::row_field field;
    workload::row_flaw problem;
    p = cutter.next(p, end, field, problem);
    if (problem != workload::row_flaw::none) return {};
    // Blanks at the end of a line of blanks are no field.
    if (delimiter == ' ' && !field.is_quoted && field.begin == field.end && p == end) return all;
    all.emplace_back(field.text(buffer));
    if (p == end) return all;
    ++p;
  }
}

char separator_of(std::string_view line) {
  const auto is_id = [](const std::string& field) {
    return !field.empty() && std::all_of(field.begin(), field.end(), is_digit);
  };
  const std::vector<std::string> fields = fields_of(line, ' ');
  if (fields.size() > 2 && is_id(fields[0]) && is_id(fields[1])) return ' ';
  return workload::delimiter_of(line, ' ');
}

chosen_fields choose_fields(const std::vector<std::string>& header, const graph_file_options& options) {
  chosen_fields chosen;
  const auto take = [&](const std::string& wanted, std::size_t& place, column_role role) {
    if (!wanted.empty()) {
      place = wanted == no_column ? chosen_fields::absent : asked(header, wanted);
    } else if (const std::size_t found = column_called(header, role, chosen_fields::absent);
               found != chosen_fields::absent) {
      place = found;
    }
  };
  take(options.source_column, chosen.source, column_role::source);
  take(options.target_column, chosen.target, column_role::target);
  take(options.weight_column, chosen.weight, column_role::weight);
  take(options.time_column, chosen.time, column_role::time);
  if (chosen.source == chosen_fields::absent || chosen.target == chosen_fields::absent)
    throw error(errc::invalid_argument, "an edge needs a source column and a target column");
  if (chosen.source == chosen.target)
    throw error(errc::invalid_argument, "source and target would both be column " +
                                            std::to_string(chosen.source + 1) +
                                            "; say which columns with --source-column and --target-column");
  return chosen;
}

bool delimited::head(const char* begin, const char* feed, std::uint64_t, flaw& problem) {
  if (begin == nullptr || !has_header_) return false;
  const line_scanner scan(begin, feed, problem);
  if (scan.at_end(begin) || *begin == '#' || *begin == '%') return true;
  has_header_ = false;
  return true;
}

// A field, and the place of the delimiter or the line's end behind it.
const char* delimited::next_field(const char* p, const line_scanner& scan, field& found) const {
  workload::row_flaw problem;
  p = cutter_.next(p, scan.end(), found, problem);
  switch (problem) {
    case workload::row_flaw::open_quote:
      return scan.wrong(p, "the quote is not closed in this line");
    case workload::row_flaw::behind_quote:
      return scan.wrong(p, "unexpected " + quoted(*p) + " behind a quote");
    default:
      return p;
  }
}

bool delimited::id_in(const field& from, const line_scanner& scan, vertex_id& id) {
  if (from.begin == from.end) {
    scan.wrong(from.begin, "the vertex is missing");
    return false;
  }
  if (names_ == nullptr) {
    if (*from.begin == '-' && from.end - from.begin > 1 && is_digit(from.begin[1])) {
      scan.wrong(from.begin, "a vertex id must not be negative");
      return false;
    }
    const auto result = std::from_chars(from.begin, from.end, id);
    if (result.ec == std::errc::result_out_of_range) {
      scan.wrong(from.begin, "the vertex id does not fit 64 bits");
      return false;
    }
    if (result.ec != std::errc{} || result.ptr != from.end) {
      const char c = result.ec == std::errc{} ? *result.ptr : *from.begin;
      scan.wrong(
          result.ec == std::errc{} ? result.ptr : from.begin,
          "expected a vertex id (a decimal number), found " + quoted(c) +
              "; where vertices have names, ask for names; where this line names columns, for a header");
      return false;
    }
    return true;
  }
  id = names_->number_of(from.text(unquoted_));
  return true;
}

const char* delimited::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                             flaw& problem) {
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  if (scan.at_end(p) || *p == '#' || *p == '%') return feed + 1;
  if (const void* zero = std::memchr(p, '\0', static_cast<std::size_t>(scan.end() - p)))
    return scan.wrong(static_cast<const char*>(zero), "byte 0x00 is not text");
  if (const void* cr = std::memchr(p, '\r', static_cast<std::size_t>(scan.end() - p)))
    return scan.wrong(static_cast<const char*>(cr), "carriage return inside a line (convert the line ends)");
  std::array<field, 4> taken;  // source, target, weight, time
  const std::array wanted{chosen_.source, chosen_.target, chosen_.weight, chosen_.time};
  std::size_t place = 0;
  for (;; ++place) {
    if (cutter_.delimiter() == ' ') {
      p = after_blanks(p);
      if (p >= scan.end()) break;
    }
    field one;
    p = next_field(p, scan, one);
    if (p == nullptr) return nullptr;
    if (fields_ != 0 && place == fields_)
      return scan.wrong(one.begin,
                        "the header has " + std::to_string(fields_) + " columns, and the line has more");
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] == place) taken[i] = one;
    if (p >= scan.end()) {
      ++place;
      break;
    }
    ++p;
  }
  if (fields_ != 0 && place < fields_)
    return scan.wrong(scan.end(), "the header has " + std::to_string(fields_) +
                                      " columns, and the line has " + std::to_string(place));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != chosen_fields::absent && taken[i].begin == nullptr)
      return scan.wrong(scan.end(), "column " + std::to_string(wanted[i] + 1) + " is missing");
  double weight = 0;
  double time = 0;
  if (info_.has_weights && scan.weight(taken[2].begin, taken[2].end, weight) == nullptr) return nullptr;
  if (info_.has_times && scan.time(taken[3].begin, taken[3].end, chosen_.form, time) == nullptr)
    return nullptr;
  edge e;
  if (!id_in(taken[0], scan, e.source) || !id_in(taken[1], scan, e.target)) return nullptr;
  batch.edges.push_back(e);
  if (info_.has_weights) batch.values.push_back(weight);
  if (info_.has_times) batch.times.push_back(time);
  const std::size_t kept = 2U + (info_.has_weights ? 1U : 0U) + (info_.has_times ? 1U : 0U);
  if (counts.ignored_columns == 0 && place > kept)
    counts.ignored_columns = static_cast<unsigned>(place - kept);
  return feed + 1;
}

}  // namespace perdure::graph::formats
