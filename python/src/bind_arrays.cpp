// The arrays of an open store.
#include "bind_arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <perdure/array/attribute_value.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/error.hpp>
#include <perdure/workload/cancellation.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "data_types.hpp"
#include "element_buffer.hpp"
#include "element_pieces.hpp"
#include "interruptible.hpp"
#include "stored_block.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

using without_gil = nb::call_guard<nb::gil_scoped_release>;
using numbers = std::vector<std::uint64_t>;

// Larger arrays are stored piece by piece, and Ctrl-C ends them between two pieces.
constexpr std::size_t least_interruptible = std::size_t{64} << 20;

array_options options_of(const nb::handle& given) {
  array_options options;
  options.layout = array_layout::contiguous;
  options.replaces_any = true;
  if (given.is_none()) return options;
  const auto all = nb::cast<nb::dict>(given);
  if (all.contains("layout")) options.layout = array_layout_named(nb::cast<std::string>(all["layout"]));
  if (all.contains("chunk"))
    options.chunk = extents(std::span<const std::uint64_t>(nb::cast<numbers>(all["chunk"])));
  if (all.contains("codec")) options.codec = compression_named(nb::cast<std::string>(all["codec"]));
  if (all.contains("level")) options.level = nb::cast<int>(all["level"]);
  if (all.contains("shuffle")) options.shuffle = nb::cast<bool>(all["shuffle"]);
  if (all.contains("dims")) options.dimensions = nb::cast<std::vector<std::string>>(all["dims"]);
  if (all.contains("replaces")) options.replaces_any = nb::cast<bool>(all["replaces"]);
  return options;
}

extents extents_of(const nb::handle& tuple) {
  extents all;
  for (const nb::handle one : tuple) all.push_back(nb::cast<std::uint64_t>(one));
  return all;
}

nb::object tuple_of(const extents& dims) {
  nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(dims.rank())));
  for (std::size_t i = 0; i < dims.rank(); ++i)
    PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLongLong(dims[i]));
  return made;
}

slab slab_of(const nb::handle& offset, const nb::handle& count, const nb::handle& stride) {
  slab where{extents_of(offset), extents_of(count), {}};
  if (!stride.is_none()) where.stride = extents_of(stride);
  return where;
}

/// A row of characters is one element of NumPy's fixed texts.
extents shape_seen(const array_info& info) {
  if (info.type.kind() != element_kind::character || info.dims.empty() ||
      info.dims[info.dims.rank() - 1] == 0)
    return info.dims;
  return extents(info.dims.span().first(info.dims.rank() - 1));
}

nb::object dtype_seen(const array_info& info) {
  if (info.type.kind() != element_kind::character) return dtype_of(info.type);
  const std::uint64_t length =
      info.dims.empty() ? 1 : std::max<std::uint64_t>(info.dims[info.dims.rank() - 1], 1);
  return nb::module_::import_("perdure._dtypes").attr("bytes_dtype")(length);
}

/// Raises KeyboardInterrupt where the user asked for it. No lock of the store may be held.
void require_no_signal() {
  const nb::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Makes an array by `make`, which gets the arrays, where the name is free or an array's.
template <class Make>
void make_array(const open_store& self, const std::string& name, Make make) {
  const std::shared_ptr<session> now = self.current_to_change();
  const bool is_there = now->require_free(name);
  make(now->arrays());
  if (!is_there) now->groups().add(name);
}

void store(const open_store& self, const std::string& name, const data_type& type, const nb::handle& from,
           const nb::handle& given) {
  const array_options options = options_of(given);
  const element_buffer buffer(from.ptr(), false);
  const const_untyped_view elements = buffer.to_read(type);
  if (buffer.bytes() < least_interruptible || !buffer.is_contiguous() || options.codec != compression::none) {
    const nb::gil_scoped_release others_go_on;
    make_array(self, name,
               [&](untyped_arrays& arrays) { arrays.store_whole(name, type, elements, options); });
    return;
  }
  const element_source pieces = [&](const slab& part, std::byte* to) {
    workload::end_if_cancelled();
    copy_part(elements.data, elements.dims, type.size(), part, to);
  };
  interruptible([&] {
    make_array(self, name, [&](untyped_arrays& arrays) {
      arrays.store_from(name, type, elements.dims, pieces, options);
    });
  });
}

void store_variable(const open_store& self, const std::string& name, const data_type& type,
                    const nb::handle& dims, const std::vector<nb::bytes>& elements, const nb::handle& given) {
  array_options options = options_of(given);
  if (options.layout == array_layout::contiguous) options.layout = array_layout::blocks;
  variable_elements all;
  for (const nb::bytes& one : elements) {
    all.bytes.append(one.c_str(), one.size());
    all.ends.push_back(all.bytes.size());
  }
  const extents shape = extents_of(dims);
  const nb::gil_scoped_release others_go_on;
  make_array(self, name,
             [&](untyped_arrays& arrays) { arrays.store_variable(name, type, shape, all, options); });
}

std::vector<nb::bytes> read_variable(const open_store& self, const std::string& name, const data_type& type) {
  variable_elements all;
  {
    const nb::gil_scoped_release others_go_on;
    all = self.current()->arrays().read_variable(name, type);
  }
  std::vector<nb::bytes> elements;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : all.ends) {
    elements.emplace_back(all.bytes.data() + begin, end - begin);
    begin = end;
  }
  return elements;
}

