#include "bind_kmer.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <charconv>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/canonical_kmers.hpp>
#include <perdure/kmer/clade_report.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/exact_classifier.hpp>
#include <perdure/kmer/grow_exact.hpp>
#include <perdure/kmer/grow_index.hpp>
#include <perdure/kmer/nucleotide.hpp>
#include <perdure/kmer/read_source.hpp>
#include <perdure/workload/cancellation.hpp>
#include <string>
#include <string_view>

#include "interruptible.hpp"
#include "keyword_values.hpp"
#include "numpy_results.hpp"
#include "store_place.hpp"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using paths = std::vector<std::filesystem::path>;

paths paths_of(const std::vector<std::string>& files) {
  return {files.begin(), files.end()};
}

/// An index of an open store: one of minimizers or an exact one.
class index_handle {
 public:
  index_handle(std::shared_ptr<const manager> store, const std::string& name)
      : store_(std::move(store)), name_(name) {
    if (kmer::kind_of_index(*store_, name) == kmer::index_kind::minimizer)
      minimizers_.emplace(*store_, name);
    else
      exact_.emplace(*store_, name);
  }

  const std::string& name() const noexcept { return name_; }
  const kmer::minimizer_index* minimizers() const noexcept { return minimizers_ ? &*minimizers_ : nullptr; }
  const kmer::exact_index& exact() const noexcept { return *exact_; }
  kmer::taxonomy_view taxonomy() const noexcept {
    return minimizers_ ? minimizers_->taxonomy() : exact_->taxonomy();
  }
  unsigned k() const noexcept { return minimizers_ ? minimizers_->scheme().k : exact_->k(); }

 private:
  std::shared_ptr<const manager> store_;
  std::string name_;
  std::optional<kmer::minimizer_index> minimizers_;
  std::optional<kmer::exact_index> exact_;
};

/// Options of what makes and changes indexes.
struct making {
  std::string name;
  bool exact = false;
  unsigned k = 0;  ///< 0: the default of the kind
  unsigned l = 0;
  unsigned spaces = 0;
  unsigned prune = 0;
  bool skips_unmapped = false;
  bool anew = false;
  std::uint64_t budget = 0;
  unsigned threads = 1;

  kmer::unmapped_sequences unmapped() const {
    return skips_unmapped ? kmer::unmapped_sequences::skip : kmer::unmapped_sequences::error;
  }
  kmer::build_options minimizer_options() const {
    kmer::build_options options;
    options.index = name;
    if (k != 0) options.scheme = {.k = k, .l = l, .spaces = spaces};
    options.unmapped = unmapped();
    options.threads = threads;
    options.budget = budget;
    options.anew = anew;
    options.on_checkpoint = workload::end_if_cancelled;
    options.on_progress = [](const workload::progress&) { workload::end_if_cancelled(); };
    return options;
  }
  kmer::exact_options exact_options() const {
    kmer::exact_options options;
    options.index = name;
    if (k != 0) options.k = k;
    options.prune = prune;
    options.unmapped = unmapped();
    options.threads = threads;
    options.on_progress = [](const workload::progress&) { workload::end_if_cancelled(); };
    return options;
  }
};

making making_of(const nb::dict& given) {
  making how;
  const keyword_values values(given);
  values.take("name", how.name);
  values.take("exact", how.exact);
  values.take("k", how.k);
  values.take("l", how.l);
  values.take("spaces", how.spaces);
  values.take("prune", how.prune);
  values.take("skip_unmapped", how.skips_unmapped);
  values.take("anew", how.anew);
  values.take("budget", how.budget);
  values.take("threads", how.threads);
  return how;
}

kmer::sequence_taxa taxa_of(const std::string& map) {
  return map.empty() ? kmer::sequence_taxa() : kmer::sequence_taxa(map);
}

