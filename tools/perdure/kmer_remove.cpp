// perdure kmer remove: says why genomes stay in an index of minimizers.
#include <memory>
#include <perdure/error.hpp>
#include <string>
#include <vector>

#include "kmer_options.hpp"

namespace perdure::cli {
namespace {

struct removal_wanted : index_options {
  std::vector<std::filesystem::path> genomes;
};

}  // namespace

void add_kmer_remove_command(command kmer) {
  auto given = std::make_shared<removal_wanted>();
  command remove = kmer.add_command("remove", "Refused: an index of minimizers cannot lose genomes");
  add_index_options(remove, *given);
  remove.add_paths("--genomes", given->genomes, "Files of genomes");
  remove.callback([given] {
    const opened_index opened(*given);
    throw error(errc::unsupported,
                given->store.string() + ": genomes cannot be removed from the k-mer index \"" +
                    opened.index().name() +
                    "\": it has common ancestors, which do not say which genomes made them; build an index "
                    "without these genomes");
  });
}

}  // namespace perdure::cli
