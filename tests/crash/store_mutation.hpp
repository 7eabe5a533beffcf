// Changes a store's files and makes all checksums right again, so that what they claim is believed as far as
// checksums go, and what stands behind them is tried.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "crash/fuzz_script.hpp"
#include "crash/store_files.hpp"
#include "store/file/layout.hpp"

namespace perdure::crash {

class store_mutation {
 public:
  /// `files` are those of a sound store that a manager has filled.
  explicit store_mutation(store_files& files);

  /// Does what the script says until it ends.
  void run(fuzz_script& script);

 private:
  /// Bytes of the segment that the library gives a meaning to.
  struct area {
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  void find_areas();

  void change(fuzz_script& script);
  void change_block(fuzz_script& script);
  void change_table(fuzz_script& script);
  void change_journal_index(fuzz_script& script);
  void write_journal(fuzz_script& script, std::uint64_t epoch, bool may_change_length);
  void write_undo(fuzz_script& script);
  std::uint64_t write_image(fuzz_script& script, file_bytes& file, std::uint64_t at,
                            store::layout::journal_header header, bool may_change_length);
  void change_log(fuzz_script& script);
  void change_segment(fuzz_script& script);
  void change_object(fuzz_script& script);
  void change_file(fuzz_script& script);
  void seal_pages();

  // A number of the kind that upsets a parser, or any.
  std::uint64_t number(fuzz_script& script);
  // Overwrites a number within `bytes`.
  void poke(fuzz_script& script, void* bytes, std::size_t size);
  void read_segment(std::uint64_t offset, void* to, std::size_t bytes) const;
  void write_segment(std::uint64_t offset, const void* from, std::size_t bytes);
  template <class T>
  T segment_value(std::uint64_t offset) const {
    T value;
    read_segment(offset, &value, sizeof value);
    return value;
  }
  std::string file_with(std::uint64_t segment_offset) const;

  store_files& files_;
  store::layout::super_slot super_{};  // as it was
  std::vector<area> areas_;
  std::vector<std::uint64_t> objects_;
  std::set<std::uint64_t> changed_pages_;
};

}  // namespace perdure::crash