/// Returns what an array is, or None: shape, NumPy's type, type, layout, whether it can be viewed.
nb::object find(const open_store& self, const std::string& name) {
  const std::shared_ptr<session> now = self.current();
  const std::optional<array_info> info = now->arrays().find(name);
  if (!info) return nb::none();
  return nb::make_tuple(tuple_of(shape_seen(*info)), dtype_seen(*info), info->type,
                        info->is_viewable && !info->type.is_variable() && now->set() == nullptr);
}

nb::dict describe(const open_store& self, const std::string& name) {
  const array_info info = self.current()->arrays().info(name);
  nb::dict all;
  all["layout"] = std::string(to_string(info.layout));
  all["chunk"] = info.layout == array_layout::chunked ? tuple_of(info.chunk) : nb::none();
  all["codec"] = std::string(to_string(info.codec));
  all["dims"] = info.dimensions;
  all["extents"] = tuple_of(info.dims);
  all["nbytes"] = info.bytes;
  all["stored_bytes"] = info.stored_bytes;
  all["blocks"] = info.blocks;
  return all;
}

nb::object view(const open_store& self, const std::string& name) {
  static PyObject* const ndarray = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
  const std::shared_ptr<session> now = self.current();
  const std::optional<array_info> info = now->arrays().find(name);
  if (!info) return nb::none();
  if (now->set() != nullptr)
    throw error(errc::unsupported,
                "the array \"" + name +
                    "\" is open on the ranks of a program, whose memory ends when they close "
                    "it, so it has no view; read it with [...]");
  if (info->type.is_variable())
    throw error(
        errc::unsupported,
        "the array \"" + name + "\" has elements of any length, which have no view; read it with [...]");
  nb::object block =
      nb::cast(new stored_block(now, self.views(), name, now->arrays().view(name, info->type, false)),
               nb::rv_policy::take_ownership);
  return nb::borrow(ndarray)(tuple_of(shape_seen(*info)), dtype_seen(*info), block);
}

void read_into(const open_store& self, const std::string& name, const data_type& type,
               const nb::handle& offset, const nb::handle& count, const nb::handle& stride,
               const nb::handle& to) {
  const slab where = slab_of(offset, count, stride);
  const element_buffer buffer(to.ptr(), true);
  untyped_view elements = buffer.to_write(type);
  const nb::gil_scoped_release others_go_on;
  const std::shared_ptr<session> now = self.current();
  // Large parts along the outermost dimension, between which Ctrl-C is looked for.
  const std::size_t step = where.count.empty() || where.count[0] == 0 ? 1 : buffer.bytes() / where.count[0];
  if (buffer.bytes() < least_interruptible || elements.dims.rank() != where.count.rank() || step == 0) {
    now->arrays().read(name, type, where, elements);
    return;
  }
  const std::uint64_t steps = std::max<std::uint64_t>(least_interruptible / step, 1);
  slab part = where;
  for (std::uint64_t done = 0; done < where.count[0]; done += part.count[0]) {
    part.count[0] = std::min(steps, where.count[0] - done);
    part.offset[0] = where.offset[0] + done * (where.stride.empty() ? 1 : where.stride[0]);
    elements.dims = part.count;
    now->arrays().read(name, type, part, elements);
    elements.data += static_cast<std::ptrdiff_t>(part.count[0]) * elements.strides[0];
    require_no_signal();
  }
}

void write(const open_store& self, const std::string& name, const data_type& type, const nb::handle& offset,
           const nb::handle& count, const nb::handle& stride, const nb::handle& from) {
  const slab where = slab_of(offset, count, stride);
  const element_buffer buffer(from.ptr(), false);
  const const_untyped_view elements = buffer.to_read(type);
  const nb::gil_scoped_release others_go_on;
  self.current_to_change()->arrays().write(name, type, where, elements);
}

/// Returns all elements in a new array of NumPy's.
nb::object load(const open_store& self, const std::string& name) {
  static PyObject* const empty = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
  const std::optional<array_info> info = self.current()->arrays().find(name);
  if (!info) return nb::none();
  nb::object made = nb::borrow(empty)(tuple_of(shape_seen(*info)), dtype_seen(*info));
  read_into(self, name, info->type, tuple_of(extents::all(info->dims.rank(), 0)), tuple_of(info->dims),
            nb::none(), made);
  return made;
}

