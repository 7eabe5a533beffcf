// Tables of a store's objects on the standard output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <metall/metall.hpp>
#include <string>
#include <vector>

namespace metall::utility {

namespace detail {

using table_row = std::vector<std::string>;

/// The first row has the titles.
inline void print_table(const std::string& title, const std::vector<table_row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const table_row& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());

  std::cout << '[' << title << "]\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t width = 1;
    std::cout << '|';
    for (std::size_t column = 0; column < widths.size(); ++column) {
      std::cout << ' ' << std::setw(static_cast<int>(widths[column])) << rows[i][column] << " |";
      width += widths[column] + 3;
    }
    std::cout << '\n';
    if (i == 0) std::cout << std::string(width, '-') << '\n';
  }
  std::cout.flush();
}

template <class Accessor>
void list_objects(const Accessor& objects, const std::string& title, const std::string& name_title) {
  if (!objects.good()) {
    std::cerr << "The store could not be read.\n";
    return;
  }
  const bool named = !name_title.empty();
  std::vector<table_row> rows;
  rows.push_back({"Length", "Offset", "Type-ID", "Description"});
  if (named) rows.front().insert(rows.front().begin(), name_title);
  for (const auto& object : objects) {
    rows.push_back({std::to_string(object.length()), std::to_string(object.offset()),
                    std::to_string(object.type_id()), object.description()});
    if (named) rows.back().insert(rows.back().begin(), object.name());
  }
  print_table(title, rows);
}

}  // namespace detail

inline void ls_named_object(const std::string& datastore_path) {
  detail::list_objects(manager::access_named_object_attribute(datastore_path), "Named Object", "Name");
}
inline void ls_unique_object(const std::string& datastore_path) {
  detail::list_objects(manager::access_unique_object_attribute(datastore_path), "Unique Object",
                       "Name: typeid(T).name()");
}
inline void ls_anonymous_object(const std::string& datastore_path) {
  detail::list_objects(manager::access_anonymous_object_attribute(datastore_path), "Anonymous Object", "");
}

}  // namespace metall::utility
