#include <algorithm>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/hash.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/workload/file_fingerprint.hpp>
#include <span>
#include <utility>

#include "external_build.hpp"
#include "genome_scan.hpp"
#include "layer_table.hpp"

namespace perdure::kmer {
namespace {

/// What a build is made of, each under the key of an attribute of the build. No value: it cannot be compared.
struct build_input {
  const char* key;
  std::optional<std::string> value;
};

template <class T>
std::uint64_t digest_of(std::span<const T> values) noexcept {
  return hash_bytes(values.data(), values.size_bytes());
}

/// Returns a text by which genomes are known again. Nothing where a file cannot be read twice.
std::optional<std::string> text_of(const std::vector<std::filesystem::path>& genomes) {
  std::uint64_t all = genomes.size();
  for (const std::filesystem::path& file : genomes) {
    const auto fingerprint = file == "-" ? std::nullopt : workload::file_fingerprint(file);
    if (!fingerprint) return std::nullopt;
    all = hash_combine(all, hash_bytes(fingerprint->data(), fingerprint->size()));
  }
  return std::to_string(genomes.size()) + " files " + std::to_string(all);
}

std::string text_of(const taxonomy_view& taxonomy) {
  std::uint64_t all = 0;
  for (const std::uint64_t one :
       {digest_of(taxonomy.ids), digest_of(taxonomy.parents), digest_of(taxonomy.ranks),
        digest_of(taxonomy.rank_names), digest_of(taxonomy.ends), digest_of(taxonomy.names)})
    all = hash_combine(all, one);
  return std::to_string(all);
}

std::vector<build_input> inputs_of(const std::vector<std::filesystem::path>& genomes,
                                   const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                                   const build_options& options) {
  const minimizer_scheme& scheme = options.scheme;
  return {{"genomes", text_of(genomes)},
          {"taxonomy", text_of(taxonomy)},
          {"map of sequences", std::to_string(taxa.digest())},
          {"treatment of sequences without a taxon",
           options.unmapped == unmapped_sequences::skip ? "skip" : "error"},
          {"minimizers",
           std::to_string(scheme.k) + " " + std::to_string(scheme.l) + " " + std::to_string(scheme.spaces)}};
}

/// Throws `invalid_argument` where a build that was interrupted is made of something else.
void require_same_inputs(const manager& store, const std::string& name, const std::string& index,
                         const std::vector<build_input>& inputs) {
  std::string others;
  for (const build_input& one : inputs)
    if (store.attribute(object_name(name), one.key) != one.value)
      others += (others.empty() ? "" : ", ") + std::string(one.key);
  if (others.empty()) return;
  const bool is_stream = !inputs.front().value;
  throw error(
      errc::invalid_argument,
      store.path().string() + ": the build of the k-mer index \"" + index +
          "\" that was interrupted had other inputs (" + others + ")" +
          (is_stream ? ", as standard input and pipes cannot be read again" : "") +
          "; give the same ones to go on with it, or begin anew (--anew; in C++ build_options::anew)");
}

/// Adds the objects of an index to a store, of which `make_layer` fills the layer. After an exception none of
/// them is there.
template <class MakeLayer>
void add_index(manager& store, const taxonomy_view& taxonomy, const build_options& options,
               MakeLayer&& make_layer) {
  const std::string& name = options.index;
  const std::string layer_name = name + layer_suffix + "0";
  try {
    store.construct<stored_taxonomy>(name + taxonomy_suffix)()->assign(taxonomy);
    make_layer(*store.construct<stored_layer>(layer_name)());
    // The object with the index's name is the last.
    store.construct<stored_index>(name)(
        stored_index{2, options.scheme.k, options.scheme.l, options.scheme.spaces, 1});
  } catch (...) {
    store.destroy<stored_layer>(layer_name);
    store.destroy<stored_taxonomy>(name + taxonomy_suffix);
    throw;
  }
}

build_result build_in_memory(manager& store, const std::vector<std::filesystem::path>& genomes,
                             const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                             const build_options& options) {
  detail::genome_scan scan(taxonomy, taxa, options, "");
  detail::minimizer_sets sets(taxonomy, options.scheme, options.threads);
  scan.read(genomes, sets);
  sets.merge_all();
  detail::require_minimizers(sets.size(), options.scheme);
  build_result made = scan.counts();
  made.minimizers = sets.size();
  add_index(store, taxonomy, options, [&](stored_layer& layer) {
    detail::fill_layer(layer, sets, taxonomy, options.threads);
    layer.sequences = made.sequences;
    layer.bases = made.bases;
    made.bytes = layer.bytes();
  });
  return made;
}

build_result build_in_steps(manager& store, const std::vector<std::filesystem::path>& genomes,
                            const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                            const build_options& options) {
  const std::string name = options.index + build_suffix;
  const std::vector<build_input> inputs = inputs_of(genomes, taxonomy, taxa, options);
  const bool can_be_resumed = inputs.front().value.has_value();
  auto* build = store.find<detail::stored_build>(name).first;
  const bool resumes = build != nullptr;
  if (resumes) {
    require_same_inputs(store, name, options.index, inputs);
  } else {
    build = store.construct<detail::stored_build>(name)();
    for (const build_input& one : inputs)
      if (one.value) store.set_attribute(object_name(name), one.key, *one.value);
  }
  std::uint64_t checkpoints = 0;
  detail::external_build steps(store, *build, taxonomy, options, [&] {
    if (!can_be_resumed) return;
    store.checkpoint();
    ++checkpoints;
    if (options.on_checkpoint) options.on_checkpoint();
  });
  build_result made;
  try {
    made = steps.run(genomes, taxa);
    add_index(store, taxonomy, options, [&](stored_layer& layer) { layer = std::move(build->layer); });
  } catch (...) {
    if (checkpoints == 0 && !resumes) store.destroy<detail::stored_build>(name);
    throw;
  }
  store.destroy<detail::stored_build>(name);
  // What was freed leaves the disk with the second checkpoint from there on, which is the caller's.
  store.checkpoint();
  made.resumed = resumes;
  made.checkpoints = checkpoints;
  return made;
}

}  // namespace

build_result build_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                         const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const build_options& options) {
  const std::string& name = options.index;
  if (store.find<stored_index>(name).first != nullptr)
    throw error(errc::already_exists, store.path().string() + ": the store has a k-mer index named \"" +
                                          name + "\" already; give the new one another name");
  // Its space is free once a checkpoint does not have it.
  if (options.anew && store.destroy<detail::stored_build>(name + build_suffix)) store.checkpoint();
  if (options.budget == 0) {
    if (store.find<detail::stored_build>(name + build_suffix).first != nullptr)
      throw error(errc::invalid_argument,
                  store.path().string() + ": a build of the k-mer index \"" + name +
                      "\" with a budget was interrupted; give a budget (--budget) to go on with it, or begin "
                      "anew (--anew; in C++ build_options::anew)");
    return build_in_memory(store, genomes, taxonomy, taxa, options);
  }
  if (options.budget < least_build_budget)
    throw error(errc::invalid_argument, "a budget of " + std::to_string(options.budget) +
                                            " bytes is too small to build a k-mer index; give at least " +
                                            std::to_string(least_build_budget >> 20) + " MiB");
  return build_in_steps(store, genomes, taxonomy, taxa, options);
}

}  // namespace perdure::kmer
