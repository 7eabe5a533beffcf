// Finds kept checkpoints by label, by epoch, and by the name STORE@LABEL.
#include <algorithm>
#include <iterator>
#include <perdure/checkpoint_log.hpp>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <utility>

#include "store/file/checkpoint_log.hpp"
#include "store/file/failure.hpp"
#include "store/file/kept_name.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/super_block.hpp"
#include "store/offline/kept_epochs.hpp"

namespace perdure {

namespace {

const checkpoint_record* find_record(const std::vector<checkpoint_record>& log, std::uint64_t epoch) {
  const auto found = std::find_if(log.begin(), log.end(),
                                  [epoch](const checkpoint_record& one) { return one.epoch == epoch; });
  return found == log.end() ? nullptr : &*found;
}

struct history {
  std::vector<checkpoint_record> log;
  std::vector<kept_checkpoint> kept;
};

history history_of(const std::filesystem::path& store) {
  return store::reporting("read the log of", store, [&] {
    const os::file directory = store::open_store_directory(store);
    const store::layout::uuid_bytes uuid = store::super_block::load(directory, false).now().uuid;
    history found{store::checkpoint_log::read(directory, uuid), {}};
    for (const std::uint64_t epoch : store::kept_epochs(directory)) {
      kept_checkpoint& one = found.kept.emplace_back();
      one.epoch = epoch;
      one.path = store::path_of_kept(store, epoch);
      const checkpoint_record* record = find_record(found.log, epoch);
      // The store's log is a ring, and has forgotten it; the copy's log ends with it.
      std::vector<checkpoint_record> own;
      if (record == nullptr) {
        own = store::checkpoint_log::read(os::file::open_directory(one.path), uuid);
        record = find_record(own, epoch);
      }
      if (record == nullptr) continue;
      one.time_ns = record->time_ns;
      one.label = record->label;
    }
    return found;
  });
}

std::string in_quotes(std::string_view label) {
  std::string text(label);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return '"' + text + '"';
}

/// Returns the newest with the label, or null where no checkpoint ever had it.
const kept_checkpoint* find_labelled(const history& of, std::string_view label,
                                     const std::filesystem::path& store) {
  const auto has_label = [label](const auto& one) { return one.label == label; };
  const auto last = std::find_if(of.log.rbegin(), of.log.rend(), has_label);
  const auto kept = std::find_if(of.kept.rbegin(), of.kept.rend(), has_label);
  if (kept != of.kept.rend() && (last == of.log.rend() || last->epoch <= kept->epoch)) return &*kept;
  if (last == of.log.rend()) return nullptr;
  std::string why = store.string() + " does not keep the checkpoint " + in_quotes(label) + " of epoch " +
                    std::to_string(last->epoch);
  if (kept != of.kept.rend()) {
    why += ", but an older one of that label: open " + store.string() + "@" + std::to_string(kept->epoch);
  } else {
    why += ": it was deleted when newer ones were kept, or never kept ('perdure log' shows those that are)";
  }
  throw error(errc::not_found, why);
}

const kept_checkpoint* find_epoch(const history& of, std::uint64_t epoch) {
  const auto found = std::find_if(of.kept.begin(), of.kept.end(),
                                  [epoch](const kept_checkpoint& one) { return one.epoch == epoch; });
  return found == of.kept.end() ? nullptr : &*found;
}

[[noreturn]] void throw_no_label(const std::filesystem::path& store, std::string_view label) {
  throw error(errc::not_found, store.string() + ": no checkpoint has the label " + in_quotes(label) +
                                   " ('perdure log' shows labels, and which checkpoints are kept)");
}

}  // namespace

std::vector<kept_checkpoint> kept_checkpoints(const std::filesystem::path& store) {
  return history_of(store::normalized_store_path(store)).kept;
}

kept_checkpoint find_kept_checkpoint(const std::filesystem::path& given, std::string_view label) {
  const std::filesystem::path store = store::normalized_store_path(given);
  const history of = history_of(store);
  // Checkpoints without a label are not kept.
  if (const kept_checkpoint* const found = label.empty() ? nullptr : find_labelled(of, label, store))
    return *found;
  throw_no_label(store, label);
}

kept_checkpoint find_kept_checkpoint(const std::filesystem::path& given, std::uint64_t epoch) {
  const std::filesystem::path store = store::normalized_store_path(given);
  if (const history of = history_of(store); const kept_checkpoint* const found = find_epoch(of, epoch))
    return *found;
  throw error(errc::not_found, store.string() + " does not keep the checkpoint of epoch " +
                                   std::to_string(epoch) + " ('perdure log' shows those that are kept)");
}

std::filesystem::path resolve_store_name(const std::filesystem::path& given) {
  const store_name name = parse_store_name(given);
  if (name.checkpoint.empty()) return store::normalized_store_path(given);
  const std::filesystem::path store = store::normalized_store_path(name.store);
  const history of = history_of(store);
  if (const kept_checkpoint* const found = find_labelled(of, name.checkpoint, store)) return found->path;
  const std::string& text = name.checkpoint;
  const auto epoch = store::epoch_in(text);
  if (!epoch) throw_no_label(store, text);
  if (const kept_checkpoint* const found = find_epoch(of, *epoch)) return found->path;
  throw error(errc::not_found, store.string() + ": no checkpoint has the label " + in_quotes(text) +
                                   ", and none of that epoch is kept ('perdure log' shows labels, and which "
                                   "checkpoints are kept)");
}

}  // namespace perdure
