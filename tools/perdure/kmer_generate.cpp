// perdure kmer generate: writes a taxonomy, genomes and reads that are drawn at random.
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/kmer/synthetic_genomes.hpp>
#include <string>
#include <system_error>

#include "command.hpp"
#include "progress.hpp"
#include "units.hpp"
#include "written_pieces.hpp"

namespace perdure::cli {
namespace {

struct generation_wanted {
  std::filesystem::path directory;
  kmer::synthetic_parameters parameters;
  unsigned threads = 1;
  bool as_json = false;
};

/// Text for one file, or for two.
struct drawn_text {
  std::string first;
  std::string second;
};

class generation {
 public:
  explicit generation(const generation_wanted& given)
      : given_(given),
        drawn_(given.parameters),
        total_((drawn_.lines() + given.parameters.reads) * kmer::synthetic_genomes::line_bases) {}

  void run() {
    std::error_code failure;
    std::filesystem::create_directories(given_.directory, failure);
    if (failure) throw error(errc::io, given_.directory.string() + ": cannot create: " + failure.message());
    const progress_line progress("generate", [this] {
      return workload::progress{(lines_ + reads_) * kmer::synthetic_genomes::line_bases, total_, "bases"};
    });
    std::atomic<std::uint64_t> taxa{0};
    write("nodes.dmp", "names.dmp", drawn_.nodes(), taxa,
          [this](std::uint64_t first, std::uint64_t last, drawn_text& to) {
            drawn_.append_taxa(first, last, to.first, to.second);
          });
    write("genomes.fa", nullptr, drawn_.lines(), lines_,
          [this](std::uint64_t first, std::uint64_t last, drawn_text& to) {
            drawn_.append_genomes(first, last, to.first);
          });
    write("reads.fq", "truth.tsv", given_.parameters.reads, reads_,
          [this](std::uint64_t first, std::uint64_t last, drawn_text& to) {
            drawn_.append_reads(first, last, to.first, to.second);
          });
  }

  const kmer::synthetic_genomes& drawn() const noexcept { return drawn_; }

 private:
  template <class Make>
  void write(const char* one, const char* two, std::uint64_t units, std::atomic<std::uint64_t>& done,
             const Make& make) {
    output first = output::to(given_.directory / one);
    std::optional<output> second;
    if (two != nullptr) second.emplace(output::to(given_.directory / two));
    constexpr std::uint64_t at_once = 1 << 13;
    write_in_pieces<drawn_text>(given_.threads, units, at_once, done, make, [&](drawn_text& text) {
      first.write(text.first);
      if (second) second->write(text.second);
      text.first.clear();
      text.second.clear();
    });
    first.finish();
    if (second) second->finish();
  }

  const generation_wanted& given_;
  kmer::synthetic_genomes drawn_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> lines_{0};
  std::atomic<std::uint64_t> reads_{0};
};

void generate(const generation_wanted& given) {
  const stopwatch watch;
  generation made(given);
  made.run();
  const double seconds = watch.seconds();
  const kmer::synthetic_parameters& p = given.parameters;
  const std::uint64_t bases = p.taxa * p.genome_bases;
  if (given.as_json) {
    print(json{{"directory", given.directory.string()},
               {"taxa", p.taxa},
               {"nodes", made.drawn().nodes()},
               {"genome_bases", p.genome_bases},
               {"bases", bases},
               {"mutation", p.mutation},
               {"reads", p.reads},
               {"read_bases", p.read_bases},
               {"errors", p.errors},
               {"seed", p.seed},
               {"seconds", seconds}});
    return;
  }
  output out = output::standard();
  out.write("wrote " + counted(p.taxa, "genome", "genomes") + ", " + grouped(bases) + " bases, and " +
            counted(p.reads, "read", "reads") + " to " + given.directory.string() + " in " +
            in_seconds(seconds) + " (" + per_second(static_cast<double>(bases) / seconds) + " bases/s)\n");
  out.finish();
}

}  // namespace

void add_kmer_generate_command(command kmer) {
  auto given = std::make_shared<generation_wanted>();
  kmer::synthetic_parameters& p = given->parameters;
  command generate_command = kmer.add_command(
      "generate",
      "Write a synthetic taxonomy, genomes, and reads with their origin; the same for a seed, whatever the "
      "number of threads");
  generate_command
      .add_path("DIRECTORY", given->directory,
                "Directory for nodes.dmp, names.dmp, genomes.fa, reads.fq and truth.tsv; made if it does not "
                "exist")
      .required();
  generate_command
      .add_number("--taxa", 1, std::uint64_t{1} << 30, "Number of species, each with a genome",
                  [&p](std::uint64_t n) { p.taxa = n; })
      .required();
  generate_command.add_real("--mutation", 0, 1, p.mutation,
                            "Share of bases in which a taxon differs from the one above it, at each of six "
                            "ranks");
  generate_command
      .add_number("--genome-bases", 1, std::uint64_t{1} << 32, "Bases of each genome",
                  [&p](std::uint64_t n) { p.genome_bases = n; })
      .default_text(std::to_string(p.genome_bases));
  generate_command.add_number("--reads", p.reads, "Number of reads");
  generate_command
      .add_number("--read-bases", 1, std::uint64_t{1} << 30, "Bases of each read",
                  [&p](std::uint64_t n) { p.read_bases = n; })
      .default_text(std::to_string(p.read_bases));
  generate_command.add_real("--errors", 0, 1, p.errors, "Share of the bases of reads that are wrong");
  generate_command.add_number("--seed", p.seed, "Seed");
  add_threads_option(generate_command, given->threads);
  add_json_option(generate_command, given->as_json);
  generate_command.example("small --taxa 3 --reads 10",
                           "Write genomes of three species, and ten reads of them");
  generate_command.callback([given] {
    if (given->parameters.reads != 0 && given->parameters.read_bases > given->parameters.genome_bases)
      throw usage_error("--read-bases is at most --genome-bases, " +
                        std::to_string(given->parameters.genome_bases) + ", not " +
                        std::to_string(given->parameters.read_bases));
    generate(*given);
  });
}

}  // namespace perdure::cli
