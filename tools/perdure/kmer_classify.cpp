// perdure kmer classify: finds the taxa of reads.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <perdure/kmer/clade_report.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/exact_classifier.hpp>
#include <perdure/kmer/found_minimizers.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classified_files.hpp"
#include "freed_memory.hpp"
#include "interruption.hpp"
#include "kmer_options.hpp"
#include "lookup_plans.hpp"
#include "progress.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct classification_wanted : index_options {
  std::vector<std::filesystem::path> reads;
  kmer::classify_options how;
  std::filesystem::path report;
  std::filesystem::path krona;
  std::filesystem::path output_file;
  std::filesystem::path scores;  ///< file of `--scores`, with an exact index
  std::filesystem::path classified_file;
  std::filesystem::path unclassified_file;
  bool in_pairs = false;
  bool has_minimizers = false;  ///< in reports
  bool per_file = false;
  plan_options plans;

  std::size_t files_at_once() const { return in_pairs ? 2 : 1; }
  bool writes_to_standard_output() const {
    return report == "-" || krona == "-" || output_file == "-" || scores == "-" || classified_file == "-" ||
           unclassified_file == "-";
  }
};

/// Returns the name of a report of one file of reads, or of a pair of files.
std::filesystem::path name_for_file(const std::filesystem::path& whole, const std::filesystem::path& reads) {
  std::filesystem::path name = whole;
  return name += "." + reads.filename().string();
}

/// Reports of some reads, as text.
struct reports {
  std::string report;
  std::string krona;
};

/// Counts of one file of reads, or of a pair of files.
struct file_counts {
  std::vector<std::filesystem::path> files;
  std::uint64_t reads = 0;
  std::uint64_t bases = 0;
  std::uint64_t classified = 0;
  reports made;
};

/// Classifies the reads, and keeps what is reported in the end.
class classification {
 public:
  classification(const classification_wanted& given, const opened_index& opened)
      : given_(given),
        opened_(opened),
        classified_(given.classified_file, given.in_pairs),
        unclassified_(given.unclassified_file, given.in_pairs),
        all_(given.reads, given.in_pairs),
        choices_(!given.as_json) {
    if (!given.output_file.empty()) lines_.emplace(output::to(given.output_file));
    if (!given.scores.empty()) lines_.emplace(output::to(given.scores));
    if (given.has_minimizers) minimizers_.emplace(*opened.minimizers());
    if (!given.per_file) {
      add_source(given.reads);
      return;
    }
    for (std::size_t i = 0; i < given.reads.size(); i += given.files_at_once())
      add_source({given.reads.begin() + static_cast<std::ptrdiff_t>(i),
                  given.reads.begin() + static_cast<std::ptrdiff_t>(i + given.files_at_once())});
  }

