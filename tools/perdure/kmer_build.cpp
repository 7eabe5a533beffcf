// perdure kmer build, add and remove: make an index of genomes in a store, add genomes to one, and take them
// out.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/grow_exact.hpp>
#include <perdure/kmer/grow_index.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "complaint.hpp"
#include "freed_memory.hpp"
#include "grown_store.hpp"
#include "interruption.hpp"
#include "kmer_options.hpp"
#include "progress.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

enum class index_change : std::uint8_t { build, add, remove };

struct index_wanted {
  index_change change = index_change::build;
  std::filesystem::path store;
  std::vector<std::filesystem::path> genomes;
  std::vector<std::filesystem::path> taxonomy;  // of `build`
  std::filesystem::path map;
  kmer::build_options how;
  kmer::index_kind kind = kmer::index_kind::minimizer;  // of `build`
  std::optional<unsigned> k;
  unsigned prune = 0;
  std::string label;
  unsigned kept = 4096;
  bool full_copies = false;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

/// Result of a change to an index of either kind.
struct changed_index {
  kmer::index_kind kind = kmer::index_kind::minimizer;
  kmer::build_result genomes;     ///< sequences that were added or removed
  std::uint64_t entries = 0;      ///< minimizers or k-mers of the last layer
  std::uint64_t occurrences = 0;  ///< number of all k-mers in the last layer
  std::uint64_t bytes = 0;
  std::uint32_t layers = 1;
  std::uint32_t merged = 0;
  unsigned k = 0;

  bool is_exact() const noexcept { return kind == kmer::index_kind::exact; }
};

class index_building {
 public:
  explicit index_building(const index_wanted& given)
      : given_(given),
        is_growing_(given.change != index_change::build),
        created_(!is_growing_ && !manager::exists(given.store)) {}

  void run() {
    constexpr std::size_t longest_label = 63;
    if (given_.label.size() > longest_label)
      throw usage_error("--label has at most " + std::to_string(longest_label) + " bytes");
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
      const kmer::index_kind kind = is_growing_ ? kmer::kind_of_index(store, given_.how.index) : given_.kind;
      made_ = kind == kmer::index_kind::exact ? change_exact(store, taxonomy.view(), taxa, how)
                                              : change_minimizers(store, taxonomy.view(), taxa, how);
      end_if_interrupted();
    } catch (...) {
      store.discard();
      if (created_ && !is_kept_) manager::remove(given_.store);
      throw;
    }
    make_labelled_checkpoint(store);
    store.close();
  }

  changed_index change_minimizers(manager& store, const kmer::taxonomy_view& taxonomy,
                                  const kmer::sequence_taxa& taxa, const kmer::build_options& how) const {
    changed_index made;
    if (given_.change == index_change::remove)
      throw error(errc::unsupported, given_.store.string() +
                                         ": genomes cannot be removed from the k-mer index \"" + how.index +
                                         "\": it has common ancestors, which do not say which genomes made "
                                         "them; build an index without these genomes");
    if (given_.change == index_change::add) {
      const kmer::added_genomes added = kmer::add_genomes(store, given_.genomes, taxa, how);
      made.genomes = added.added;
      made.entries = added.index.minimizers;
      made.bytes = added.index.bytes;
      made.layers = added.index.layers;
      made.merged = added.index.merged;
      return made;
    }
    made.genomes = kmer::build_index(store, given_.genomes, taxonomy, taxa, how);
    made.entries = made.genomes.minimizers;
    made.bytes = made.genomes.bytes;
    made.k = how.scheme.k;
    return made;
  }

  changed_index change_exact(manager& store, const kmer::taxonomy_view& taxonomy,
                             const kmer::sequence_taxa& taxa, const kmer::build_options& given) const {
    kmer::exact_options how;
    how.index = given.index;
    how.k = given_.k.value_or(how.k);
    how.prune = given_.prune;
    how.unmapped = given.unmapped;
    how.threads = given.threads;
    how.budget = given.budget;
    how.anew = given.anew;
    how.on_checkpoint = given.on_checkpoint;
    how.end_descriptor = given.end_descriptor;
    how.on_progress = given.on_progress;
    const kmer::exact_result found = given_.change == index_change::build
                                         ? kmer::build_exact_index(store, given_.genomes, taxonomy, taxa, how)
                                     : given_.change == index_change::add
                                         ? kmer::add_exact_genomes(store, given_.genomes, taxa, how)
                                         : kmer::remove_exact_genomes(store, given_.genomes, taxa, how);
    changed_index made;
    made.kind = kmer::index_kind::exact;
    made.genomes.sequences = found.sequences;
    made.genomes.bases = found.bases;
    made.genomes.skipped = found.skipped;
    made.genomes.resumed = found.resumed;
    made.genomes.checkpoints = found.checkpoints;
    made.entries = found.kmers;
    made.occurrences = found.occurrences;
    made.bytes = found.bytes;
    made.layers = found.layers;
    made.merged = found.merged;
    made.k = how.k;
    return made;
  }

  void make_labelled_checkpoint(manager& store) {
    if (given_.label.empty()) return;
    try {
      store.checkpoint(given_.label);
      is_labelled_ = true;
    } catch (const error& failure) {
      if (failure.code() != errc::unsupported) throw;
      remark("perdure", given_.store.string() + ": the checkpoint " + given_.label +
                            " is not kept, as the file system shares no blocks between files; --full-copies "
                            "keeps it, at the size of the store");
    }
  }