void build(nb::handle store, const std::vector<std::string>& genomes, const std::string& nodes,
           const std::string& names, const std::string& map, const nb::dict& given) {
  const store_place place = place_of(store);
  const making how = making_of(given);
  interruptible([&] {
    const kmer::taxonomy taxonomy = kmer::read_taxonomy(nodes, names);
    const kmer::sequence_taxa taxa = taxa_of(map);
    return place.change(
        [&](manager& to) {
          if (how.exact)
            return kmer::build_exact_index(to, paths_of(genomes), taxonomy.view(), taxa, how.exact_options())
                .sequences;
          return kmer::build_index(to, paths_of(genomes), taxonomy.view(), taxa, how.minimizer_options())
              .sequences;
        },
        how.budget / 2);
  });
}

/// Changes of an index that is there.
enum class change { add, remove, compact };

void change_index(nb::handle store, change what, const std::vector<std::string>& genomes,
                  const std::string& map, const nb::dict& given) {
  const store_place place = place_of(store);
  const making how = making_of(given);
  interruptible([&] {
    const kmer::sequence_taxa taxa = taxa_of(map);
    return place.change([&](manager& to) -> std::uint32_t {
      const bool is_exact = kmer::kind_of_index(to, how.name) == kmer::index_kind::exact;
      switch (what) {
        case change::add:
          return is_exact
                     ? kmer::add_exact_genomes(to, paths_of(genomes), taxa, how.exact_options()).layers
                     : kmer::add_genomes(to, paths_of(genomes), taxa, how.minimizer_options()).index.layers;
        case change::remove:
          if (!is_exact)
            throw error(errc::unsupported, "the index \"" + how.name +
                                               "\" has minimizers, which do not say which genomes have "
                                               "them: only an exact index can do without genomes again");
          return kmer::remove_exact_genomes(to, paths_of(genomes), taxa, how.exact_options()).layers;
        case change::compact:
          break;
      }
      return is_exact ? kmer::compact_exact_index(to, how.name, how.threads).layers
                      : kmer::compact_index(to, how.name, how.threads, [](const workload::progress&) {
                          workload::end_if_cancelled();
                        }).layers;
    });
  });
}

std::unique_ptr<index_handle> open_index(nb::handle store, const std::string& name, std::size_t budget) {
  const store_place place = place_of(store);
  return interruptible(
      [&] { return std::make_unique<index_handle>(place.open_to_read(name, budget), name); });
}

/// Returns the field of a line with tabs, from 0, and from the end where `number` is below 0.
std::string_view field_of(std::string_view line, int number) {
  if (number < 0) return line.substr(line.rfind('\t') + 1);
  for (; number > 0; --number) line.remove_prefix(std::min(line.size(), line.find('\t') + 1));
  return line.substr(0, line.find('\t'));
}

/// Collects the answers of lines, of Kraken's form or of LMAT's.
struct collected_answers {
  bool is_exact = false;
  bool keeps_names = false;
  std::vector<std::uint32_t> taxa{};
  std::vector<std::string> names{};

  void add(std::string_view lines) {
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(lines.size(), line.size() + 1));
      const std::string_view taxon = is_exact ? field_of(line, -1) : field_of(line, 2);
      std::uint32_t id = 0;  // -1 of a read without a taxon is no such number
      std::from_chars(taxon.data(), taxon.data() + taxon.size(), id);
      taxa.push_back(id);
      if (keeps_names) names.emplace_back(field_of(line, is_exact ? 0 : 1));
    }
  }
};

nb::tuple classify(const index_handle& self, const std::vector<std::string>& files, bool paired,
                   double confidence, std::uint64_t minimum_hit_groups, bool names, std::size_t budget,
                   unsigned threads) {
  collected_answers answers{.is_exact = self.minimizers() == nullptr, .keeps_names = names};
  const auto found = interruptible([&] {
    kmer::read_source source(paths_of(files), paired);
    const auto poll = [](std::uint64_t, std::uint64_t) { workload::end_if_cancelled(); };
    const auto collect = [&answers](std::string_view lines) { answers.add(lines); };
    if (answers.is_exact)
      return kmer::score_files(self.exact(), source,
                               {.threads = threads, .on_lines = collect, .on_batch = poll});
    kmer::classify_options options;
    options.rules = {.confidence = confidence, .minimum_hit_groups = minimum_hit_groups};
    options.threads = threads;
    options.budget = budget;
    options.on_lines = collect;
    options.on_batch = poll;
    return kmer::classify_files(*self.minimizers(), source, options);
  });
  const std::string report = kmer::kraken_report(self.taxonomy(), found.reads_of_nodes, found.unclassified());
  nb::list called;
  for (const std::string& name : answers.names) called.append(nb::bytes(name.data(), name.size()));
  return nb::make_tuple(to_numpy(std::move(answers.taxa)), called, found.reads, found.classified, found.bases,
                        nb::bytes(report.data(), report.size()));
}