  void run() {
    try {
      const progress_line line(
          "classify", [this] { return progress(); },
          [this](double seconds) {
            const auto rate = [seconds](std::uint64_t n) {
              return per_second(static_cast<double>(n) / seconds);
            };
            return grouped(reads_) + (given_.in_pairs ? " pairs  " : " reads  ") + rate(reads_) +
                   (given_.in_pairs ? " pairs/s  " : " reads/s  ") + rate(bases_) + " bases/s" +
                   (given_.plans.budget == 0 ? "" : "  " + rate(pages_) + " pages/s");
          });
      for (std::size_t i = 0; i < sources_.size(); ++i) classify(i);
      // A pipe ends when a signal comes.
      end_if_interrupted();
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal, "interrupted before all reads were classified");
    }
  }

  void write_files() {
    if (lines_) lines_->finish();
    classified_.finish();
    unclassified_.finish();
    write(given_.report, given_.krona, reports_of(found_, minimizers_));
    for (const file_counts& one : files_)
      write(given_.report.empty() ? given_.report : name_for_file(given_.report, one.files.front()),
            given_.krona.empty() ? given_.krona : name_for_file(given_.krona, one.files.front()), one.made);
  }

  const kmer::classify_result& found() const noexcept { return found_; }
  /// Returns counts of each file or pair of files; none without `--per-file`.
  const std::vector<file_counts>& files() const noexcept { return files_; }
  const plan_choices& choices() const noexcept { return choices_; }

 private:
  void add_source(std::vector<std::filesystem::path> files) {
    sources_.push_back(
        std::make_unique<kmer::read_source>(std::move(files), given_.in_pairs, interruption_.descriptor()));
  }

  workload::progress progress() const {
    std::uint64_t done = 0;
    for (const auto& one : sources_) done += one->progress().done;
    return {done, all_.progress().total, "bytes"};
  }

  void classify(std::size_t number) {
    std::optional<kmer::found_minimizers> minimizers;
    if (given_.has_minimizers && given_.per_file) minimizers.emplace(*opened_.minimizers());
    const kmer::classify_result found = opened_.minimizers() == nullptr
                                            ? score(*sources_[number])
                                            : classify(*opened_.minimizers(), *sources_[number], minimizers);
    found_.add(found);
    if (!given_.per_file) return;
    file_counts one{{}, found.reads, found.bases, found.classified, reports_of(found, minimizers)};
    for (std::size_t i = 0; i < given_.files_at_once(); ++i)
      one.files.push_back(given_.reads[number * given_.files_at_once() + i]);
    files_.push_back(std::move(one));
  }

  kmer::classify_result score(kmer::read_source& source) {
    kmer::score_options how;
    how.threads = given_.how.threads;
    if (lines_) how.on_lines = [this](std::string_view some) { lines_->write(some); };
    how.on_batch = [this](std::uint64_t reads, std::uint64_t bases) { add_batch(reads, bases); };
    return kmer::score_files(opened_.exact(), source, how);
  }

  /// `minimizers` gets what is found too.
  kmer::classify_result classify(const kmer::minimizer_index& index, kmer::read_source& source,
                                 std::optional<kmer::found_minimizers>& minimizers) {
    kmer::classify_options how = given_.how;
    if (lines_) how.on_lines = [this](std::string_view some) { lines_->write(some); };
    if (classified_.is_open())
      how.on_classified = [this](std::string_view reads, std::string_view mates) {
        classified_.write(reads, mates);
      };
    if (unclassified_.is_open())
      how.on_unclassified = [this](std::string_view reads, std::string_view mates) {
        unclassified_.write(reads, mates);
      };
    if (given_.has_minimizers)
      how.on_hit_groups = [this, &minimizers](std::span<const kmer::hit_group> groups) {
        minimizers_->add(groups);
        if (minimizers) minimizers->add(groups);
      };
    how.on_batch = [this](std::uint64_t reads, std::uint64_t bases) { add_batch(reads, bases); };
    how.on_pages = [this](std::uint64_t pages) {
      pages_ += pages;
      end_if_interrupted();
    };
    how.on_choice = [this](const kmer::plan_choice& made) { choices_.add(made); };
    return kmer::classify_files(index, source, how);
  }

  void add_batch(std::uint64_t reads, std::uint64_t bases) {
    reads_ += reads;
    bases_ += bases;
    end_if_interrupted();
  }

  reports reports_of(const kmer::classify_result& found,
                     const std::optional<kmer::found_minimizers>& minimizers) const {
    const kmer::taxonomy_view taxonomy = opened_.taxonomy();
    reports made;
    if (!given_.report.empty()) {
      std::vector<kmer::minimizer_count> counts;
      if (minimizers) counts = minimizers->of_nodes();
      made.report = kmer::kraken_report(taxonomy, found.reads_of_nodes, found.unclassified(), counts);
    }
    if (!given_.krona.empty())
      made.krona = kmer::krona_text(taxonomy, found.reads_of_nodes, found.unclassified());
    return made;
  }

  static void write(const std::filesystem::path& report, const std::filesystem::path& krona,
                    const reports& made) {
    for (const auto& [path, text] : {std::pair{&report, &made.report}, std::pair{&krona, &made.krona}}) {
      if (path->empty()) continue;
      output out = output::to(*path);
      out.write(*text);
      out.finish();
    }
  }

  const classification_wanted& given_;
  const opened_index& opened_;
  interruption_watch interruption_;
  std::optional<output> lines_;
  read_files classified_;
  read_files unclassified_;
  kmer::read_source all_;  // not read, but knows the size of all files
  std::vector<std::unique_ptr<kmer::read_source>> sources_;
  std::optional<kmer::found_minimizers> minimizers_;  // of all files
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::uint64_t> bases_{0};
  std::atomic<std::uint64_t> pages_{0};
  plan_choices choices_;
  kmer::classify_result found_;
  std::vector<file_counts> files_;
};

/// The taxa that have reads of their own, in the order of a report.
json taxa_of(const kmer::taxonomy_view& taxonomy, const kmer::classify_result& found) {
  json taxa = json::array();
  for (const kmer::clade& one : kmer::clades_of(taxonomy, found.reads_of_nodes)) {
    if (one.direct == 0) continue;
    json taxon;
    tell_taxon(taxon, taxonomy, one.node);
    taxon["reads"] = one.direct;
    taxon["clade_reads"] = one.reads;
    taxa.push_back(std::move(taxon));
  }
  return taxa;
}

json files_of(const std::vector<file_counts>& files) {
  json all = json::array();
  for (const file_counts& one : files) {
    json names = json::array();
    for (const std::filesystem::path& file : one.files) names.push_back(file.string());
    all.push_back({{"files", std::move(names)},
                   {"reads", one.reads},
                   {"bases", one.bases},
                   {"classified", one.classified},
                   {"unclassified", one.reads - one.classified}});
  }
  return all;
}

