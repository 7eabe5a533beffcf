// perdure kmer merge: adds the genomes of one exact index to another.
#include <memory>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/grow_exact.hpp>

#include "grown_store.hpp"
#include "kmer_options.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct merging_wanted {
  index_options into;
  std::filesystem::path from;
  std::string from_name = kmer::default_index_name;
  kmer::exact_options how;
};

void merge(const merging_wanted& given) {
  require_changeable_store(given.into.store);
  const stopwatch watch;
  kmer::exact_result made;
  {
    manager store(open_only, given.into.store, settings_for(given.into.verify));
    const manager other(open_read_only, given.from, settings_for(given.into.verify));
    try {
      kmer::exact_options how = given.how;
      how.index = given.into.name;
      made = kmer::merge_exact_index(store, kmer::exact_index(other, given.from_name), how);
    } catch (...) {
      store.discard();
      throw;
    }
    store.close();
  }
  const double seconds = watch.seconds();
  if (given.into.as_json) {
    json value{{"store", given.into.store.string()},
               {"index", given.into.name},
               {"from", given.from.string()},
               {"sequences", made.sequences},
               {"bases", made.bases},
               {"kmers", made.kmers},
               {"occurrences", made.occurrences},
               {"layers", made.layers},
               {"merged_layers", made.merged},
               {"bytes", made.bytes},
               {"threads", given.how.threads},
               {"seconds", seconds}};
    tell_grown_store(value, given.into.store, 0);
    print(value);
    return;
  }
  output out = output::standard();
  out.write("merged         " + counted(made.sequences, "sequence", "sequences") + ", " +
            grouped(made.bases) + " bases in " + in_seconds(seconds) + "\n");
  out.write("index          " + printable_name(given.into.name) + ": " +
            counted(made.layers, "layer", "layers") + ", of which the last has " + grouped(made.kmers) +
            " k-mers, " + in_bytes(made.bytes) + "\n");
  tell_grown_store(out, given.into.store);
  out.finish();
}

}  // namespace

void add_kmer_merge_command(command kmer) {
  auto given = std::make_shared<merging_wanted>();
  command target =
      kmer.add_command("merge", "Add the genomes of another exact index, without reading their files");
  target.add_path("STORE", given->into.store, "The store's directory, whose index gets them").required();
  target.add_path("OTHER", given->from, "The directory of the store with the other index, or STORE@LABEL")
      .required();
  add_index_name_option(target, given->into.name);
  target.add_text("--other-name", given->from_name, "The other index's name (default kmers)");
  add_threads_option(target, given->how.threads);
  add_verify_option(target, given->into.verify);
  add_wait_option(target);
  add_json_option(target, given->into.as_json);
  target.example("genomes.store others.store", "Add the genomes of another index");
  target.callback([given] { merge(*given); });
}

}  // namespace perdure::cli
