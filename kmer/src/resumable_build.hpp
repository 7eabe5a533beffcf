// Builds of indexes that a later call goes on with after a crash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <vector>

namespace perdure::kmer::detail {

/// An input of a build, under the key of an attribute of the build. No value: it cannot be compared.
struct build_input {
  const char* key;
  std::optional<std::string> value;
};

/// Returns the inputs by which a build is known again; the genomes are the first. `kmers` says which k-mers
/// are taken.
std::vector<build_input> inputs_of(index_kind kind, const std::vector<std::filesystem::path>& genomes,
                                   const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                                   unmapped_sequences unmapped, std::string kmers);

/// Throws `invalid_argument` where a build that was interrupted is made of something else.
void require_same_inputs(const manager& store, const std::string& index,
                         const std::vector<build_input>& inputs);

/// Returns whether a build of an index was interrupted.
bool is_interrupted(const manager& store, const std::string& index);

/// Throws `already_exists` where the store has an index of this name, of whatever kind.
void refuse_taken_name(const manager& store, const std::string& index);

/// Drops a build of an index that was interrupted, if there is one.
void drop_interrupted(manager& store, const std::string& index);

/// Throws `invalid_argument` for a budget that is too small, and for none where a build with a budget was
/// interrupted.
void require_budget(const manager& store, const std::string& index, std::uint64_t budget);

/// Refuses what no build can begin with, as `build_index` says, and drops an interrupted build where that is
/// wanted.
template <class Options>
void prepare_build(manager& store, const Options& options) {
  refuse_taken_name(store, options.index);
  if (options.anew) drop_interrupted(store, options.index);
  require_budget(store, options.index, options.budget);
}

/// Begins a build as a `Build` in the store, or goes on with it. `run(build, checkpoint)` goes on to its end
/// and adds the index; it calls `checkpoint` where a later call can go on. Its result gets what is known of
/// them.
template <class Build, class Options, class Run>
auto build_in_steps(manager& store, const Options& options, const std::vector<build_input>& inputs,
                    const Run& run) {
  const std::string name = options.index + build_suffix;
  const bool can_be_resumed = inputs.front().value.has_value();
  const bool resumes = is_interrupted(store, options.index);
  if (resumes) {
    require_same_inputs(store, options.index, inputs);
  } else {
    store.construct<Build>(name)();
    for (const build_input& one : inputs)
      if (one.value) store.set_attribute(object_name(name), one.key, *one.value);
  }
  Build& build = *store.find<Build>(name).first;
  std::uint64_t checkpoints = 0;
  try {
    auto made = run(build, std::function<void()>([&] {
                      if (!can_be_resumed) return;
                      store.checkpoint();
                      ++checkpoints;
                      if (options.on_checkpoint) options.on_checkpoint();
                    }));
    store.destroy<Build>(name);
    // Freed space leaves the disk with the second checkpoint from there on. The caller makes that one.
    store.checkpoint();
    made.resumed = resumes;
    made.checkpoints = checkpoints;
    return made;
  } catch (...) {
    if (checkpoints == 0 && !resumes) store.destroy<Build>(name);
    throw;
  }
}

}  // namespace perdure::kmer::detail
