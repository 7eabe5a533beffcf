// Containers of Python values in stores.
#include "bind_containers.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/flat_set.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/vector.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "cell_pairs.hpp"
#include "cells.hpp"
#include "stored_container.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

using dict = stored_container<flat_map<string, string>>;
using set = stored_container<flat_set<string>>;
using list = stored_container<vector<string>>;

/// The cell of a value in memory that is used again.
std::string_view key_cell(nb::handle key) {
  thread_local std::string cell;
  cell.clear();
  append_cell(cell, key, true);
  return cell;
}
std::string_view value_cell(nb::handle value) {
  thread_local std::string cell;
  cell.clear();
  append_cell(cell, value, false);
  return cell;
}

std::string_view bytes_of(const string& cell) {
  return {cell.data(), cell.size()};
}

[[noreturn]] void raise_key(nb::handle key) {
  const nb::object kind = nb::module_::import_("perdure._perdure").attr("MissingError");
  PyErr_SetObject(kind.ptr(), key.ptr());
  throw nb::python_error();
}

/// Returns the place of an index from the front or from the back. Raises IndexError.
std::size_t place_of(std::ptrdiff_t index, std::size_t size) {
  const std::ptrdiff_t place = index < 0 ? index + static_cast<std::ptrdiff_t>(size) : index;
  if (place < 0 || static_cast<std::size_t>(place) >= size) throw nb::index_error("list index out of range");
  return static_cast<std::size_t>(place);
}

void assign(string& to, std::string_view cell) {
  to.assign(cell.data(), cell.size());
}

void bind_dict(nb::module_& module) {
  nb::class_<dict>(module, "DictBase")
      .def("__init__", [](nb::pointer_and_handle<dict> self, nb::handle store,
                          std::string name) { new (self.p) dict(store, std::move(name), "dict"); })
      .def_prop_ro("_name", &dict::name)
      .def("__len__", [](const dict& self) { return self.read()->size(); })
      .def(
          "__contains__",
          [](const dict& self, nb::handle key) { return self.read()->contains(key_cell(key)); },
          nb::arg("key").none())
      .def(
          "__getitem__",
          [](const dict& self, nb::handle key) {
            const auto map = self.read();
            const auto found = map->find(key_cell(key));
            if (found == map->end()) raise_key(key);
            return value_of_cell(bytes_of(found->second));
          },
          nb::arg("key").none())
      .def(
          "get",
          [](const dict& self, nb::handle key, nb::object otherwise) {
            const auto map = self.read();
            const auto found = map->find(key_cell(key));
            return found == map->end() ? std::move(otherwise) : value_of_cell(bytes_of(found->second));
          },
          nb::arg("key").none(), nb::arg("default") = nb::none(), "Returns the value of a key, or `default`.")
      .def(
          "__setitem__",
          [](const dict& self, nb::handle key, nb::handle value) {
            const std::string_view as_key = key_cell(key);
            const std::string_view as_value = value_cell(value);
            self.change([&](auto& map) { map.insert_or_assign(as_key, as_value); });
          },
          nb::arg("key").none(), nb::arg("value").none())
      .def(
          "__delitem__",
          [](const dict& self, nb::handle key) {
            const std::string_view as_key = key_cell(key);
            if (self.change([&](auto& map) { return map.erase(as_key); }) == 0) raise_key(key);
          },
          nb::arg("key").none())
      .def("_update_dict",
           [](const dict& self, nb::dict from) {
             // All cells are made before the first is stored: a value that cannot be stored changes nothing.
             cell_pairs pairs;
             PyObject* key = nullptr;
             PyObject* value = nullptr;
             for (Py_ssize_t at = 0; PyDict_Next(from.ptr(), &at, &key, &value) != 0;) pairs.add(key, value);
             self.change([&](auto& map) { pairs.set_in(map); });
           })
      .def(
          "clear", [](const dict& self) { self.change([](auto& map) { map.clear(); }); }, "Removes all keys.")
      .def("_keys",
           [](const dict& self) {
             nb::list all;
             for (const auto held = self.read(); const auto& [key, value] : *held)
               all.append(value_of_cell(bytes_of(key)));
             return all;
           })
      .def("_items", [](const dict& self) {
        nb::list all;
        for (const auto held = self.read(); const auto& [key, value] : *held)
          all.append(nb::make_tuple(value_of_cell(bytes_of(key)), value_of_cell(bytes_of(value))));
        return all;
      });
}