std::string share(std::uint64_t part, std::uint64_t all) {
  const std::uint64_t hundredths = all == 0 ? 0 : (part * 10000 + all / 2) / all;
  const std::string behind = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (behind.size() == 1 ? ".0" : ".") + behind + " %";
}

void write_summary(const classification_wanted& given, const kmer::taxonomy_view& taxonomy,
                   const classification& made, double seconds) {
  const kmer::classify_result& found = made.found();
  const auto counted_reads = [&given](std::uint64_t n) {
    return counted(n, given.in_pairs ? "pair" : "read", given.in_pairs ? "pairs" : "reads");
  };
  output out = output::standard();
  const double rate = static_cast<double>(found.bases) / std::max(seconds, 1e-9);
  out.write("read           " + counted_reads(found.reads) + ", " + grouped(found.bases) + " bases in " +
            in_seconds(seconds) + " (" + per_second(rate) + " bases/s, " +
            counted(given.how.threads, "thread", "threads") + ")\n");
  out.write("classified     " + grouped(found.classified) + " (" + share(found.classified, found.reads) +
            ")\n");
  out.write("unclassified   " + grouped(found.unclassified()) + " (" +
            share(found.unclassified(), found.reads) + ")\n");
  write_plans(out, found);
  for (const file_counts& one : made.files())
    out.write("  " + printable_name(one.files.front().string()) + "  " + counted_reads(one.reads) + ", " +
              grouped(one.classified) + " classified (" + share(one.classified, one.reads) + ")\n");
  std::vector<kmer::clade> taxa = kmer::clades_of(taxonomy, found.reads_of_nodes);
  std::stable_sort(taxa.begin(), taxa.end(),
                   [](const kmer::clade& a, const kmer::clade& b) { return a.direct > b.direct; });
  constexpr std::size_t most_lines = 10;
  for (std::size_t i = 0; i < std::min(taxa.size(), most_lines) && taxa[i].direct != 0; ++i)
    out.write("  " + std::to_string(taxonomy.ids[taxa[i].node]) + "  " +
              printable_name(std::string(taxonomy.name(taxa[i].node))) + "  " + grouped(taxa[i].direct) +
              "\n");
  out.finish();
}

/// Throws `usage_error` for options of the other kind of index.
void check_kind(const classification_wanted& given, bool is_exact) {
  const kmer::classify_rules plain;
  const std::array<std::pair<const char*, bool>, 7> of_minimizers{
      {{"--output", !given.output_file.empty()},
       {"--classified-out", !given.classified_file.empty()},
       {"--unclassified-out", !given.unclassified_file.empty()},
       {"--report-minimizer-data", given.has_minimizers},
       {"--budget", given.plans.budget != 0},
       {"--confidence", given.how.rules.confidence != plain.confidence},
       {"--minimum-hit-groups", given.how.rules.minimum_hit_groups != plain.minimum_hit_groups}}};
  for (const auto& [name, is_given] : of_minimizers)
    if (is_exact && is_given)
      throw usage_error(std::string(name) + " is for indexes of minimizers, and \"" + given.name +
                        "\" is an exact one: leave it out");
  if (!is_exact && !given.scores.empty())
    throw usage_error("--scores is for exact indexes, and \"" + given.name +
                      "\" is one of minimizers: --output has its lines");
}

void classify(const classification_wanted& given) {
  const opened_index opened(given, given.plans.of_store());
  check_kind(given, opened.minimizers() == nullptr);
  classification made(given, opened);
  const stopwatch watch;
  made.run();
  const double seconds = watch.seconds();
  made.write_files();
  const kmer::taxonomy_view taxonomy = opened.taxonomy();
  if (!given.as_json) {
    if (!given.writes_to_standard_output()) write_summary(given, taxonomy, made, seconds);
    return;
  }
  json value{{"store", given.store.string()},
             {"epoch", opened.epoch()},
             {"index", given.name},
             {"reads", made.found().reads},
             {"bases", made.found().bases},
             {"classified", made.found().classified},
             {"unclassified", made.found().unclassified()},
             {"taxa", taxa_of(taxonomy, made.found())}};
  if (given.per_file) value["files"] = files_of(made.files());
  if (given.plans.budget != 0) value["lookups"] = made.choices().told(given.plans, made.found());
  value["threads"] = given.how.threads;
  value["attach_seconds"] = opened.seconds();
  value["seconds"] = seconds;
  print(value);
}

