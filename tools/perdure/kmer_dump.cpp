// perdure kmer dump: writes an index as text.
#include <atomic>
#include <charconv>
#include <filesystem>
#include <memory>
#include <numeric>
#include <perdure/kmer/canonical_kmers.hpp>
#include <string>
#include <vector>

#include "kmer_options.hpp"
#include "progress.hpp"
#include "written_pieces.hpp"

namespace perdure::cli {
namespace {

struct dump_wanted : index_options {
  std::filesystem::path file = "-";
  unsigned threads = 1;
};

void append_number(std::string& to, std::uint64_t number, char behind) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr) += behind;
}

struct dumped_pages {
  std::string text;
  std::uint64_t lines = 0;
};

/// Writes text that `make(layer, first, last, piece)` makes of pages of each layer, which has so many.
/// Returns the number of lines.
template <class Make>
std::uint64_t dump_layers(const dump_wanted& given, const std::vector<std::uint64_t>& pages, output& out,
                          const Make& make) {
  std::uint64_t lines = 0;
  std::atomic<std::uint64_t> done{0};
  const std::uint64_t all = std::accumulate(pages.begin(), pages.end(), std::uint64_t{0});
  const progress_line progress("dump", [&] { return workload::progress{done.load(), all, "pages"}; });
  for (std::size_t layer = 0; layer < pages.size(); ++layer) {
    constexpr std::uint64_t at_once = 64;
    write_in_pieces<dumped_pages>(
        given.threads, pages[layer], at_once, done,
        [&make, layer](std::uint64_t first, std::uint64_t last, dumped_pages& piece) {
          piece.text.clear();
          piece.lines = 0;
          make(layer, first, last, piece);
        },
        [&](const dumped_pages& piece) {
          out.write(piece.text);
          lines += piece.lines;
        });
  }
  return lines;
}

std::uint64_t dump_cells(const dump_wanted& given, const kmer::minimizer_index& index, output& out) {
  std::vector<std::uint64_t> pages;
  for (const kmer::layer_view& layer : index.layers()) pages.push_back(layer.table().pages());
  return dump_layers(given, pages, out,
                     [&index](std::size_t i, std::uint64_t first, std::uint64_t last, dumped_pages& piece) {
                       const kmer::layer_view& layer = index.layers()[i];
                       layer.table().for_each_cell(first, last, [&](const kmer::table_cell& cell) {
                         append_number(piece.text, i, '\t');
                         append_number(piece.text, cell.page, '\t');
                         append_number(piece.text, cell.line(), '\t');
                         append_number(piece.text, cell.key, '\t');
                         append_number(piece.text, index.id_of(layer.number_of(cell.number)), '\n');
                         ++piece.lines;
                       });
                     });
}

std::uint64_t dump_kmers(const dump_wanted& given, const kmer::exact_index& index, output& out) {
  std::vector<std::uint64_t> pages;
  for (const kmer::exact_table_view& table : index.tables()) pages.push_back(table.pages());
  return dump_layers(given, pages, out,
                     [&index](std::size_t i, std::uint64_t first, std::uint64_t last, dumped_pages& piece) {
                       index.tables()[i].for_each(first, last, [&](std::uint64_t hash, std::uint32_t set) {
                         append_number(piece.text, i, '\t');
                         piece.text += kmer::letters_of_kmer(index.hash().minimizer_of(hash), index.k());
                         for (const auto& [node, count] : index.stored_layers()[i]->set(set)) {
                           piece.text += '\t';
                           append_number(piece.text, index.taxonomy().ids[node], ':');
                           append_number(piece.text, count, ' ');
                           piece.text.pop_back();
                         }
                         piece.text += '\n';
                         ++piece.lines;
                       });
                     });
}

void dump(const dump_wanted& given) {
  const opened_index opened(given);
  const stopwatch watch;
  output out = output::to(given.file);
  const kmer::minimizer_index* const minimizers = opened.minimizers();
  const std::uint64_t lines =
      minimizers == nullptr ? dump_kmers(given, opened.exact(), out) : dump_cells(given, *minimizers, out);
  out.finish();
  if (given.as_json)
    print(json{{"store", given.store.string()},
               {"epoch", opened.epoch()},
               {"index", given.name},
               {"file", given.file.string()},
               {minimizers == nullptr ? "kmers" : "cells", lines},
               {"seconds", watch.seconds()}});
}

}  // namespace

void add_kmer_dump_command(command kmer) {
  auto given = std::make_shared<dump_wanted>();
  command dump_command =
      kmer.add_command("dump",
                       "Write an index as text. Of minimizers the cells: layer, page, line, part of the "
                       "hash, and taxon; of an "
                       "exact index the k-mers: layer, letters, and each taxon with its count");
  add_index_options(dump_command, *given);
  dump_command.add_path("-o,--output", given->file, "File to write (default '-', standard output)");
  add_threads_option(dump_command, given->threads);
  dump_command.example("genomes.store --output cells.txt", "Write an index as text");
  dump_command.callback([given] {
    if (given->as_json && given->file == "-")
      throw usage_error("--json writes to standard output too: give -o a file");
    dump(*given);
  });
}

}  // namespace perdure::cli
