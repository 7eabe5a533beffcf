// perdure rm STORE…: deletes stores, and sets of stores.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

void add_remove_command(command program) {
  struct options {
    std::vector<std::filesystem::path> stores;
    bool force = false;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command remove = program.add_command("rm", "Delete stores, or sets of stores");
  remove.add_paths("STORE", given->stores, "The directories of the stores").required();
  remove.add_flag("--force", given->force, "Do not mind if there is none");
  remove.footer("Only a store's own files are deleted; its directory stays if anything else is in it.");
  add_json_option(remove, given->as_json);
  remove.example("web.store", "Delete a store");
  remove.example("--force old.store older.store", "Delete stores that may be gone already");
  remove.callback([given] {
    json removed = json::array();
    json missing = json::array();
    for (const std::filesystem::path& store : given->stores) {
      const bool was_there = is_set(store) ? remove_set(store) : store_maintenance::remove(store);
      if (!was_there && !given->force)
        throw error(errc::not_found, "there is no datastore " + store.string());
      (was_there ? removed : missing).push_back(store.string());
    }
    if (given->as_json) print({{"removed", removed}, {"missing", missing}});
  });
}

}  // namespace perdure::cli