void bind_set(nb::module_& module) {
  nb::class_<set>(module, "SetBase")
      .def("__init__", [](nb::pointer_and_handle<set> self, nb::handle store,
                          std::string name) { new (self.p) set(store, std::move(name), "set"); })
      .def_prop_ro("_name", &set::name)
      .def("__len__", [](const set& self) { return self.read()->size(); })
      .def(
          "__contains__",
          [](const set& self, nb::handle key) { return self.read()->contains(key_cell(key)); },
          nb::arg("key").none())
      .def(
          "add",
          [](const set& self, nb::handle key) {
            const std::string_view cell = key_cell(key);
            self.change([&](auto& keys) {
              if (!keys.contains(cell)) keys.emplace(cell);
            });
          },
          nb::arg("value").none(), "Adds a value.")
      .def(
          "discard",
          [](const set& self, nb::handle key) {
            const std::string_view cell = key_cell(key);
            self.change([&](auto& keys) { keys.erase(cell); });
          },
          nb::arg("value").none(), "Removes a value, if it is there.")
      .def(
          "clear", [](const set& self) { self.change([](auto& keys) { keys.clear(); }); },
          "Removes all values.")
      .def("_keys", [](const set& self) {
        nb::list all;
        for (const auto held = self.read(); const auto& key : *held) all.append(value_of_cell(bytes_of(key)));
        return all;
      });
}

void bind_list(nb::module_& module) {
  nb::class_<list>(module, "ListBase")
      .def("__init__", [](nb::pointer_and_handle<list> self, nb::handle store,
                          std::string name) { new (self.p) list(store, std::move(name), "list"); })
      .def_prop_ro("_name", &list::name)
      .def("__len__", [](const list& self) { return self.read()->size(); })
      .def("_get",
           [](const list& self, std::ptrdiff_t index) {
             const auto all = self.read();
             return value_of_cell(bytes_of((*all)[place_of(index, all->size())]));
           })
      .def(
          "_set",
          [](const list& self, std::ptrdiff_t index, nb::handle value) {
            const std::string_view cell = value_cell(value);
            self.change([&](auto& all) { assign(all[place_of(index, all.size())], cell); });
          },
          nb::arg("index"), nb::arg("value").none())
      .def("_erase",
           [](const list& self, std::ptrdiff_t index) {
             self.change([&](auto& all) {
               all.erase(all.begin() + static_cast<std::ptrdiff_t>(place_of(index, all.size())));
             });
           })
      .def(
          "append",
          [](const list& self, nb::handle value) {
            const std::string_view cell = value_cell(value);
            self.change([&](auto& all) { assign(all.emplace_back(), cell); });
          },
          nb::arg("value").none(), "Adds a value at the end.")
      .def(
          "insert",
          [](const list& self, std::ptrdiff_t index, nb::handle value) {
            const std::string_view cell = value_cell(value);
            self.change([&](auto& all) {
              const auto size = static_cast<std::ptrdiff_t>(all.size());
              const std::ptrdiff_t place =
                  std::clamp<std::ptrdiff_t>(index < 0 ? index + size : index, 0, size);
              assign(*all.emplace(all.begin() + place), cell);
            });
          },
          nb::arg("index"), nb::arg("value").none(), "Adds a value before the one at `index`.")
      .def(
          "clear", [](const list& self) { self.change([](auto& all) { all.clear(); }); },
          "Removes all values.")
      .def("_values", [](const list& self) {
        nb::list all;
        for (const auto held = self.read(); const string& one : *held)
          all.append(value_of_cell(bytes_of(one)));
        return all;
      });
}

}  // namespace

void bind_containers(nb::module_& module) {
  bind_dict(module);
  bind_set(module);
  bind_list(module);
}

void bind_container_kinds(nb::class_<open_store>& bound) {
  bound
      .def("container_kind",
           [](const open_store& self, const std::string& name) -> std::string {
             const std::shared_ptr<session> now = self.current();
             if (now->is_set()) return {};
             try {
               return now->store().attribute(object_name(name), container_mark).value_or("");
             } catch (const error& failed) {
               if (failed.code() == errc::not_found || failed.code() == errc::invalid_argument) return {};
               throw;
             }
           })
      .def("destroy_container", [](open_store& self, const std::string& name, const std::string& kind) {
        const std::shared_ptr<session> now = self.current_to_change();
        self.count_destroyed();
        if (kind == "dict") return now->store().destroy<flat_map<string, string>>(object_name(name));
        if (kind == "set") return now->store().destroy<flat_set<string>>(object_name(name));
        return now->store().destroy<vector<string>>(object_name(name));
      });
}

}  // namespace perdure::python
