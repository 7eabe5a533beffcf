// Functions for stores that need not be open: verify, copy, remove, logs, kept checkpoints.
#include "bind_maintenance.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace perdure::python {

namespace {

using without_gil = nb::call_guard<nb::gil_scoped_release>;

nb::list log_of(const std::filesystem::path& path) {
  nb::list all;
  for (const checkpoint_record& one : is_set(path) ? log_of_set(path) : store_maintenance::log(path)) {
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

nb::list kept_in(const std::filesystem::path& path) {
  nb::list all;
  for (const kept_checkpoint& one : is_set(path) ? kept_checkpoints_of_set(path) : kept_checkpoints(path)) {
    nb::dict record;
    record["epoch"] = one.epoch;
    record["time_ns"] = one.time_ns;
    record["label"] = one.label;
    record["path"] = one.path.string();
    all.append(record);
  }
  return all;
}

std::vector<std::string> damages_of(const std::filesystem::path& path) {
  std::vector<std::string> sentences;
  const auto add = [&](const verify_report& report, const std::string& where) {
    for (const verify_finding& one : report.findings)
      if (one.damage) sentences.push_back(where + to_string(one));
  };
  if (!is_set(path)) {
    add(manager::verify(path), {});
    return sentences;
  }
  const set_verify_report all = verify_set(path);
  for (std::size_t part = 0; part < all.parts.size(); ++part)
    add(all.parts[part], "part " + std::to_string(part) + ": ");
  if (all.problem) sentences.push_back(*all.problem);
  return sentences;
}

}  // namespace

void bind_maintenance(nb::module_& module) {
  module.def("verify", damages_of, without_gil(), nb::arg("path"));
  module.def("log", log_of, nb::arg("path"));
  module.def("kept_checkpoints", kept_in, nb::arg("path"));
  module.def(
      "exists", [](const std::filesystem::path& path) { return manager::exists(path) || is_set(path); },
      nb::arg("path"));
  module.def(
      "remove",
      [](const std::filesystem::path& path) {
        return is_set(path) ? remove_set(path) : manager::remove(path);
      },
      without_gil(), nb::arg("path"));
  module.def(
      "copy",
      [](const std::filesystem::path& from, const std::filesystem::path& to) {
        is_set(from) ? copy_set(from, to) : store_maintenance::copy(from, to);
      },
      without_gil(), nb::arg("source"), nb::arg("target"));
}

}  // namespace perdure::python
