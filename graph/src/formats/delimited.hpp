// Lines of fields of which some are chosen: CSV with a header, and edge lists whose ids are names or stand
// elsewhere.
#pragma once

#include <array>
#include <perdure/workload/delimited_row.hpp>

#include "text_source.hpp"

namespace perdure::graph::formats {

/// Places of columns from 0; `absent` where there is none.
struct chosen_fields {
  static constexpr std::size_t absent = ~std::size_t{0};

  std::size_t source = 0;
  std::size_t target = 1;
  std::size_t weight = absent;
  std::size_t time = absent;
  time_form form = time_form::numbers_or_dates;
};

/// The fields of a line, without blanks around them and the quotes about them; ' ' as a delimiter stands for
/// blanks and tabs, any number of them. Empty where a quote is not closed, or something follows one.
std::vector<std::string> fields_of(std::string_view line, char delimiter);

/// Finds the separator between the columns of a line; ' ' stands for blanks and tabs. Where blanks separate
/// two ids, a comma behind them is a decimal comma.
char separator_of(std::string_view line);

/// Which columns of these names are meant. Throws `invalid_argument` for one that the options ask for and
/// that is not there; `header` is empty where there is none.
chosen_fields choose_fields(const std::vector<std::string>& header, const graph_file_options& options);

class delimited {
 public:
  static constexpr bool in_order = true;  // names are numbered as they come
  static constexpr bool lines_stand_alone = true;

  /// `fields`: how many the header has; 0 where there is no header.
  delimited(char delimiter, std::size_t fields, const chosen_fields& chosen, vertex_namer* names,
            graph_file_info info)
      : cutter_(delimiter, workload::row_cutter::blanks::dropped),
        fields_(fields),
        has_header_(fields != 0),
        chosen_(chosen),
        names_(names),
        info_(std::move(info)) {}

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts, flaw& problem);
  static std::optional<broken_promise> judge(const line_counts&) { return std::nullopt; }
  static id_range declared() noexcept { return {}; }
  const graph_file_info& info() const noexcept { return info_; }

 private:
  using field = workload::row_field;

  const char* next_field(const char* p, const line_scanner& scan, field& found) const;
  bool id_in(const field& from, const line_scanner& scan, vertex_id& id);

  workload::row_cutter cutter_;
  std::size_t fields_;
  bool has_header_;
  chosen_fields chosen_;
  vertex_namer* names_;
  graph_file_info info_;
  std::string unquoted_;
};

}  // namespace perdure::graph::formats