  bool can_be_read_again() const {
    return std::all_of(given_.genomes.begin(), given_.genomes.end(), [](const std::filesystem::path& file) {
      std::error_code failure;
      return std::filesystem::is_regular_file(file, failure);
    });
  }

  void report(double seconds) const {
    const kmer::build_result& genomes = made_.genomes;
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"index", given_.how.index},
                 {"kind", made_.is_exact() ? "exact" : "minimizer"},
                 {"sequences", genomes.sequences},
                 {"bases", genomes.bases},
                 {"skipped_sequences", genomes.skipped},
                 {made_.is_exact() ? "kmers" : "minimizers", made_.entries},
                 {"layers", made_.layers},
                 {"merged_layers", made_.merged},
                 {"bytes", made_.bytes},
                 {"threads", given_.how.threads},
                 {"seconds", seconds}};
      if (made_.is_exact()) value["occurrences"] = made_.occurrences;
      if (!is_growing_) {
        value["k"] = made_.k;
        if (made_.is_exact())
          value["prune"] = given_.prune;
        else
          value["l"] = given_.how.scheme.l;
        value["budget"] = given_.how.budget;
        value["resumed"] = genomes.resumed;
      }
      if (!given_.label.empty()) value["label"] = given_.label;
      if (!given_.label.empty()) value["kept"] = is_labelled_ && given_.kept != 0;
      tell_grown_store(value, given_.store, genomes.checkpoints);
      print(value);
      return;
    }
    output out = output::standard();
    if (genomes.resumed) out.write("resumed        a build that was interrupted\n");
    const char* const what = given_.change == index_change::build ? "indexed        "
                             : given_.change == index_change::add ? "added          "
                                                                  : "removed        ";
    out.write(what + counted(genomes.sequences, "sequence", "sequences") + ", " + grouped(genomes.bases) +
              " bases in " + in_seconds(seconds) + " (" + counted(given_.how.threads, "thread", "threads") +
              ")\n");
    if (genomes.skipped != 0)
      out.write("skipped        " + counted(genomes.skipped, "sequence", "sequences") + " without a taxon\n");
    out.write("index          " + printable_name(given_.how.index) + ": " +
              (is_growing_ ? counted(made_.layers, "layer", "layers") + ", of which the last has "
                           : std::string()) +
              grouped(made_.entries) + (made_.is_exact() ? " k-mers, " : " minimizers, ") +
              in_bytes(made_.bytes) + "\n");
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
  changed_index made_;
};

/// Throws `usage_error` where options of `build` do not go together.
void check(const index_wanted& given) {
  if (given.taxonomy.size() != 2) throw usage_error("--taxonomy takes two files: nodes.dmp and names.dmp");
  if (given.how.budget != 0 && given.how.budget < kmer::least_build_budget)
    throw usage_error("--budget is at least " + in_bytes(kmer::least_build_budget));
  if (given.kind != kmer::index_kind::exact && (given.k || given.prune != 0))
    throw usage_error("--k and --prune are for exact indexes: give --index exact too");
}

/// Adds options that all three have.
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
  build
      .add_choice("--index", given->kind,
                  {{"minimizer", kmer::index_kind::minimizer}, {"exact", kmer::index_kind::exact}},
                  "minimizer: the lowest common ancestor of each minimizer; exact: all taxa of each k-mer, "
                  "and how often they have it")
      .default_text("minimizer");
  build
      .add_number("--k", kmer::least_exact_k, kmer::most_kmer_bases, "Bases of a k-mer of an exact index",
                  [given](std::uint64_t n) { given->k = static_cast<unsigned>(n); })
      .default_text(std::to_string(kmer::most_kmer_bases));
  build.add_number("--prune", 1, 1'000'000'000,
                   "Of k-mers with more than N taxa, an exact index has common ancestors instead",
                   [given](std::uint64_t n) { given->prune = static_cast<unsigned>(n); });
  build.add_size(
      "--budget", given->how.budget,
      "Take about this much memory for k-mers and pages, as 1GiB: k-mers are sorted in runs, which "
      "are in the store for a while. If the build is killed, the same command goes on with it, "
      "unless genomes come from standard input or a pipe");
  build.add_flag("--anew", given->how.anew,
                 "Drop a build of this index that was interrupted, and begin anew");
  build.example("genomes.store --taxonomy nodes.dmp names.dmp --genomes a.fa.gz b.fa.gz",
                "Index genomes by their minimizers");
  build.callback([given] {
    check(*given);
    if (given->how.budget != 0) return_freed_memory();
    index_building(*given).run();
  });
}

namespace {

void add_change_command(command kmer, const char* name, const char* description, const char* example,
                        index_change change) {
  auto given = std::make_shared<index_wanted>();
  given->change = change;
  command target = kmer.add_command(name, description);
  target.add_path("STORE", given->store, "The store's directory").required();
  add_genome_options(target, *given);
  target.example("genomes.store --genomes more.fa.gz", example);
  target.callback([given] {
    require_changeable_store(given->store);
    index_building(*given).run();
  });
}

}  // namespace

void add_kmer_add_command(command kmer) {
  add_change_command(kmer, "add", "Add genomes to an index, in time in proportion to them",
                     "Add the genomes of a file", index_change::add);
}

void add_kmer_remove_command(command kmer) {
  add_change_command(kmer, "remove",
                     "Take genomes out of an exact index; an index of minimizers cannot lose genomes",
                     "Take the genomes of a file out", index_change::remove);
}

}  // namespace perdure::cli
