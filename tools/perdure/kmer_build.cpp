// perdure kmer build: makes an index of genomes in a store.
#include <filesystem>
#include <memory>
#include <mutex>
#include <perdure/kmer/build_index.hpp>
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
  std::vector<std::filesystem::path> taxonomy;
  std::filesystem::path map;
  kmer::build_options how;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

class index_building {
 public:
  explicit index_building(const index_wanted& given)
      : given_(given), created_(!manager::exists(given.store)) {}

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
    const kmer::taxonomy taxonomy = kmer::read_taxonomy(given_.taxonomy[0], given_.taxonomy[1]);
    const kmer::sequence_taxa taxa =
        given_.map.empty() ? kmer::sequence_taxa() : kmer::sequence_taxa(given_.map);
    kmer::build_options how = given_.how;
    how.end_descriptor = interruption_.descriptor();
    how.on_progress = [this](const workload::progress& now) {
      end_if_interrupted();
      const std::lock_guard lock(mutex_);
      progress_ = now;
    };
    store_options settings;
    settings.verify = given_.verify;
    manager store(open_or_create, given_.store, settings);
    try {
      const progress_line line("index " + given_.store.string(), [this] {
        const std::lock_guard lock(mutex_);
        return progress_;
      });
      made_ = kmer::build_index(store, given_.genomes, taxonomy.view(), taxa, how);
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
                 {"k", given_.how.scheme.k},
                 {"l", given_.how.scheme.l},
                 {"sequences", made_.sequences},
                 {"bases", made_.bases},
                 {"skipped_sequences", made_.skipped},
                 {"minimizers", made_.minimizers},
                 {"bytes", made_.bytes},
                 {"threads", given_.how.threads},
                 {"seconds", seconds}};
      tell_grown_store(value, given_.store, 0);
      print(value);
      return;
    }
    output out = output::standard();
    out.write("indexed        " + counted(made_.sequences, "sequence", "sequences") + ", " +
              grouped(made_.bases) + " bases in " + in_seconds(seconds) + " (" +
              counted(given_.how.threads, "thread", "threads") + ")\n");
    if (made_.skipped != 0)
      out.write("skipped        " + counted(made_.skipped, "sequence", "sequences") + " without a taxon\n");
    out.write("index          " + printable_name(given_.how.index) + ": " + grouped(made_.minimizers) +
              " minimizers, " + in_bytes(made_.bytes) + "\n");
    tell_grown_store(out, given_.store);
    out.finish();
  }

  const index_wanted& given_;
  bool created_;
  interruption_watch interruption_;
  std::mutex mutex_;
  workload::progress progress_{0, 0, "bytes"};
  kmer::build_result made_;
};

}  // namespace

void add_kmer_build_command(command kmer) {
  auto given = std::make_shared<index_wanted>();
  command build =
      kmer.add_command("build", "Make an index of genomes in a store, which is made if it does not exist");
  build.add_path("STORE", given->store, "The store's directory").required();
  build
      .add_paths("--genomes", given->genomes,
                 "FASTA or FASTQ files of genomes, plain or compressed (gzip, zstd, xz, bzip2); '-' is "
                 "standard input")
      .required();
  build
      .add_paths("--taxonomy", given->taxonomy,
                 "Two files, nodes.dmp and names.dmp: the taxa as NCBI's dumps have them")
      .required();
  build.add_path(
      "--map", given->map,
      "A file with a line for each sequence: its name and its taxon. Without it, and for sequences that "
      "it lacks, kraken:taxid|N in the name counts");
  build
      .add_choice("--unmapped", given->how.unmapped,
                  {{"error", kmer::unmapped_sequences::error}, {"skip", kmer::unmapped_sequences::skip}},
                  "A sequence without a taxon is an error, or is left out and counted")
      .default_text("error");
  add_index_name_option(build, given->how.index);
  add_threads_option(build, given->how.threads);
  add_verify_option(build, given->verify);
  add_wait_option(build);
  add_json_option(build, given->as_json);
  build.callback([given] {
    if (given->taxonomy.size() != 2) throw usage_error("--taxonomy takes two files: nodes.dmp and names.dmp");
    index_building(*given).run();
  });
}

}  // namespace perdure::cli
