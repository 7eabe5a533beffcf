// Functions for stores that need not be open: verify, copy, remove, logs, kept checkpoints.
#include "bind_maintenance.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <perdure/kept_checkpoint.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace perdure::python {

namespace {

using without_gil = nb::call_guard<nb::gil_scoped_release>;

nb::list log_of(const std::string& path) {
  nb::list all;
  for (const checkpoint_record& one : store_maintenance::log(path)) {
    nb::dict record;
    record["epoch"] = one.epoch;
    record["time_ns"] = one.time_ns;
    record["label"] = one.label;
    record["bytes"] = one.bytes();
    record["kept"] = one.kept;
    all.append(record);
  }
  return all;
}

nb::list kept_in(const std::string& path) {
  nb::list all;
  for (const kept_checkpoint& one : kept_checkpoints(path)) {
    nb::dict record;
    record["epoch"] = one.epoch;
    record["time_ns"] = one.time_ns;
    record["label"] = one.label;
    record["path"] = one.path.string();
    all.append(record);
  }
  return all;
}

std::vector<std::string> damages_of(const std::string& path) {
  std::vector<std::string> sentences;
  const verify_report report = manager::verify(path);
  for (const verify_finding& one : report.findings)
    if (one.damage) sentences.push_back(to_string(one));
  return sentences;
}

}  // namespace

void bind_maintenance(nb::module_& module) {
  module.def("verify", damages_of, without_gil(), nb::arg("path"));
  module.def("log", log_of, nb::arg("path"));
  module.def("kept_checkpoints", kept_in, nb::arg("path"));
  module.def(
      "exists", [](const std::string& path) { return manager::exists(path); }, nb::arg("path"));
  module.def(
      "remove", [](const std::string& path) { return manager::remove(path); }, without_gil(),
      nb::arg("path"));
  module.def(
      "copy", [](const std::string& from, const std::string& to) { store_maintenance::copy(from, to); },
      without_gil(), nb::arg("source"), nb::arg("target"));
}

}  // namespace perdure::python