nb::object attribute(const open_store& self, const std::string& name, const std::string& key) {
  const std::optional<attribute_value> found = self.current()->arrays().attribute(name, key);
  if (!found) return nb::none();
  if (is_null(found->type)) return nb::make_tuple(nb::none(), nb::none(), nb::none());
  nb::object value;
  if (found->type.kind() == element_kind::text && !found->dims.empty()) {
    const variable_elements all = unpack_elements(found->dims, found->bytes);
    nb::list texts;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : all.ends) {
      texts.append(nb::bytes(all.bytes.data() + begin, end - begin));
      begin = end;
    }
    value = texts;
  } else {
    value = nb::bytes(found->bytes.data(), found->bytes.size());
  }
  return nb::make_tuple(found->type, tuple_of(found->dims), value);
}

void set_attribute(const open_store& self, const std::string& name, const std::string& key,
                   const std::optional<data_type>& type, const nb::handle& dims, const nb::handle& value) {
  const extents shape = type ? extents_of(dims) : extents();
  std::string bytes;
  if (nb::isinstance<nb::list>(value)) {
    variable_elements all;
    for (const nb::handle one : value) {
      const auto text = nb::cast<nb::bytes>(one);
      all.bytes.append(text.c_str(), text.size());
      all.ends.push_back(all.bytes.size());
    }
    bytes = pack_elements(all);
  } else if (type) {
    const auto given = nb::cast<nb::bytes>(value);
    bytes.assign(given.c_str(), given.size());
  }
  const nb::gil_scoped_release others_go_on;
  self.current_to_change()->arrays().set_attribute(name, key, type ? *type : null_type(), shape,
                                                   std::as_bytes(std::span(bytes)));
}

}  // namespace

void bind_arrays(nb::class_<open_store>& bound) {
  bound
      .def("store", store, nb::arg("name"), nb::arg("type"), nb::arg("elements"),
           nb::arg("options") = nb::none())
      .def("store_variable", store_variable, nb::arg("name"), nb::arg("type"), nb::arg("dims"),
           nb::arg("elements"), nb::arg("options") = nb::none())
      .def("create",
           [](const open_store& self, const std::string& name, const data_type& type, const nb::handle& dims,
              const nb::handle& given) {
             array_options options = options_of(given);
             const extents shape = extents_of(dims);
             const nb::gil_scoped_release others_go_on;
             // Ranks write their parts of an array into blocks of their own.
             if (options.layout == array_layout::contiguous && self.current()->set() != nullptr)
               options.layout = array_layout::blocks;
             make_array(self, name,
                        [&](untyped_arrays& arrays) { arrays.create(name, type, shape, options); });
           })
      .def("find", find)
      .def("describe", describe)
      .def("view", view)
      .def("load", load)
      .def("read_into", read_into, nb::arg("name"), nb::arg("type"), nb::arg("offset"), nb::arg("count"),
           nb::arg("stride").none(), nb::arg("to"))
      .def("read_variable", read_variable)
      .def("write", write, nb::arg("name"), nb::arg("type"), nb::arg("offset"), nb::arg("count"),
           nb::arg("stride").none(), nb::arg("elements"))
      .def("resize",
           [](const open_store& self, const std::string& name, const nb::handle& dims) {
             const extents shape = extents_of(dims);
             const nb::gil_scoped_release others_go_on;
             self.current_to_change()->arrays().resize(name, shape);
           })
      .def(
          "append",
          [](const open_store& self, const std::string& name, const data_type& type, const nb::handle& from) {
            const element_buffer buffer(from.ptr(), false);
            const const_untyped_view elements = buffer.to_read(type);
            const nb::gil_scoped_release others_go_on;
            self.current_to_change()->arrays().append(name, type, elements);
          })
      .def(
          "erase",
          [](const open_store& self, const std::string& name) {
            const std::shared_ptr<session> now = self.current_to_change();
            const bool was_there = now->arrays().erase(name);
            if (was_there) now->groups().remove(name);
            return was_there;
          },
          without_gil())
      .def("names", [](const open_store& self,
                       const std::string& group) { return self.current()->arrays().list(group); })
      .def("is_group",
           [](const open_store& self, const std::string& name) { return self.current()->is_group(name); })
      .def("count", [](const open_store& self) { return self.current()->arrays().count(); })
      .def(
          "prefetch",
          [](const open_store& self, const std::string& name) { self.current()->arrays().prefetch(name); },
          without_gil())
      .def(
          "check",
          [](const open_store& self, const std::string& name) {
            return self.current()->arrays().check(name);
          },
          without_gil())
      .def("attribute", attribute)
      .def("set_attribute", set_attribute, nb::arg("name"), nb::arg("key"), nb::arg("type").none(),
           nb::arg("dims"), nb::arg("value"))
      .def("attributes", [](const open_store& self,
                            const std::string& name) { return self.current()->arrays().attributes(name); })
      .def(
          "remove_attribute",
          [](const open_store& self, const std::string& name, const std::string& key) {
            return self.current_to_change()->arrays().remove_attribute(name, key);
          },
          without_gil());
}

}  // namespace perdure::python
