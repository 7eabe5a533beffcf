// perdure kmer dump: writes an index as text.
#include <atomic>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>

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
  std::uint64_t cells = 0;
};

void dump(const dump_wanted& given) {
  const opened_index opened(given);
  const kmer::minimizer_index& index = opened.index();
  const stopwatch watch;
  output out = output::to(given.file);
  std::uint64_t cells = 0;
  std::atomic<std::uint64_t> done{0};
  std::uint64_t pages = 0;
  for (const kmer::layer_view& layer : index.layers()) pages += layer.table().pages();
  {
    const progress_line progress("dump", [&] { return workload::progress{done.load(), pages, "pages"}; });
    for (std::size_t i = 0; i < index.layers().size(); ++i) {
      const kmer::layer_view& layer = index.layers()[i];
      constexpr std::uint64_t at_once = 64;
      write_in_pieces<dumped_pages>(
          given.threads, layer.table().pages(), at_once, done,
          [&index, &layer, i](std::uint64_t first, std::uint64_t last, dumped_pages& piece) {
            piece.text.clear();
            piece.cells = 0;
            layer.table().for_each_cell(first, last, [&](const kmer::table_cell& cell) {
              append_number(piece.text, i, '\t');
              append_number(piece.text, cell.page, '\t');
              append_number(piece.text, cell.line(), '\t');
              append_number(piece.text, cell.key, '\t');
              append_number(piece.text, index.id_of(layer.number_of(cell.number)), '\n');
              ++piece.cells;
            });
          },
          [&](const dumped_pages& piece) {
            out.write(piece.text);
            cells += piece.cells;
          });
    }
  }
  out.finish();
  if (given.as_json)
    print(json{{"store", given.store.string()},
               {"epoch", opened.epoch()},
               {"index", given.name},
               {"file", given.file.string()},
               {"cells", cells},
               {"seconds", watch.seconds()}});
}

}  // namespace

void add_kmer_dump_command(command kmer) {
  auto given = std::make_shared<dump_wanted>();
  command dump_command = kmer.add_command(
      "dump", "Write the cells of an index as text: layer, page, line, part of the hash, and taxon");
  add_index_options(dump_command, *given);
  dump_command.add_path("-o,--output", given->file, "File to write (default '-', standard output)");
  add_threads_option(dump_command, given->threads);
  dump_command.callback([given] {
    if (given->as_json && given->file == "-")
      throw usage_error("--json writes to standard output too: give -o a file");
    dump(*given);
  });
}

}  // namespace perdure::cli
