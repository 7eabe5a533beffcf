// perdure rm STORE…: deletes stores.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

void add_remove_command(CLI::App& program) {
  struct options {
    std::vector<std::filesystem::path> stores;
    bool force = false;
  };
  auto given = std::make_shared<options>();
  CLI::App& command = *program.add_subcommand("rm", "Delete stores");
  command.add_option("STORE", given->stores, "The stores' directories")->required();
  command.add_flag("--force", given->force, "Do not mind if there is none");
  command.footer("Only a store's own files are deleted; its directory stays if anything else is in it.");
  command.callback([given] {
    for (const std::filesystem::path& store : given->stores) {
      if (!datastore::remove(store) && !given->force)
        throw error(errc::not_found, "there is no datastore " + store.string());
    }
  });
}

}  // namespace perdure::cli
