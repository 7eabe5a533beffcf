// perdure.Error, and how the library's errors become Python exceptions.
#include "bind_errors.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <perdure/error.hpp>
#include <string>

namespace nb = nanobind;

namespace perdure::python {

namespace {

// The classes, in the order of `error_class`. They live as long as the interpreter.
std::array<PyObject*, 7> classes{};

enum error_class : std::size_t { plain, key, type, value, os, memory, unsupported };

struct translation {
  error_class as;
  int number;  // errno of an OSError
};

translation translation_of(errc code) {
  switch (code) {
    case errc::not_found:
      return {os, ENOENT};
    case errc::already_exists:
      return {os, EEXIST};
    case errc::in_use:
      return {os, EAGAIN};
    case errc::permission_denied:
      return {os, EACCES};
    case errc::read_only:
      return {os, EROFS};
    case errc::no_space:
      return {os, ENOSPC};
    case errc::out_of_capacity:
      return {os, EFBIG};
    case errc::io:
    case errc::damaged:
      return {os, EIO};
    case errc::timed_out:
      return {os, ETIMEDOUT};
    case errc::out_of_memory:
      return {memory, 0};
    case errc::wrong_type:
      return {type, 0};
    case errc::unsupported:
      return {unsupported, 0};
    case errc::invalid_argument:
    case errc::bad_input:
    case errc::not_a_store:
    case errc::too_new:
    case errc::too_old:
    case errc::incompatible:
      return {value, 0};
    default:
      return {plain, 0};
  }
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& failed) {
    const translation as = translation_of(failed.code());
    const nb::object kind = nb::borrow(classes[as.as]);
    const nb::str what(failed.what());
    nb::object raised = as.as == os ? kind(as.number, what) : kind(what);
    raised.attr("code") = nb::str(to_string(failed.code()).data());
    PyErr_SetObject(classes[as.as], raised.ptr());
  }
}

PyObject* make_class(nb::module_& module, const char* name, nb::handle bases, const char* doc) {
  const std::string full = std::string("perdure.") + name;
  PyObject* const made = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  module.attr(name) = nb::borrow(made);
  return made;
}

}  // namespace

void bind_errors(nb::module_& module) {
  classes[plain] =
      make_class(module, "Error", nb::handle(PyExc_Exception),
                 "A failure of Perdure. `code` is its name, as the program `perdure` prints it.");
  module.attr("Error").attr("code") = nb::none();
  const auto derive = [&](error_class which, const char* name, PyObject* builtin, const char* doc) {
    classes[which] =
        make_class(module, name, nb::make_tuple(nb::borrow(classes[plain]), nb::borrow(builtin)), doc);
  };
  derive(key, "MissingError", PyExc_KeyError, "A name that is not in the store. Also a KeyError.");
  derive(type, "StoredTypeError", PyExc_TypeError,
         "A type that does not fit, or cannot be stored. Also a TypeError.");
  derive(value, "InvalidError", PyExc_ValueError,
         "A value that a function does not accept. Also a ValueError.");
  derive(os, "StoreOSError", PyExc_OSError,
         "A failure of files, devices or locks, with `errno`. Also an OSError.");
  derive(memory, "OutOfMemoryError", PyExc_MemoryError,
         "Memory or address space is exhausted. Also a MemoryError.");
  derive(unsupported, "UnsupportedError", PyExc_NotImplementedError,
         "This kernel, file system or layout cannot do it. Also a NotImplementedError.");
  // Of errors that Python's side raises.
  const auto name_code = [&](const char* name, errc code) {
    module.attr(name).attr("code") = nb::str(to_string(code).data());
  };
  name_code("MissingError", errc::not_found);
  name_code("StoredTypeError", errc::wrong_type);
  name_code("InvalidError", errc::invalid_argument);
  name_code("OutOfMemoryError", errc::out_of_memory);
  name_code("UnsupportedError", errc::unsupported);
  // KeyError shows its argument in quotation marks; a sentence needs none.
  module.attr("MissingError").attr("__str__") = nb::borrow(PyExc_Exception).attr("__str__");
  nb::register_exception_translator(translate);
}

}  // namespace perdure::python
