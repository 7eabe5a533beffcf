// perdure rm STORE…: deletes stores.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

void add_remove_command(command program) {
  struct options {
    std::vector<std::filesystem::path> stores;
    bool force = false;
  };
  auto given = std::make_shared<options>();
  command remove = program.add_command("rm", "Delete stores");
  remove.add_paths("STORE", given->stores, "The stores' directories").required();
  remove.add_flag("--force", given->force, "Do not mind if there is none");
  remove.footer("Only a store's own files are deleted; its directory stays if anything else is in it.");
  remove.callback([given] {
    for (const std::filesystem::path& store : given->stores) {
      if (!datastore::remove(store) && !given->force)
        throw error(errc::not_found, "there is no datastore " + store.string());
    }
  });
}

}  // namespace perdure::cli