numpy_array<std::uint32_t> classify_sequences(const index_handle& self, const std::vector<std::string>& reads,
                                              double confidence, std::uint64_t minimum_hit_groups) {
  return to_numpy(interruptible([&] {
    std::vector<std::uint32_t> taxa;
    taxa.reserve(reads.size());
    if (self.minimizers() == nullptr) {
      kmer::exact_classifier classifier(self.exact());
      for (const std::string& read : reads) {
        workload::end_if_cancelled();
        const kmer::scored_read found = classifier.classify(read);
        taxa.push_back(found.has_taxon() ? self.taxonomy().ids[found.found.node] : 0);
      }
      return taxa;
    }
    const kmer::minimizer_index& index = *self.minimizers();
    kmer::read_classifier classifier(index,
                                     {.confidence = confidence, .minimum_hit_groups = minimum_hit_groups});
    constexpr std::size_t at_a_time = 4096;
    std::vector<kmer::sequence> batch;
    for (std::size_t begin = 0; begin < reads.size(); begin += at_a_time) {
      workload::end_if_cancelled();
      batch.clear();
      for (std::size_t i = begin; i < std::min(begin + at_a_time, reads.size()); ++i)
        batch.push_back({.name = {}, .bases = reads[i]});
      for (const kmer::classified_read& found : classifier.classify(batch))
        taxa.push_back(index.id_of(found.taxon));
    }
    return taxa;
  }));
}

void require_bases(const std::string& bases, unsigned k) {
  for (const char letter : bases)
    if (kmer::code_of_nucleotide(letter) == kmer::not_a_nucleotide)
      throw error(errc::invalid_argument,
                  "the sequence has something that is no code of a nucleotide: give letters as ACGTN");
  if (bases.size() < k)
    throw error(errc::invalid_argument, "the sequence has " + std::to_string(bases.size()) +
                                            " bases, and a k-mer of this index has " + std::to_string(k));
}

/// Returns for each run of k-mers its place, its number of k-mers, letters and taxon; of an exact index for
/// each k-mer its place, its letters, and a dict of taxa and counts.
nb::list look_up(const index_handle& self, const std::string& bases) {
  require_bases(bases, self.k());
  nb::list found;
  if (self.minimizers() == nullptr) {
    std::vector<kmer::taxon_count> room;
    kmer::for_each_canonical_kmer(bases, self.k(), [&](std::size_t position, std::uint64_t one) {
      nb::dict taxa;
      for (const auto& [node, count] : self.exact().find(one, room))
        taxa[nb::int_(self.taxonomy().ids[node])] = count;
      found.append(nb::make_tuple(position, kmer::letters_of_kmer(one, self.k()), taxa));
    });
    return found;
  }
  const kmer::minimizer_index& index = *self.minimizers();
  std::vector<kmer::minimizer_run> runs;
  kmer::minimizer_scanner(index.scheme()).scan(bases, runs);
  std::size_t position = 0;
  for (const kmer::minimizer_run& run : runs) {
    const bool is_ambiguous = run.minimizer == kmer::no_minimizer;
    const std::uint32_t taxon = is_ambiguous ? 0 : index.find(run.minimizer);
    const nb::object letters =
        is_ambiguous ? nb::none() : nb::cast(kmer::letters_of(run.minimizer, index.scheme()));
    found.append(nb::make_tuple(position, run.kmers, letters, index.id_of(taxon)));
    position += run.kmers;
  }
  return found;
}

