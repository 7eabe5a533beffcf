// perdure kmer build and add: make an index of genomes in a store, and add genomes to one.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/grow_index.hpp>
#include <string>
#include <system_error>
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
  std::string label;
  unsigned kept = 4096;
  bool full_copies = false;
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
      throw interrupted(
          signal,
          "interrupted: " +
              (is_kept_ ? "the same command goes on with the build in " + given_.store.string()
                        : given_.store.string() + (created_ ? " was not made" : " is as it was before")) +
              (is_kept_ || given_.how.budget == 0 || can_be_read_again()
                   ? ""
                   : "; a build of standard input or of a pipe cannot go on"));
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
    how.on_checkpoint = [this] {
      is_kept_ = true;
      end_if_interrupted();
    };
    store_options settings = settings_for(given_.verify);
    settings.keep_last = given_.label.empty() ? 0 : given_.kept;
    settings.keep_full_copies = given_.full_copies;
    manager store = is_growing_ ? manager(open_only, given_.store, settings)
                                : manager(open_or_create, given_.store, settings);
    for (const object_info& object : store.named_objects())
      is_kept_ |= !how.anew && object.name() == how.index + kmer::build_suffix;
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
      if (created_ && !is_kept_) manager::remove(given_.store);
      throw;
    }
    make_labelled_checkpoint(store);
    store.close();
  }

  void make_labelled_checkpoint(manager& store) {
    if (given_.label.empty()) return;
    try {
      store.checkpoint(given_.label);
      is_labelled_ = true;
    } catch (const error& failure) {
      if (failure.code() != errc::unsupported) throw;
      std::fprintf(
          stderr,
          "perdure: %s: the checkpoint %s is not kept, as the file system shares no blocks between files; "
          "--full-copies keeps it, at the size of the store\n",
          given_.store.c_str(), printable_name(given_.label).c_str());
    }
  }

  bool can_be_read_again() const {
    return std::all_of(given_.genomes.begin(), given_.genomes.end(), [](const std::filesystem::path& file) {
      std::error_code failure;
      return std::filesystem::is_regular_file(file, failure);
    });
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
        value["budget"] = given_.how.budget;
        value["resumed"] = made_.resumed;
        value["k"] = given_.how.scheme.k;
        value["l"] = given_.how.scheme.l;
      }
      if (!given_.label.empty()) value["label"] = given_.label;
      if (!given_.label.empty()) value["kept"] = is_labelled_ && given_.kept != 0;
      tell_grown_store(value, given_.store, made_.checkpoints);
      print(value);
      return;
    }
    output out = output::standard();
    if (made_.resumed) out.write("resumed        a build that was interrupted\n");
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
  bool is_kept_ = false;  // a checkpoint has the build under way
  bool is_labelled_ = false;
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
  target.add_text("--label", given.label,
                  "Keep the store as it is then: commands that read an index open it as STORE@LABEL");
  target
      .add_number("--keep", 0, 4096, "Keep the last N checkpoints with a label",
                  [&given](std::uint64_t n) { given.kept = static_cast<unsigned>(n); })
      .default_text("4096");
  target.add_flag(
      "--full-copies", given.full_copies,
      "Keep it also where the file system shares no blocks between files, as a copy of the store");
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
  build.add_size("--budget", given->how.budget,
                 "Take about this much memory for minimizers and pages, as 1GiB: minimizers are sorted in "
                 "runs, which are in "
                 "the store for a while. If the build is killed, the same command goes on with it, unless "
                 "genomes come from "
                 "standard input or a pipe");
  build.add_flag("--anew", given->how.anew,
                 "Drop a build of this index that was interrupted, and begin anew");
  build.callback([given] {
    if (given->taxonomy.size() != 2) throw usage_error("--taxonomy takes two files: nodes.dmp and names.dmp");
    if (given->how.budget != 0 && given->how.budget < kmer::least_build_budget)
      throw usage_error("--budget is at least " + in_bytes(kmer::least_build_budget));
    // Memory that one step frees must be there for the next: malloc keeps it where it raises this limit.
    if (given->how.budget != 0) ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
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
