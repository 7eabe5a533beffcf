// The elements of a stored array where they lie, as an object that has the buffer protocol.
#include <nanobind/stl/string.h>

#include "stored_block.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

int get_block(PyObject* self, Py_buffer* buffer, int flags) noexcept {
  const stored_block* const block = nb::inst_ptr<stored_block>(self);
  static char nothing = 0;  // an address for no bytes
  void* const data = block->bytes() == 0 ? &nothing : const_cast<void*>(block->data());
  return PyBuffer_FillInfo(buffer, self, data, static_cast<Py_ssize_t>(block->bytes()), 1, flags);
}

/// A base class without anything of its own.
struct redirected_buffer {};

int get_redirected(PyObject* self, Py_buffer* buffer, int flags) noexcept {
  PyObject* const view = PyObject_CallMethod(self, "_buffer", nullptr);
  if (view == nullptr) {
    buffer->obj = nullptr;
    return -1;
  }
  const int status = PyObject_GetBuffer(view, buffer, flags);
  Py_DECREF(view);
  return status;
}

}  // namespace

void bind_stored_blocks(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_block)}, {0, nullptr}};
  nb::class_<stored_block>(module, "StoredBlock", nb::type_slots(slots),
                           "The elements of a stored array where they lie in the store.")
      .def_prop_ro("name", [](const stored_block& block) { return block.name(); })
      .def_prop_ro("nbytes", [](const stored_block& block) { return block.bytes(); });
}

void bind_redirected_buffers(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_redirected)}, {0, nullptr}};
  nb::class_<redirected_buffer>(module, "BufferOf", nb::type_slots(slots), nb::is_weak_referenceable(),
                                nb::dynamic_attr(), "Has the buffer of what the method `_buffer` returns.")
      .def(nb::init<>());
}

}  // namespace perdure::python
