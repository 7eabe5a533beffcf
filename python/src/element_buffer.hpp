// The memory of a Python object that has the buffer protocol, as the library's views of elements.
#pragma once

#include <Python.h>

#include <perdure/array/untyped_arrays.hpp>

namespace perdure::python {

/// Holds an object's buffer. Needs the GIL to be made and destroyed.
class element_buffer {
 public:
  /// Throws what Python raised.
  element_buffer(PyObject* from, bool to_write);
  element_buffer(const element_buffer&) = delete;
  element_buffer& operator=(const element_buffer&) = delete;
  ~element_buffer() { PyBuffer_Release(&buffer_); }

  /// Returns the elements. Fixed texts are stored as characters, along one dimension more.
  const_untyped_view to_read(const data_type& type) const;
  untyped_view to_write(const data_type& type) const;
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(buffer_.len); }
  const void* data() const noexcept { return buffer_.buf; }
  bool is_contiguous() const { return PyBuffer_IsContiguous(&buffer_, 'C') != 0; }

 private:
  template <class View>
  View elements(const data_type& type) const;

  Py_buffer buffer_{};
};

}  // namespace perdure::python
