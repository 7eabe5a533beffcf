// Python values as bytes, which containers of stores have as their keys and values.
#include "cells.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <perdure/error.hpp>

namespace nb = nanobind;

namespace perdure::python {

namespace {

template <class Number>
void append_number(std::string& to, char kind, Number number) {
  char bytes[1 + sizeof number];
  bytes[0] = kind;
  std::memcpy(bytes + 1, &number, sizeof number);
  to.append(bytes, sizeof bytes);
}

template <class Number>
Number number_in(std::string_view cell) {
  Number number;
  if (cell.size() < sizeof number) throw error(errc::damaged, "a value of a container is cut short");
  std::memcpy(&number, cell.data(), sizeof number);
  return number;
}

void append_int(std::string& to, PyObject* value) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    append_number(to, 'i', static_cast<std::int64_t>(small));
    return;
  }
  const nb::handle large(value);
  const auto bits = nb::cast<std::size_t>(large.attr("bit_length")());
  const nb::object bytes = large.attr("to_bytes")(bits / 8 + 1, "little", nb::arg("signed") = true);
  to += 'I';
  to.append(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
}

void append_float(std::string& to, double value, bool is_key) {
  // The keys 1.0 and 1 are the same.
  if (is_key && std::trunc(value) == value && std::abs(value) < 9e15) {
    append_number(to, 'i', static_cast<std::int64_t>(value));
  } else {
    append_number(to, 'f', value);
  }
}

nb::module_ helpers() {
  return nb::module_::import_("perdure._containers");
}

}  // namespace

void append_cell(std::string& to, nb::handle value, bool is_key) {
  PyObject* const given = value.ptr();
  if (PyUnicode_Check(given)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(given, &size);
    if (text == nullptr) throw nb::python_error();
    to += 's';
    to.append(text, static_cast<std::size_t>(size));
  } else if (PyBool_Check(given)) {
    if (is_key) {
      append_number(to, 'i', static_cast<std::int64_t>(given == Py_True));
    } else {
      to += given == Py_True ? 'T' : 'F';
    }
  } else if (PyLong_Check(given)) {
    append_int(to, given);
  } else if (PyFloat_Check(given)) {
    append_float(to, PyFloat_AsDouble(given), is_key);
  } else if (PyBytes_Check(given)) {
    to += 'b';
    to.append(PyBytes_AsString(given), static_cast<std::size_t>(PyBytes_Size(given)));
  } else if (given == Py_None) {
    to += 'N';
  } else if (PyTuple_Check(given)) {
    to += 't';
    std::string one;
    for (Py_ssize_t i = 0; i < PyTuple_Size(given); ++i) {
      one.clear();
      append_cell(one, PyTuple_GetItem(given, i), is_key);
      const auto size = static_cast<std::uint64_t>(one.size());
      to.append(reinterpret_cast<const char*>(&size), sizeof size);
      to += one;
    }
  } else {
    const nb::object bytes = helpers().attr("cell_of")(value, is_key);
    to.append(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
  }
}

void bind_cells(nb::module_& module) {
  module.def(
      "encode_cell",
      [](nb::handle value, bool is_key) {
        std::string cell;
        append_cell(cell, value, is_key);
        return nb::bytes(cell.data(), cell.size());
      },
      nb::arg("value").none(), nb::arg("is_key"));
}

nb::object value_of_cell(std::string_view cell) {
  if (cell.empty()) throw error(errc::damaged, "a value of a container has no kind");
  const std::string_view rest = cell.substr(1);
  const auto size = static_cast<Py_ssize_t>(rest.size());
  switch (cell[0]) {
    case 's': {
      nb::object text = nb::steal(PyUnicode_DecodeUTF8(rest.data(), size, nullptr));
      if (!text.is_valid()) throw nb::python_error();
      return text;
    }
    case 'i':
      return nb::steal(PyLong_FromLongLong(number_in<std::int64_t>(rest)));
    case 'f':
      return nb::steal(PyFloat_FromDouble(number_in<double>(rest)));
    case 'b':
      return nb::bytes(rest.data(), rest.size());
    case 'N':
      return nb::none();
    case 'T':
    case 'F':
      return nb::bool_(cell[0] == 'T');
    case 'I':
      return nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type))
          .attr("from_bytes")(nb::bytes(rest.data(), rest.size()), "little", nb::arg("signed") = true);
    case 't': {
      nb::list all;
      for (std::string_view left = rest; !left.empty();) {
        const auto bytes = number_in<std::uint64_t>(left);
        left.remove_prefix(sizeof bytes);
        if (bytes > left.size()) throw error(errc::damaged, "a tuple of a container is cut short");
        all.append(value_of_cell(left.substr(0, bytes)));
        left.remove_prefix(bytes);
      }
      return nb::tuple(all);
    }
    default:
      return helpers().attr("value_of")(nb::bytes(cell.data(), cell.size()));
  }
}

}  // namespace perdure::python
