// The memory of a Python object that has the buffer protocol, as the library's views of elements.
#include "element_buffer.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <perdure/error.hpp>
#include <string>

namespace perdure::python {

element_buffer::element_buffer(PyObject* from, bool to_write) {
  if (PyObject_GetBuffer(from, &buffer_, to_write ? PyBUF_STRIDED : PyBUF_STRIDED_RO) != 0)
    throw nanobind::python_error();
}

template <class View>
View element_buffer::elements(const data_type& type) const {
  View all;
  all.data = static_cast<std::byte*>(buffer_.buf);
  for (int i = 0; i < buffer_.ndim; ++i) {
    all.dims.push_back(static_cast<std::uint64_t>(buffer_.shape[i]));
    all.strides[static_cast<std::size_t>(i)] = buffer_.strides[i];
  }
  if (type.kind() == element_kind::character && type.dims().empty()) {
    all.strides[all.dims.rank()] = 1;
    all.dims.push_back(static_cast<std::uint64_t>(buffer_.itemsize));
  } else if (static_cast<std::size_t>(buffer_.itemsize) != type.size()) {
    throw error(errc::wrong_type, "elements of " + std::to_string(buffer_.itemsize) +
                                      " bytes are given for elements of type " + type.text());
  }
  return all;
}

const_untyped_view element_buffer::to_read(const data_type& type) const {
  return elements<const_untyped_view>(type);
}

untyped_view element_buffer::to_write(const data_type& type) const {
  return elements<untyped_view>(type);
}

}  // namespace perdure::python