nb::dict stats_of(const index_handle& self) {
  nb::dict all;
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t bytes = 0;
  std::uint64_t kmers = 0;
  all["kind"] = self.minimizers() != nullptr ? "minimizer" : "exact";
  all["k"] = self.k();
  if (const kmer::minimizer_index* const index = self.minimizers(); index != nullptr) {
    for (const kmer::stored_layer* const layer : index->stored_layers()) {
      sequences += layer->sequences;
      bases += layer->bases;
      bytes += layer->bytes();
      kmers += layer->minimizers;
    }
    all["l"] = index->scheme().l;
    all["spaces"] = index->scheme().spaces;
    all["minimizers"] = kmers;
    all["layers"] = index->layers().size();
  } else {
    for (const kmer::stored_exact_layer* const layer : self.exact().stored_layers()) {
      sequences += layer->sequences.size();
      for (const kmer::stored_sequence& one : layer->sequences) bases += one.bases;
      bytes += layer->bytes();
      kmers += layer->kmers;
    }
    all["prune"] = self.exact().prune();
    all["kmers"] = kmers;
    all["layers"] = self.exact().stored_layers().size();
  }
  all["sequences"] = sequences;
  all["bases"] = bases;
  all["bytes"] = bytes;
  all["taxa_in_taxonomy"] = self.taxonomy().size();
  return all;
}

/// Returns name, rank and parent of a taxon, or nothing.
nb::object taxon_of(const index_handle& self, std::uint32_t id) {
  const kmer::taxonomy_view taxonomy = self.taxonomy();
  const auto at = std::lower_bound(
      taxonomy.by_id.begin(), taxonomy.by_id.end(), id,
      [&](kmer::taxon_node node, std::uint32_t wanted) { return taxonomy.ids[node] < wanted; });
  if (at == taxonomy.by_id.end() || taxonomy.ids[*at] != id) return nb::none();
  const std::string_view name = taxonomy.name(*at);
  const std::string_view rank = taxonomy.rank(*at);
  return nb::make_tuple(nb::str(name.data(), name.size()), nb::str(rank.data(), rank.size()),
                        taxonomy.ids[taxonomy.parents[*at]]);
}

}  // namespace

void bind_kmer(nb::module_& module) {
  nb::module_ kmers = module.def_submodule("_kmer", "What perdure.kmer is made of.");
  nb::class_<index_handle>(kmers, "Index")
      .def_prop_ro("name", &index_handle::name)
      .def_prop_ro("k", &index_handle::k)
      .def_prop_ro("exact", [](const index_handle& self) { return self.minimizers() == nullptr; })
      .def("stats", stats_of)
      .def("lookup", look_up, nb::arg("bases"))
      .def("taxon", taxon_of, nb::arg("id"))
      .def("classify", classify, nb::arg("files"), nb::arg("paired"), nb::arg("confidence"),
           nb::arg("minimum_hit_groups"), nb::arg("names"), nb::arg("budget"), nb::arg("threads"))
      .def("classify_sequences", classify_sequences, nb::arg("reads"), nb::arg("confidence"),
           nb::arg("minimum_hit_groups"));
  kmers.def("open", open_index, nb::arg("store"), nb::arg("name"), nb::arg("budget"));
  kmers.def("build", build, nb::arg("store"), nb::arg("genomes"), nb::arg("nodes"), nb::arg("names"),
            nb::arg("map"), nb::arg("how"));
  const auto changing = [&kmers](const char* name, change what) {
    kmers.def(
        name,
        [what](nb::handle store, const std::vector<std::string>& genomes, const std::string& map,
               const nb::dict& how) { change_index(store, what, genomes, map, how); },
        nb::arg("store"), nb::arg("genomes"), nb::arg("map"), nb::arg("how"));
  };
  changing("add", change::add);
  changing("remove", change::remove);
  changing("compact", change::compact);
}

}  // namespace perdure::python
