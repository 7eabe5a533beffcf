// Opening, checkpoints and closing of stores.
#include "bind_stores.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <perdure/pending_checkpoint.hpp>
#include <string>
#include <string_view>

#include "bind_arrays.hpp"
#include "bind_containers.hpp"
#include "bind_objects.hpp"
#include "bind_tables.hpp"
#include "open_store.hpp"
#include "python_ranks.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

using without_gil = nb::call_guard<nb::gil_scoped_release>;

// A rank waits so long for the others.
constexpr std::chrono::minutes longest_wait_for_ranks{10};

template <class Value>
Value named(const std::map<std::string_view, Value>& names, const std::string& given, const char* what) {
  const auto found = names.find(given);
  if (found != names.end()) return found->second;
  std::string all;
  for (const auto& [name, value] : names) all.append(all.empty() ? "" : ", ").append(name);
  throw error(errc::invalid_argument, std::string(what) + "=\"" + given + "\" is none of: " + all);
}

store_options options_of(const std::optional<std::string>& backing_name, std::size_t budget,
                         const std::string& beside_writer, const std::optional<double>& wait, unsigned keep,
                         bool full_copies, const std::optional<std::size_t>& capacity, bool verify) {
  store_options options;
  if (verify) options.verify = verify_mode::open;
  if (backing_name)
    options.backing = named<backing>({{"private", backing::private_memory},
                                      {"paged", backing::paged},
                                      {"dax", backing::dax},
                                      {"shared", backing::shared_file}},
                                     *backing_name, "backing");
  options.memory_budget = budget;
  options.beside_writer = named<reader_beside_writer>(
      {{"share", reader_beside_writer::share_blocks}, {"hold", reader_beside_writer::hold_writer}},
      beside_writer, "beside_writer");
  if (wait)
    options.wait = std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(*wait * 1000));
  options.keep_last = keep;
  options.keep_full_copies = full_copies;
  if (capacity) options.capacity = *capacity;
  return options;
}

void bind_pending(nb::module_& module) {
  nb::class_<pending_checkpoint>(module, "PendingCheckpoint",
                                 "A checkpoint that becomes durable while the program goes on.")
      .def("wait", &pending_checkpoint::wait, without_gil(),
           "Waits until the checkpoint is durable, or raises what kept it from being made.")
      .def_prop_ro("ready", &pending_checkpoint::ready, "Whether `wait` returns at once.")
      .def_prop_ro("epoch", [](const pending_checkpoint& pending) {
        const nb::gil_scoped_release others_go_on;
        return pending.epoch();
      });
}

nb::dict info_of(const open_store& store) {
  const std::shared_ptr<session> now = store.current();
  nb::dict all;
  if (now->is_set()) {
    all["epoch"] = now->epoch();
    if (now->set() != nullptr) {
      all["rank"] = now->set()->rank();
      all["ranks"] = now->set()->ranks();
      all["parts"] = now->set()->parts();
    }
    return all;
  }
  const store_info info = now->store().store().info();
  all["uuid"] = info.uuid;
  all["format_version"] = info.format_version;
  all["epoch"] = info.epoch;
  all["capacity"] = info.capacity;
  all["size"] = info.size;
  all["disk_bytes"] = info.disk_bytes;
  all["abi"] = info.abi;
  all["tracker"] = now->store().store().tracker();
  return all;
}

// An interpreter's exit status is not the store's business.
void report_lost_changes(const std::filesystem::path& path, const char* what) {
  std::fprintf(stderr, "perdure: %s: changes since the last checkpoint are lost: %s\n", path.c_str(), what);
}

}  // namespace

std::shared_ptr<manager> manager_of(nb::handle store) {
  const std::shared_ptr<session> now = nb::cast<const open_store&>(store.attr("_core")).current();
  return {now, &now->store()};
}

void bind_stores(nb::module_& module) {
  set_close_failure_handler(report_lost_changes);
  bind_pending(module);
  nb::class_<open_store> store(module, "StoreCore", "An open store; perdure.Store is what programs use.");
  store
      .def(
          "__init__",
          [](open_store* self, const std::string& letter, const std::string& path,
             const std::optional<std::string>& backing, std::size_t budget, const std::string& beside_writer,
             const std::optional<double>& wait, unsigned keep, bool full_copies,
             const std::optional<std::size_t>& capacity, bool verify, const nb::handle& channel,
             const std::string& parts_directory) {
            const open_letter how = named<open_letter>({{"r", open_letter::read},
                                                        {"r+", open_letter::read_write},
                                                        {"a", open_letter::append},
                                                        {"w", open_letter::truncate},
                                                        {"x", open_letter::exclusive}},
                                                       letter, "mode");
            const store_options options =
                options_of(backing, budget, beside_writer, wait, keep, full_copies, capacity, verify);
            const bool has_ranks = !channel.is_none();
            const nb::gil_scoped_release others_go_on;
            if (has_ranks) {
              detail::set_options of_set;
              of_set.store = options;
              of_set.parts_directory = parts_directory;
              new (self) open_store(how, path, of_set,
                                    std::make_unique<python_ranks>(channel, longest_wait_for_ranks));
            } else {
              new (self) open_store(how, path, options);
            }
          },
          nb::arg("mode"), nb::arg("path"), nb::kw_only(), nb::arg("backing") = nb::none(),
          nb::arg("budget") = 0, nb::arg("beside_writer") = "share", nb::arg("wait") = nb::none(),
          nb::arg("keep") = 0, nb::arg("full_copies") = false, nb::arg("capacity") = nb::none(),
          nb::arg("verify") = false, nb::arg("channel") = nb::none(), nb::arg("parts_directory") = "")
      .def_prop_ro("is_open", &open_store::is_open)
      .def_prop_ro("is_writable", &open_store::is_writable)
      .def_prop_ro("is_forked", &open_store::is_forked)
      .def_prop_ro("is_set", [](const open_store& self) { return self.current()->is_set(); })
      .def_prop_ro("has_ranks", [](const open_store& self) { return self.current()->set() != nullptr; })
      .def_prop_ro("epoch", [](const open_store& self) { return self.current()->epoch(); })
      .def_prop_ro("live_views", [](const open_store& self) { return self.views()->count(); })
      .def_prop_ro("live_views_sentence", [](const open_store& self) { return self.views()->sentence(); })
      .def("close", &open_store::close, without_gil(), nb::arg("force") = false)
      .def("discard", &open_store::discard, without_gil())
      .def("give_up", &open_store::give_up, without_gil())
      .def("refresh", &open_store::refresh, without_gil())
      .def("after_fork", &open_store::after_fork)
      .def(
          "checkpoint",
          [](const open_store& self, const std::string& label) {
            self.current_to_change()->checkpoint(label);
          },
          without_gil(), nb::arg("label") = "")
      .def(
          "checkpoint_async",
          [](const open_store& self, const std::string& label) {
            return self.current_to_change()->store().checkpoint_async(label);
          },
          without_gil(), nb::arg("label") = "")
      .def(
          "snapshot", [](const open_store& self, const std::string& to) { self.current()->snapshot(to); },
          without_gil())
      .def("info", info_of);
  bind_arrays(store);
  bind_container_kinds(store);
  bind_objects(store);
  bind_tables(store);
}

}  // namespace perdure::python
