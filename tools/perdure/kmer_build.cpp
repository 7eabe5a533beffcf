// perdure kmer build and add: make an index of genomes in a store, and add genomes to one.
#include <filesystem>
#include <memory>
#include <mutex>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/grow_index.hpp>
#include <string>
#include <vector>

#include "grown_store.hpp"
#include "interruption.hpp"
#include "kmer_options.hpp"
#include "progress.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct index_wanted {
  std::filesystem::path store;
  std::vector<std::filesystem::path> genomes;
  std::vector<std::filesystem::path> taxonomy;  // empty: genomes are added to an index
  std::filesystem::path map;
  kmer::build_options how;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

class index_building {
 public:
  explicit index_building(const index_wanted& given)
      : given_(given),
        is_growing_(given.taxonomy.empty()),
        created_(!is_growing_ && !manager::exists(given.store)) {}

  void run() {
    const stopwatch watch;
    try {
      build();
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal, "interrupted: " + given_.store.string() +
                                    (created_ ? " was not made" : " is as it was before"));
    }
    report(watch.seconds());
  }

 private:
  void build() {
    // Read before the store is made, so that a fault in them leaves no empty store behind.
    const kmer::taxonomy taxonomy =
        is_growing_ ? kmer::taxonomy() : kmer::read_taxonomy(given_.taxonomy[0], given_.taxonomy[1]);
    const kmer::sequence_taxa taxa =
        given_.map.empty() ? kmer::sequence_taxa() : kmer::sequence_taxa(given_.map);
    kmer::build_options how = given_.how;
    how.end_descriptor = interruption_.descriptor();
    how.on_progress = [this](const workload::progress& now) {
      end_if_interrupted();
      const std::lock_guard lock(mutex_);
      progress_ = now;
    };
    const store_options settings = settings_for(given_.verify);
    manager store = is_growing_ ? manager(open_only, given_.store, settings)
                                : manager(open_or_create, given_.store, settings);
    try {
      const progress_line line("index " + given_.store.string(), [this] {
        const std::lock_guard lock(mutex_);
        return progress_;
      });
      if (is_growing_) {
        const kmer::added_genomes added = kmer::add_genomes(store, given_.genomes, taxa, how);
        made_ = added.added;
        index_ = added.index;
      } else {
        made_ = kmer::build_index(store, given_.genomes, taxonomy.view(), taxa, how);
        index_ = {1, 0, made_.minimizers, made_.bytes};
      }
      end_if_interrupted();
    } catch (...) {
      store.discard();
      if (created_) manager::remove(given_.store);
      throw;
    }
    store.close();
  }

  void report(double seconds) const {
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"index", given_.how.index},
                 {"sequences", made_.sequences},
                 {"bases", made_.bases},
                 {"skipped_sequences", made_.skipped},
                 {"minimizers", made_.minimizers},
                 {"layers", index_.layers},
                 {"merged_layers", index_.merged},
                 {"bytes", index_.bytes},
                 {"threads", given_.how.threads},
                 {"seconds", seconds}};
      if (!is_growing_) {
        value["k"] = given_.how.scheme.k;
        value["l"] = given_.how.scheme.l;
      }
      tell_grown_store(value, given_.store, 0);
      print(value);
      return;
    }
    output out = output::standard();
    out.write(std::string(is_growing_ ? "added          " : "indexed        ") +
              counted(made_.sequences, "sequence", "sequences") + ", " + grouped(made_.bases) + " bases in " +
              in_seconds(seconds) + " (" + counted(given_.how.threads, "thread", "threads") + ")\n");
    if (made_.skipped != 0)
      out.write("skipped        " + counted(made_.skipped, "sequence", "sequences") + " without a taxon\n");
    out.write("index          " + printable_name(given_.how.index) + ": " +
              (is_growing_ ? counted(index_.layers, "layer", "layers") + ", of which the last has "
                           : std::string()) +
              grouped(index_.minimizers) + " minimizers, " + in_bytes(index_.bytes) + "\n");
    tell_grown_store(out, given_.store);
    out.finish();
  }

  const index_wanted& given_;
  bool is_growing_;
  bool created_;
  interruption_watch interruption_;
  std::mutex mutex_;
  workload::progress progress_{0, 0, "bytes"};
  kmer::build_result made_;
  kmer::growth_result index_;
};

/// Adds options that `build` and `add` have.
void add_genome_options(command target, index_wanted& given) {
  target
      .add_paths("--genomes", given.genomes,
                 "FASTA or FASTQ files of genomes, plain or compressed (gzip, zstd, xz, bzip2); '-' is "
                 "standard input")
      .required();
  target.add_path(
      "--map", given.map,
      "A file with a line for each sequence: its name and its taxon. Without it, and for sequences that "
      "it lacks, kraken:taxid|N in the name counts");
  target
      .add_choice("--unmapped", given.how.unmapped,
                  {{"error", kmer::unmapped_sequences::error}, {"skip", kmer::unmapped_sequences::skip}},
                  "A sequence without a taxon is an error, or is left out and counted")
      .default_text("error");
  add_index_name_option(target, given.how.index);
  add_threads_option(target, given.how.threads);
  add_verify_option(target, given.verify);
  add_wait_option(target);
  add_json_option(target, given.as_json);
}

}  // namespace

void add_kmer_build_command(command kmer) {
  auto given = std::make_shared<index_wanted>();
  command build =
      kmer.add_command("build", "Make an index of genomes in a store, which is made if it does not exist");
  build.add_path("STORE", given->store, "The store's directory").required();
  build
      .add_paths("--taxonomy", given->taxonomy,
                 "Two files, nodes.dmp and names.dmp: the taxa as NCBI's dumps have them")
      .required();
  add_genome_options(build, *given);
  build.callback([given] {
    if (given->taxonomy.size() != 2) throw usage_error("--taxonomy takes two files: nodes.dmp and names.dmp");
    index_building(*given).run();
  });
}

void add_kmer_add_command(command kmer) {
  auto given = std::make_shared<index_wanted>();
  command add = kmer.add_command("add", "Add genomes to an index, in time in proportion to them");
  add.add_path("STORE", given->store, "The store's directory").required();
  add_genome_options(add, *given);
  add.callback([given] {
    require_changeable_store(given->store);
    index_building(*given).run();
  });
}

}  // namespace perdure::cli
