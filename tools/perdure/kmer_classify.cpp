// perdure kmer classify: finds the taxa of reads.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <perdure/kmer/clade_report.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interruption.hpp"
#include "kmer_options.hpp"
#include "progress.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct classification_wanted : index_options {
  std::vector<std::filesystem::path> reads;
  kmer::classify_options how;
  std::filesystem::path report;
  std::filesystem::path output_file;
  bool in_pairs = false;
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

std::string share(std::uint64_t part, std::uint64_t all) {
  const std::uint64_t hundredths = all == 0 ? 0 : (part * 10000 + all / 2) / all;
  const std::string behind = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (behind.size() == 1 ? ".0" : ".") + behind + " %";
}

kmer::classify_result classify_reads(const classification_wanted& given, const kmer::minimizer_index& index,
                                     kmer::read_source& source, std::optional<output>& lines) {
  kmer::classify_options how = given.how;
  if (lines) how.on_lines = [&lines](std::string_view some) { lines->write(some); };
  how.on_batch = end_if_interrupted;
  try {
    const progress_line line("classify", [&source] { return source.progress(); });
    kmer::classify_result found = kmer::classify_files(index, source, how);
    // A pipe ends when a signal comes.
    end_if_interrupted();
    return found;
  } catch (...) {
    const int signal = interruption_watch::signal();
    if (signal == 0) throw;
    throw interrupted(signal, "interrupted before all reads were classified");
  }
}

void classify(const classification_wanted& given) {
  const interruption_watch interruption;
  const opened_index opened(given);
  kmer::read_source source(given.reads, given.in_pairs, interruption.descriptor());
  std::optional<output> lines;
  if (!given.output_file.empty()) lines.emplace(output::to(given.output_file));
  const stopwatch watch;
  const kmer::classify_result found = classify_reads(given, opened.index(), source, lines);
  const double seconds = watch.seconds();
  const kmer::taxonomy_view taxonomy = opened.index().taxonomy();
  if (lines) lines->finish();
  if (!given.report.empty()) {
    output report = output::to(given.report);
    report.write(kmer::kraken_report(taxonomy, found.reads_of_nodes, found.unclassified()));
    report.finish();
  }
  if (given.as_json) {
    print(json{{"store", given.store.string()},
               {"epoch", opened.epoch()},
               {"index", given.name},
               {"reads", found.reads},
               {"bases", found.bases},
               {"classified", found.classified},
               {"unclassified", found.unclassified()},
               {"taxa", taxa_of(taxonomy, found)},
               {"threads", given.how.threads},
               {"attach_seconds", opened.seconds()},
               {"seconds", seconds}});
    return;
  }
  if (given.output_file == "-" || given.report == "-") return;
  output out = output::standard();
  const double rate = static_cast<double>(found.bases) / std::max(seconds, 1e-9);
  out.write("read           " +
            counted(found.reads, given.in_pairs ? "pair" : "read", given.in_pairs ? "pairs" : "reads") +
            ", " + grouped(found.bases) + " bases in " + in_seconds(seconds) + " (" + per_second(rate) +
            " bases/s, " + counted(given.how.threads, "thread", "threads") + ")\n");
  out.write("classified     " + grouped(found.classified) + " (" + share(found.classified, found.reads) +
            ")\n");
  out.write("unclassified   " + grouped(found.unclassified()) + " (" +
            share(found.unclassified(), found.reads) + ")\n");
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

}  // namespace

void add_kmer_classify_command(command kmer) {
  auto given = std::make_shared<classification_wanted>();
  command classify_command =
      kmer.add_command("classify", "Find the taxon of each read, by the rules of Kraken 2");
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
  classify_command.add_path("--output", given->output_file,
                            "Write a line for each read, as Kraken does; '-' is standard output");
  add_threads_option(classify_command, given->how.threads);
  classify_command.callback([given] {
    if (given->in_pairs && given->reads.size() % 2 != 0)
      throw usage_error("--paired takes an even number of files, not " + std::to_string(given->reads.size()));
    if (given->report == "-" && given->output_file == "-")
      throw usage_error(
          "--report - and --output - would both write to standard output: give one of them a file");
    if (given->as_json && (given->report == "-" || given->output_file == "-"))
      throw usage_error("--json writes to standard output too: give --report and --output files");
    classify(*given);
  });
}

}  // namespace perdure::cli