/// Throws `usage_error` where options do not go together.
void check(const classification_wanted& given) {
  given.plans.check();
  if (given.in_pairs && given.reads.size() % 2 != 0)
    throw usage_error("--paired takes an even number of files, not " + std::to_string(given.reads.size()));
  check_read_files("--classified-out", given.classified_file, given.in_pairs);
  check_read_files("--unclassified-out", given.unclassified_file, given.in_pairs);
  if (given.has_minimizers && given.report.empty())
    throw usage_error("--report-minimizer-data adds columns to a report: give --report too");
  const std::array<std::pair<const char*, const std::filesystem::path*>, 6> outputs{
      {{"--report", &given.report},
       {"--krona", &given.krona},
       {"--output", &given.output_file},
       {"--scores", &given.scores},
       {"--classified-out", &given.classified_file},
       {"--unclassified-out", &given.unclassified_file}}};
  std::map<std::filesystem::path, const char*> options;  // by what they write to
  for (const auto& [name, path] : outputs) {
    if (path->empty()) continue;
    const auto [known, is_new] = options.emplace(*path, name);
    if (!is_new)
      throw usage_error(std::string(known->second) + " and " + name + " would both write to " +
                        (*path == "-" ? "standard output: give one of them a file"
                                      : path->string() + ": give them different files"));
  }
  const auto to_standard_output = options.find("-");
  if (given.as_json && to_standard_output != options.end())
    throw usage_error(std::string("--json writes to standard output too: give ") +
                      to_standard_output->second + " a file");
  if (!given.per_file) return;
  for (const auto& [name, path] : {outputs[0], outputs[1]})
    if (*path == "-")
      throw usage_error(std::string("--per-file makes several reports: give ") + name + " a file");
  if (given.report.empty() && given.krona.empty()) return;
  std::set<std::string> names;
  for (std::size_t i = 0; i < given.reads.size(); i += given.files_at_once())
    if (const std::string name = given.reads[i].filename().string(); !names.insert(name).second)
      throw usage_error("--per-file names reports by the files of reads, of which two are named " + name +
                        ": classify them apart");
}

}  // namespace

void add_kmer_classify_command(command kmer) {
  auto given = std::make_shared<classification_wanted>();
  command classify_command =
      kmer.add_command("classify",
                       "Find the taxon of each read: by the rules of Kraken 2, or with an exact index "
                       "by those of LMAT");
  add_index_options(classify_command, *given);
  classify_command
      .add_paths(
          "READS", given->reads,
          "FASTA or FASTQ files of reads, plain or compressed (gzip, zstd, xz, bzip2); '-' is standard input")
      .required();
  classify_command.add_flag(
      "--paired", given->in_pairs,
      "The files are pairs: the first reads of each, then the second ones in another file");
  classify_command.add_real("--confidence", 0, 1, given->how.rules.confidence,
                            "Share of a read's k-mers that its taxon and those below it must have");
  classify_command
      .add_number("--minimum-hit-groups", 0, std::numeric_limits<std::uint32_t>::max(),
                  "Number of minimizers with a taxon that a classified read must have",
                  [given](std::uint64_t n) { given->how.rules.minimum_hit_groups = n; })
      .default_text("2");
  classify_command.add_path(
      "--report", given->report,
      "Write the reads of each taxon and of all below it, as Kraken's report of six columns");
  classify_command.add_flag(
      "--report-minimizer-data", given->has_minimizers,
      "Two more columns in reports: minimizers of each taxon and all below it that were "
      "found, and distinct ones, exactly");
  classify_command.add_path("--krona", given->krona,
                            "Write the reads of each taxon and its path from the root, as Krona reads them");
  classify_command.add_flag("--per-file", given->per_file,
                            "Also count each file, or pair of files, by itself, and write reports of it to "
                            "REPORT.NAME, where NAME is the name of the file");
  classify_command.add_path("--output", given->output_file,
                            "Write a line for each read, as Kraken does; '-' is standard output");
  classify_command.add_path(
      "--scores", given->scores,
      "With an exact index, write a line for each read with the scores of all its taxa, "
      "as LMAT does; '-' is standard output");
  classify_command.add_path(
      "--classified-out", given->classified_file,
      "Write the reads with a taxon, whose headers get kraken:taxid|N; for pairs two files, "
      "with _1 and _2 instead of the # in the name");
  classify_command.add_path("--unclassified-out", given->unclassified_file,
                            "Write the reads without a taxon, in the same way");
  add_threads_option(classify_command, given->how.threads);
  add_plan_options(classify_command, given->plans);
  classify_command.example("genomes.store sample.fastq.gz --report sample.report",
                           "Count the reads of each taxon");
  classify_command.example("genomes.store --paired a_1.fq a_2.fq --output reads.txt",
                           "Write the taxon of each pair of reads");
  classify_command.callback([given] {
    check(*given);
    given->plans.set(given->how);
    if (given->plans.budget != 0) return_freed_memory();
    classify(*given);
  });
}

}  // namespace perdure::cli
