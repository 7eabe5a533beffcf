// Opens a graph in a file: finds its format, and the columns that are kept.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/head_stream.hpp>
#include <span>
#include <utility>

#include "formats/column_names.hpp"
#include "formats/delimited.hpp"
#include "formats/dense_matrix.hpp"
#include "formats/dimacs.hpp"
#include "formats/edge_lines.hpp"
#include "formats/edge_records.hpp"
#include "formats/gapbs.hpp"
#include "formats/gml.hpp"
#include "formats/konect_header.hpp"
#include "formats/matrix_market.hpp"
#include "formats/metis.hpp"
#include "formats/pajek.hpp"
#include "formats/sniffer.hpp"
#include "formats/unweighted.hpp"
#include "formats/xml_source.hpp"

namespace perdure::graph {
namespace {

using namespace formats;

// A vertex of a METIS graph has all its neighbours in one line.
constexpr std::size_t longest_metis_line = std::size_t{1} << 32;

/// Finds by the first lines how a column of times is written: dates as 20160301 if all of them have eight
/// digits, and the first is one.
time_form form_of_times(const std::vector<std::string_view>& lines, bool has_header, char delimiter,
                        std::size_t column) {
  std::vector<std::string> times;
  for (const std::string_view line : std::span(lines).subspan(has_header && !lines.empty() ? 1 : 0)) {
    const std::vector<std::string> fields = fields_of(line, delimiter);
    if (column < fields.size()) times.push_back(fields[column]);
  }
  const bool are_dates = !times.empty() && date_of_eight_digits(times.front()) &&
                         std::all_of(times.begin(), times.end(), [](const std::string& time) {
                           return time.size() == 8 && std::all_of(time.begin(), time.end(), is_digit);
                         });
  return are_dates ? time_form::eight_digits : time_form::numbers_or_dates;
}

const char* name_of_separator(char delimiter) {
  switch (delimiter) {
    case ',':
      return "commas";
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    default:
      return "blanks";
  }
}

/// `header`: what it calls the columns; empty where there is none.
graph_file_info info_of_columns(const std::vector<std::string>& header, char delimiter,
                                const chosen_fields& chosen) {
  graph_file_info info;
  info.format = header.empty() ? graph_format::edge_list : graph_format::csv;
  info.has_weights = chosen.weight != chosen_fields::absent;
  info.has_times = chosen.time != chosen_fields::absent;
  info.description = std::string(header.empty() ? "edge list without a header" : "CSV with a header") +
                     ", columns parted by " + name_of_separator(delimiter);
  const auto tell = [&](const char* name, std::size_t column) {
    if (column == chosen_fields::absent) return;
    info.description += std::string(", ") + name + " in column " + std::to_string(column + 1);
    if (column < header.size()) info.description += " (" + header[column] + ")";
  };
  tell("from", chosen.source);
  tell("to", chosen.target);
  tell("weights", chosen.weight);
  tell(chosen.form == time_form::eight_digits ? "dates as 20160301" : "times", chosen.time);
  return info;
}

void tell_konect(const konect_header& header, graph_file_info& info) {
  using structure = konect_header::structure;
  info.kind = header.kind == structure::asymmetric ? direction::directed : direction::undirected;
  info.description += header.kind == structure::symmetric    ? ", KONECT, undirected"
                      : header.kind == structure::asymmetric ? ", KONECT, directed"
                                                             : ", KONECT, bipartite";
  if (header.kind != structure::bipartite) return;
  if (header.left.value_or(0) == 0)
    throw error(errc::invalid_argument,
                "the header says that the graph is bipartite, and not how many vertices are on the left, "
                "from which those "
                "on the right are numbered on: a second line \"% EDGES LEFT RIGHT\" is missing");
  info.description += ", vertices on the right numbered from " + std::to_string(*header.left + 1);
}

std::uint64_t left_of(const std::optional<konect_header>& header) {
  return header && header->kind == konect_header::structure::bipartite ? header->left.value_or(0) : 0;
}

std::unique_ptr<graph_file> open_columns(std::unique_ptr<workload::byte_stream> stream, std::string_view head,
                                         graph_format format, const graph_file_options& options) {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  const std::vector<std::string_view> lines = first_data_lines({head, true, 0});
  const std::string_view line = lines.empty() ? std::string_view() : lines.front();
  const char delimiter = separator_of(line);
  const std::vector<std::string> fields = fields_of(line, delimiter);
  const bool has_header = format == graph_format::csv;
  chosen_fields chosen = choose_fields(has_header ? fields : std::vector<std::string>(), options);
  // A field that is no number there is refused when it is read, and so is a line without it.
  if (!has_header && options.weight_column.empty() && chosen.time != 2 && chosen.source == 0 &&
      chosen.target == 1 && std::any_of(lines.begin(), lines.end(), [delimiter](std::string_view one) {
        return fields_of(one, delimiter).size() > 2;
      }))
    chosen.weight = 2;
  if (chosen.time != chosen_fields::absent)
    chosen.form = form_of_times(lines, has_header, delimiter, chosen.time);
  graph_file_info info = info_of_columns(has_header ? fields : std::vector<std::string>(), delimiter, chosen);
  const std::optional<konect_header> konect = has_header ? std::nullopt : konect_header_of(head);
  if (konect) tell_konect(*konect, info);
  // One that is absent has the largest number.
  const auto is_further = [](std::size_t column) { return column >= 2; };
  if (!has_header && options.names == nullptr && chosen.source == 0 && chosen.target == 1 &&
      is_further(chosen.weight) && is_further(chosen.time) && delimiter != ';') {
    const auto number = [](std::size_t column) {
      return column == chosen_fields::absent ? 0U : static_cast<unsigned>(column) + 1U;
    };
    return std::make_unique<text_source<edge_lines>>(
        std::move(stream), workload::line_reader::block_size, options,
        edge_lines({number(chosen.weight), number(chosen.time), chosen.form, left_of(konect)},
                   std::move(info)));
  }
  if (left_of(konect) != 0)
    throw error(
        errc::invalid_argument,
        "the two sides of a bipartite graph are only told apart if ids are numbers in the first two columns");
  return std::make_unique<text_source<delimited>>(
      std::move(stream), workload::line_reader::block_size, options,
      delimited(delimiter, has_header ? fields.size() : 0, chosen, options.names, std::move(info)));
}

/// The file has what the options ask of it. Throws `invalid_argument`.
void require_columns_for(graph_format format, const std::string& name, const graph_file_options& options) {
  const bool is_table = format == graph_format::csv || format == graph_format::edge_list;
  const bool has_keys = format == graph_format::graphml || format == graph_format::gml;
  const auto refuse = [&](const char* what, const char* option) {
    throw error(errc::invalid_argument, name + ": files of the format " + name_of(format) + " have no " +
                                            what + ", so " + option + " is not for them");
  };
  const auto is_named = [](const std::string& column) { return !column.empty() && column != no_column; };
  if (is_table) return;
  if (options.header != header_line::automatic) refuse("line of column names", "--header");
  if (!options.source_column.empty()) refuse("columns of ids", "--source-column");
  if (!options.target_column.empty()) refuse("columns of ids", "--target-column");
  if (has_keys) return;
  if (is_named(options.weight_column)) refuse("columns to choose from", "--weight-column (but for none)");
  if (is_named(options.time_column)) refuse("columns to choose from", "--time-column");
}

/// Opens a file of a format with a mark of its own.
std::unique_ptr<graph_file> open_marked(std::unique_ptr<workload::byte_stream> stream, const file_head& head,
                                        graph_format format, const std::filesystem::path& path,
                                        const graph_file_options& options) {
  const auto text = [&](std::size_t longest_line, auto reader) -> std::unique_ptr<graph_file> {
    return std::make_unique<text_source<decltype(reader)>>(std::move(stream), longest_line, options,
                                                           std::move(reader));
  };
  switch (format) {
    case graph_format::matrix_market:
      if (is_dense_matrix(head.bytes))
        return text(workload::line_reader::block_size, dense_matrix(options.part));
      return text(workload::line_reader::block_size, matrix_market(options.part));
    case graph_format::dimacs:
      return text(workload::line_reader::block_size, dimacs());
    case graph_format::metis:
      return text(longest_metis_line, metis(!has_empty_vertex_line(head.bytes), options.keep_attributes));
    case graph_format::graphml:
      return open_xml(std::move(stream), make_graphml(options), options);
    case graph_format::gexf:
      return open_xml(std::move(stream), make_gexf(options), options);
    case graph_format::gml:
      return open_gml(std::move(stream), options);
    case graph_format::pajek:
      return text(workload::line_reader::block_size, pajek(options.names, options.keep_attributes));
    case graph_format::gapbs: {
      const bool has_weights = head.bytes.size() >= gapbs_header::size && has_gapbs_weights(head, path);
      return open_gapbs(std::move(stream), has_weights);
    }
    case graph_format::binary:
    case graph_format::graph500:
      return open_edge_records(std::move(stream), format);
    case graph_format::automatic:
    case graph_format::edge_list:
    case graph_format::csv:
      break;
  }
  return nullptr;
}

}  // namespace

const char* name_of(graph_format format) noexcept {
  switch (format) {
    case graph_format::automatic:
      return "auto";
    case graph_format::edge_list:
      return "text";
    case graph_format::csv:
      return "csv";
    case graph_format::matrix_market:
      return "mtx";
    case graph_format::metis:
      return "metis";
    case graph_format::dimacs:
      return "dimacs";
    case graph_format::gapbs:
      return "gapbs";
    case graph_format::binary:
      return "binary";
    case graph_format::graph500:
      return "graph500";
    case graph_format::graphml:
      return "graphml";
    case graph_format::gexf:
      return "gexf";
    case graph_format::gml:
      return "gml";
    case graph_format::pajek:
      return "pajek";
  }
  return "auto";
}

std::unique_ptr<graph_file> open_graph_file(const std::filesystem::path& path,
                                            const graph_file_options& options) {
  auto stream =
      std::make_unique<workload::head_stream>(workload::open_byte_stream(path, options.end_descriptor));
  const bool is_regular = stream->length() != 0;
  file_head head;
  head.bytes =
      stream->peek(file_head::most, [&](std::string_view seen) { return wants_more(seen, is_regular); });
  head.is_whole = is_regular && head.bytes.size() < file_head::most;
  if (is_regular && !stream->is_encoded()) head.length = stream->length();
  graph_format format = options.format;
  if (format == graph_format::automatic) {
    try {
      format = sniff(head, path, options);
    } catch (const error& unknown) {
      throw error(unknown.code(), stream->name() + ": " + unknown.what());
    }
  }
  const std::string name = stream->name();
  require_columns_for(format, name, options);
  if (options.header != header_line::automatic)
    format = options.header == header_line::yes ? graph_format::csv : graph_format::edge_list;
  if (format == graph_format::csv || format == graph_format::edge_list) {
    try {
      return open_columns(std::move(stream), head.bytes, format, options);
    } catch (const error& wrong) {
      if (wrong.code() != errc::invalid_argument) throw;
      throw error(wrong.code(), name + ": " + wrong.what());
    }
  }
  std::unique_ptr<graph_file> file = open_marked(std::move(stream), head, format, path, options);
  if (options.weight_column == no_column && file->info().has_weights)
    file = std::make_unique<unweighted>(std::move(file));
  return file;
}

}  // namespace perdure::graph
