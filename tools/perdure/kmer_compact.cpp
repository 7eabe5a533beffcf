// perdure kmer compact: merges the layers of an index.
#include <memory>
#include <mutex>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/kmer/grow_exact.hpp>
#include <perdure/kmer/grow_index.hpp>

#include "grown_store.hpp"
#include "interruption.hpp"
#include "kmer_options.hpp"
#include "progress.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct compaction_wanted : index_options {
  unsigned threads = 0;
};

void compact(const compaction_wanted& given) {
  require_changeable_store(given.store);
  const stopwatch watch;
  const interruption_watch interruption;
  manager store(open_only, given.store, settings_for(given.verify));
  const bool is_exact = kmer::kind_of_index(store, given.name) == kmer::index_kind::exact;
  std::uint32_t merged = 0;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::mutex mutex;
  workload::progress progress{0, 0, "minimizers"};
  try {
    const progress_line line("compact " + given.store.string(), [&] {
      const std::lock_guard lock(mutex);
      return progress;
    });
    if (is_exact) {
      const kmer::exact_result made = kmer::compact_exact_index(store, given.name, given.threads);
      end_if_interrupted();
      merged = made.merged;
      entries = made.kmers;
      bytes = made.bytes;
    } else {
      const kmer::growth_result made =
          kmer::compact_index(store, given.name, given.threads, [&](const workload::progress& now) {
            end_if_interrupted();
            const std::lock_guard lock(mutex);
            progress = now;
          });
      merged = made.merged;
      entries = made.minimizers;
      bytes = made.bytes;
    }
  } catch (...) {
    store.discard();
    if (interruption_watch::signal() == 0) throw;
    throw interrupted(interruption_watch::signal(),
                      "interrupted: " + given.store.string() + " is as it was before");
  }
  store.close();
  const double seconds = watch.seconds();
  if (given.as_json) {
    json value{{"store", given.store.string()},
               {"index", given.name},
               {"merged_layers", merged},
               {is_exact ? "kmers" : "minimizers", entries},
               {"bytes", bytes},
               {"threads", given.threads},
               {"seconds", seconds}};
    tell_grown_store(value, given.store, 0);
    print(value);
    return;
  }
  output out = output::standard();
  out.write("merged         " + counted(merged, "layer", "layers") + " in " + in_seconds(seconds) + "\n");
  out.write("index          " + printable_name(given.name) + ": " + grouped(entries) +
            (is_exact ? " k-mers, " : " minimizers, ") + in_bytes(bytes) + "\n");
  tell_grown_store(out, given.store);
  out.finish();
}

}  // namespace

void add_kmer_compact_command(command kmer) {
  auto given = std::make_shared<compaction_wanted>();
  command target =
      kmer.add_command("compact", "Merge the layers of an index, as if it had been built at once");
  target.add_path("STORE", given->store, "The store's directory").required();
  add_index_name_option(target, given->name);
  add_threads_option(target, given->threads);
  add_verify_option(target, given->verify);
  add_wait_option(target);
  add_json_option(target, given->as_json);
  target.example("genomes.store", "Merge the layers of an index");
  target.callback([given] { compact(*given); });
}

}  // namespace perdure::cli
