# Mutants: the store with one deliberate mistake each. A rig that does not notice them proves nothing, so
# each must be caught, and a test fails where one is not.
#
# perdure_mutant(NAME FILE WHAT OLD NEW CAUGHT_BY PATTERN [FIRST RUN...] [PAGED]
#                [RIG replay|damage|faults|unsynced|ranks] [OPTION...])
#
# In FILE of src/store, or of src/ranks for the rig of ranks, the text OLD, which must be there exactly once, becomes
# NEW. When the source has moved on, the build fails and the mutant must follow. The rig (replay unless told) must find a violation, and what it says of it must
# match PATTERN (expected_violation.hpp): any other violation is a mistake of its own, and the test fails. The rig gets
# the options: a mistake that few runs meet is looked for in more of them (--thin), with failing calls where it matters
# (--faults --in FILE), with kills where names change (--kills-at-renames). FIRST: runs that have met it, tried before all
# others, several times where threads make them differ; of ranks the kind of mishap by which it is met (--first of the
# rig). PAGED: in stores with that backing. Those of `unsynced` are
# only written here: perdure_unsynced_mutants builds the program with them. perdure_mutant_test has a mutant caught by one
# more rig.

# All that the mutated sources include, compiled once.
file(GLOB store_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/store/*/*.hpp)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/mutants/nothing.cpp CONTENT "")
add_library(mutants_precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/mutants/nothing.cpp)
target_precompile_headers(mutants_precompiled PRIVATE ${store_headers} <algorithm> <array> <cstring> <mutex> <thread>)

# perdure_mutant_options(TARGET): how mutated sources, and what is compiled for them, are compiled
function(perdure_mutant_options target)
  target_link_libraries(${target} PRIVATE perdure::perdure)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(${target} PRIVATE -O1 -w)
endfunction()
perdure_mutant_options(mutants_precompiled)

include(PerdureMutant)

function(perdure_mutant name file what old new)
  cmake_parse_arguments(PARSE_ARGV 5 arg PAGED "RIG;CAUGHT_BY" "FIRST")
  if(NOT arg_CAUGHT_BY AND NOT arg_RIG STREQUAL "unsynced")
    message(FATAL_ERROR "mutant ${name}: CAUGHT_BY is missing")
  endif()
  set(folder store)
  if(arg_RIG STREQUAL "ranks")
    set(folder ranks)
  endif()
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file})
  perdure_mutated_source(${name} perdure src/${folder}/${file} ${copy} "${what}" "${old}" "${new}")
  add_library(mutated_${name} OBJECT ${copy})
  perdure_mutant_options(mutated_${name})
  target_precompile_headers(mutated_${name} REUSE_FROM mutants_precompiled)

  if(NOT arg_RIG STREQUAL "unsynced")
    perdure_mutant_test(${name} ${name} ${ARGN})
  endif()
endfunction()

# perdure_mutant_test(TEST MUTANT OPTION...): a rig that must catch it; the options are those of perdure_mutant
function(perdure_mutant_test test name)
  cmake_parse_arguments(PARSE_ARGV 2 arg PAGED "RIG;CAUGHT_BY" "FIRST")
  if(arg_RIG STREQUAL "damage")
    set(rig damage)
    set(options --damages 20000)
  elseif(arg_RIG STREQUAL "faults")
    set(rig faults)
    set(options)
  elseif(arg_RIG STREQUAL "ranks")
    set(rig ranks)
    set(options --states 20000)
    if(NOT "--divided" IN_LIST arg_UNPARSED_ARGUMENTS AND NOT "--late" IN_LIST arg_UNPARSED_ARGUMENTS)
      list(APPEND options --ranks 2)
    endif()
  else()
    set(rig replay)
    set(options --states 400000 --thin 64)
  endif()
  if(arg_FIRST)
    list(JOIN arg_FIRST "," first)
    list(APPEND options --first ${first})
  endif()
  add_executable(mutant_${test} $<TARGET_OBJECTS:mutated_${name}> $<TARGET_OBJECTS:perdure_crash_${rig}>)
  target_link_libraries(mutant_${test} PRIVATE perdure_crash)
  add_test(NAME crash.mutant.${test}
           COMMAND mutant_${test} --expect-violation ${arg_CAUGHT_BY} ${options} ${arg_UNPARSED_ARGUMENTS})
  set_tests_properties(crash.mutant.${test} PROPERTIES TIMEOUT 900)
  if(arg_PAGED)
    set_tests_properties(crash.mutant.${test} PROPERTIES ENVIRONMENT PERDURE_BACKING=paged)
  endif()
endfunction()

perdure_mutant(commit_not_synced file/journal.cpp "a checkpoint is acknowledged before its journal is durable"
[=[  file_.write_at(&header, sizeof header, 0);
  file_.sync_data();
  return header;]=]
[=[  file_.write_at(&header, sizeof header, 0);
  return header;]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+ ... write jrnl\.\d .*: (lost|torn)]=] FIRST 2 1)

perdure_mutant(fresh_pages_not_synced commit/epoch_commit.cpp "a checkpoint is committed before its fresh pages are durable"
[=[  const bool home_changed = now.plan.fresh != 0 || !now.plan.holes.empty() || now.bytes != bytes_;]=]
[=[  const bool home_changed = false;]=]
  CAUGHT_BY [=[(is cut short|is missing|page \d+ is wrong) ... heap\.\d+ .*: (lost|torn)]=] FIRST 2 1)

perdure_mutant(told_before_commit backing/journaled_store.cpp "an asynchronous checkpoint is acknowledged before its commit"
[=[    reporting("checkpoint", path_, [&] { ((*commit_).*how)(); });
  } catch (...) {
    // A prepared checkpoint may have been decided on elsewhere.
    if (!commit_->is_prepared()) commit_->abandon();
    outcome.set_exception(std::current_exception());
    return;
  }
  const std::uint64_t epoch = commit_->epoch();
  if (!keep) outcome.set_value(epoch);]=]
[=[    outcome.set_value(commit_->epoch() + 1);
    reporting("checkpoint", path_, [&] { ((*commit_).*how)(); });
  } catch (...) {
    if (!commit_->is_prepared()) commit_->abandon();
    return;
  }
  const std::uint64_t epoch = commit_->epoch();]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+]=] FIRST 2 1)

perdure_mutant(failed_pages_forgotten commit/epoch_commit.cpp "the next checkpoint does not have the pages of one that failed"
[=[  changed_ = std::move(flight_->changed);]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong]=] --faults FIRST 1 2)

perdure_mutant(found_journal_trusted commit/recovery.cpp "a journal found is taken to be on disk"
[=[      parts.journals[found->header.epoch & 1].make_durable(found->header, found->index);]=]
[=[]=]
  CAUGHT_BY [=[killed after call ... write jrnl\.\d .*: (lost|torn)]=] FIRST 7 8)

perdure_mutant(found_names_synced_late file/home_files.cpp "pages are cut off while names found may not be on disk"
[=[    sync_names();
    files_[index].resize]=]
[=[    files_[index].resize]=]
  CAUGHT_BY [=[is cut short ... killed after call ... (create|rename) jrnl\.\d.*: lost]=] --faults --kills-at-renames FIRST 6)

perdure_mutant(found_names_trusted file/home_files.cpp "names found are taken to be on disk"
[=[      names_unsynced_(writable) {]=]
[=[      names_unsynced_(false) {]=]
  CAUGHT_BY [=[heap\.\d+ is damaged: it is missing ... killed after call ... create heap\.\d+ in store: lost]=] FIRST 33)

perdure_mutant(home_header_trusted file/home_files.cpp "the header of a home file is written once, though its sync may fail"
[=[    if (header_unsure_[i] != 0) write_header(files_[i], i, uuid_, file_bytes_, stamps_[i]);]=]
[=[]=]
  CAUGHT_BY [=[heap\.\d+ is damaged ... write heap\.\d+ at 0, 4096 bytes: (lost|torn)]=] --faults --in heap. FIRST 50)

perdure_mutant(stamps_not_synced commit/redo.cpp "the super block counts on stamps that are not durable"
[=[  home.stamp(journal.index, done);
  if (use == table_use::write) {
    table.flush(journal.header.segment_bytes);
    table.stamp(done);
  }
  home.sync();]=]
[=[  if (use == table_use::write) {
    table.flush(journal.header.segment_bytes);
    table.stamp(done);
  }
  home.sync();
  home.stamp(journal.index, done);]=]
  CAUGHT_BY [=[heap\.\d+ is damaged: it .*is not as the last checkpoint left it.* ... write heap\.\d+ at (512|1024), 512 bytes: (lost|torn)]=] FIRST 2 1)

perdure_mutant(stamp_overwritten file/file_stamps.cpp "a file forgets the checkpoint that it is at before the next one is home"
[=[  const std::size_t older = epoch_in(0) <= epoch_in(1) ? 0 : 1;]=]
[=[  const std::size_t older = epoch_in(0) > epoch_in(1) ? 0 : 1;]=]
  CAUGHT_BY [=[is not as the last checkpoint left it]=] FIRST 2 1)

perdure_mutant(applied_before_durable commit/redo.cpp "the super block says applied before the pages are durable at home"
[=[  home.sync();
  if (use]=]
[=[  if (use]=]
  CAUGHT_BY [=[page \d+ is wrong ... write heap\.\d+ .*: (lost|torn)]=] FIRST 2 1)

perdure_mutant(checksums_not_synced commit/redo.cpp "the super block says applied before the checksum table is durable"
[=[  if (use == table_use::write) table.sync();]=]
[=[]=]
  CAUGHT_BY [=[(crc is damaged|page \d+ is wrong) ... (write|resize) crc .*: (lost|torn)]=] FIRST 2 1)

perdure_mutant(checksums_said_written commit/redo.cpp "the super block says that the table is written while the journal carries what it lacks"
[=[  if (use == table_use::write) next.table_epoch = next.epoch;]=]
[=[  next.table_epoch = next.epoch;]=]
  CAUGHT_BY [=[crc is damaged: table page \d+ .* has no valid checksum|page \d+ is wrong]=] FIRST 7)

perdure_mutant(carried_checksums_dropped commit/epoch_commit.cpp "a journal does not carry on what the table lacks"
[=[  if (carrying_) carry(carrying_->index, plan.index);]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 2 1)

perdure_mutant(carried_checksums_unread commit/redo.cpp "recovery does not read what the last journal carries"
[=[  if (super.table_epoch >= applied) return std::nullopt;]=]
[=[  return std::nullopt;]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 4 2)

perdure_mutant(undo_dropped_with_table commit/epoch_commit.cpp "writing the table ends the undoing of pages that were written home early"
[=[  if (!early_.pages().empty()) return;]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 2 3)

perdure_mutant(page_checksum_unread file/journal_image.cpp "recovery does not check the pages in a journal"
[=[      if (page_checksum(entry.page, bytes) != entry.value) whole = false;]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong ... write (jrnl\.\d|undo) .*: (lost|torn)]=] FIRST 2)

perdure_mutant(index_checksum_unread file/journal_image.cpp "recovery does not check the index of a journal"
[=[  if (os::crc32c(0, index.data(), index_bytes) != header.index_crc) return std::nullopt;]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong ... write (jrnl\.\d|undo) .*: (lost|torn)]=] --thin 16 FIRST 6)

perdure_mutant(journal_reused_early file/super_block.cpp "a journal is reused though its application is not durable in the super block"
[=[  file_.write_at(&next, sizeof next, other * layout::block);
  file_.sync_data();]=]
[=[  file_.write_at(&next, sizeof next, other * layout::block);]=]
  CAUGHT_BY [=[(page \d+ is wrong|: epoch \d+|super is damaged) ... write super .*: (lost|torn)]=] FIRST 3 5)

perdure_mutant(one_super_slot file/super_block.cpp "the super slot in use is overwritten"
[=[  const std::size_t other = 1 - slot_;]=]
[=[  const std::size_t other = slot_;]=]
  CAUGHT_BY [=[(neither of its two slots has a valid checksum|: epoch \d+) ... write super .*: (lost|torn)]=] FIRST 1)

perdure_mutant(super_slot_trusted file/super_block.cpp "the super slot found is taken to be on disk"
[=[  if (!is_durable_) {]=]
[=[  if (false) {]=]
  CAUGHT_BY [=[(neither of its two slots has a valid checksum|: epoch \d+|does not follow the one that the store is at) ... write super .*: (lost|torn)]=] --faults --in super --thin 16 FIRST 35)

perdure_mutant(new_names_not_synced datastore.cpp "the names in a new store's directory are not made durable"
[=[    directory.sync();
    return open_locked(path, fresh.publish(), store_use::write]=]
[=[    return open_locked(path, fresh.publish(), store_use::write]=]
  CAUGHT_BY [=[(is damaged: it is missing|holds no datastore) ... create (super|crc|jrnl\.\d|heap\.000) in \S+: lost]=] FIRST 1)

perdure_mutant(new_store_not_synced file/unfinished_store.cpp "a new store's own name is not made durable"
[=[  parent.sync();]=]
[=[]=]
  CAUGHT_BY [=[the store is gone ... rename \S+ in \. to store: lost]=] FIRST 2 1)

perdure_mutant(unfinished_store_in_the_way file/unfinished_store.cpp "what a crash left of a store made in place is not removed"
[=[  directory_.sync();
  remove_store_files(directory_);]=]
[=[  directory_.sync();]=]
  CAUGHT_BY [=[cannot be created: .*File exists]=] --in-place FIRST 1)

perdure_mutant(home_name_not_synced file/home_files.cpp "the name of a new home file is not made durable"
[=[  directory_.sync();
  names_unsynced_ = false;]=]
[=[  names_unsynced_ = false;]=]
  CAUGHT_BY [=[heap\.\d+ is damaged: it is missing ... create heap\.\d+ in store: lost]=] FIRST 2 1)

perdure_mutant(failed_journal_kept commit/epoch_commit.cpp "a journal that failed stays in use"
[=[    if (!suspect_[parity]) continue;]=]
[=[    continue;]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+]=] --faults --in jrnl FIRST 3)

perdure_mutant(replaced_journal_trusted commit/recovery.cpp "the name of a journal that replaced a failed one is taken to be on disk"
[=[  if (has_empty_journal(parts.journals)) parts.home.sync_names();]=]
[=[]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+ ... killed after call ... rename jrnl\.\d\.new in store to jrnl\.\d: lost]=] --faults --in jrnl --kills-at-renames FIRST 1)

perdure_mutant(tail_kept commit/recovery.cpp "recovery leaves uncommitted pages beyond the end"
[=[  parts.home.truncate(super.segment_bytes);]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 4)

perdure_mutant(tail_kept_in_later_files commit/recovery.cpp "recovery cuts uncommitted pages off only when the files are too long as a whole"
[=[  parts.home.truncate(super.segment_bytes);]=]
[=[  if (parts.home.bytes() > super.segment_bytes) parts.home.truncate(super.segment_bytes);]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 151)

perdure_mutant(hole_taken_for_free commit/checkpoint_plan.cpp "a page that reads as zero in the committed epoch is written in place"
[=[      } else if (touched || !before.needs(page)) {]=]
[=[      } else if (touched || !before.needs(page) || before.is_hole(page)) {]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 1)

perdure_mutant(released_taken_for_free commit/changed_pages.cpp "a page is written in place when it is released, before the checkpoint that releases it is committed"
[=[  for (const detail::page_run& run : pages) early.unsettle(run);]=]
[=[  for (const detail::page_run& run : pages) {
    early.unsettle(run);
    early.touch(run);
  }]=]
  CAUGHT_BY [=[page \d+ is wrong ... write heap\.\d+ .*: (on disk|torn)]=] --faults --in jrnl FIRST 6 6)

perdure_mutant(released_for_good commit/changed_pages.cpp "a page stored to since a failed checkpoint was to release it counts as released"
[=[  released_ = detail::subtract(released_, newly_dirty);
  dirty_.insert]=]
[=[  dirty_.insert]=]
  CAUGHT_BY [=[page \d+ is wrong .zero.]=] --faults --in jrnl FIRST 1)

perdure_mutant(released_punched_early commit/epoch_commit.cpp "released pages are punched before the checkpoint that releases them is committed"
[=[  parts_.checksums.reserve_space(plan.touched);]=]
[=[  parts_.checksums.reserve_space(plan.touched);
  for (const detail::page_run& run : flight_->changed.released()) parts_.home.punch(run);]=]
  CAUGHT_BY [=[page \d+ is wrong .zero.]=] FIRST 3 1 2)

perdure_mutant(old_journal_taken commit/redo.cpp "recovery takes a journal of any epoch"
[=[    if (header.epoch != epoch) continue;]=]
[=[    if (header.epoch == 0) continue;]=]
  CAUGHT_BY [=[does not follow the one that the store is at|not attempt \d+ .epoch \d+.: epoch \d+|crc is damaged: table page \d+ .* has no valid checksum]=] FIRST 2)

perdure_mutant(torn_table_not_rebuilt commit/recovery.cpp "recovery does not mend a torn checksum table"
[=[    parts.checksums.rebuild_from([&parts](std::uint64_t page, std::byte* to) { parts.home.read(page, to); },
                                 super.segment_bytes / page_size);]=]
[=[]=]
  CAUGHT_BY [=[crc is damaged: table page \d+ .* has no valid checksum ... write crc .*: torn]=] FIRST 1 2)

perdure_mutant(zero_pages_not_redone commit/redo.cpp "pages that became zero are not made so at home"
[=[home.punch({entry.page, entry.value});]=]
[=[static_cast<void>(home);]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 2 1)

perdure_mutant(reader_skips_journal backing/reader.cpp "a reader does not see what is committed and not applied"
[=[  const std::optional<committed_journal> pending = find_committed(parts_->journals, super, parts_->ceiling);]=]
[=[  const std::optional<committed_journal> pending;]=]
  CAUGHT_BY [=[read-only: not attempt \d+ .epoch \d+.: epoch \d+]=] FIRST 2 1)

perdure_mutant(failed_apply_dropped commit/epoch_commit.cpp "a checkpoint whose application failed is not applied again"
[=[  if (unapplied_) apply();]=]
[=[  unapplied_.reset();]=]
  CAUGHT_BY [=[page \d+ is wrong|not attempt \d+ .epoch \d+.: epoch \d+|crc is damaged: table page]=] --faults --in heap. --thin 16 FIRST 7 9 46)

perdure_mutant(foreign_journal_taken file/journal.cpp "the journal of another store is taken for this one's"
[=[  if (is_header && first.uuid != uuid_) {
    throw_damaged(file_.path(), "it belongs to another store");
  }]=]
[=[  uuid_ = first.uuid;]=]
  CAUGHT_BY [=[jrnl\.\d: of another store: (verification finds nothing|it can be opened)]=] RIG damage)

perdure_mutant(foreign_home_file_taken file/home_files.cpp "a home file of another store is taken for this one's"
[=[header.uuid != uuid_ || header.index]=]
[=[header.index]=]
  CAUGHT_BY [=[heap\.\d+: of another store: (verification finds nothing|it can be opened)]=] RIG damage)

perdure_mutant(copied_over_what_is_needed backing/direct_writer.cpp "pages are copied home where the last checkpoint is"
  "(!before_.needs(stop) || early_.is_touched(stop))" "true"
  CAUGHT_BY "is wrong|does not have its checksum|contradict" FIRST 20 --thin 16)
perdure_mutant(copied_not_named backing/direct_writer.cpp "pages that were copied home are not in the next checkpoint"
  "    early_.settle(written_.first + i, checksums_[i]);\n" ""
  CAUGHT_BY "is wrong|does not have its checksum|contradict" FIRST 49 --thin 16)
perdure_mutant(pages_not_verified offline/verify/page_walk.cpp "verification does not compare pages with their checksums"
[=[  if (expected.what == kind::checksum && page_checksum(page, bytes) != expected.checksum)]=]
[=[  if (false)]=]
  CAUGHT_BY [=[(verification finds nothing|after a repair that found all whole).*page \d+ is wrong]=] RIG damage FIRST 40)

perdure_mutant(page_number_not_in_checksum file/checked_block.cpp "a page's checksum does not depend on the page's number"
[=[  return os::crc32c(0, &page, sizeof page);]=]
[=[  return 0;]=]
  CAUGHT_BY [=[heap\.\d+: the pages at bytes \d+ and \d+ exchanged, and so are their checksums: .*page \d+ is wrong]=] RIG damage FIRST 725)

perdure_mutant(short_home_file_not_seen offline/verify/home_file_check.cpp "verification does not see that a home file is short"
[=[    if (home.bytes < wanted) {]=]
[=[    if (false) {]=]
  CAUGHT_BY [=[heap\.\d+: cut to \d+ bytes: verification finds nothing]=] RIG damage FIRST 221)

perdure_mutant(prepared_not_synced file/journal.cpp "a checkpoint is said to be prepared before its journal is durable"
[=[  file_.write_at(&header, sizeof header, 0);
  file_.sync_data();
  return header;]=]
[=[  file_.write_at(&header, sizeof header, 0);
  if (made == decision::made) file_.sync_data();
  return header;]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+ ... write jrnl\.\d .*: (lost|torn)]=] FIRST 18)

perdure_mutant(decision_not_synced file/journal.cpp "a decision is acknowledged before it is durable"
[=[  file_.write_at(&block, sizeof block, journal_image::bytes(header));
  file_.sync_data();]=]
[=[  file_.write_at(&block, sizeof block, journal_image::bytes(header));]=]
  CAUGHT_BY [=[has prepared checkpoint \d+ and does not know ... write jrnl\.\d .*: (lost|torn)]=] FIRST 18)

perdure_mutant(prepared_taken_for_decided file/journal.cpp "a checkpoint that nobody has decided on counts"
[=[  return prepared && is_decided(*prepared) ? prepared : std::nullopt;]=]
[=[  return prepared;]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+]=] FIRST 18)

perdure_mutant(verdict_not_kept commit/recovery.cpp "a prepared checkpoint that does not count is left in its journal"
[=[  parts.journals[undecided & 1].replace();]=]
[=[]=]
  CAUGHT_BY [=[has prepared checkpoint \d+ and does not know|not attempt \d+ .epoch \d+.: epoch \d+]=] FIRST 1)

perdure_mutant(failed_decision_abandoned backing/journaled_store.cpp "a checkpoint whose decision cannot be written is abandoned, though others may have decided on it"
[=[    if (!commit_->is_prepared()) commit_->abandon();]=]
[=[    commit_->abandon();]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+|reopened with what was decided]=] --faults --in jrnl FIRST 5)

perdure_mutant(undo_not_synced file/undo_log.cpp "pages are overwritten at home before what they held is durable elsewhere"
[=[  file_.sync_data();
  if (name_unsynced_)]=]
[=[  if (name_unsynced_)]=]
  CAUGHT_BY [=[page \d+ is wrong ... (create|resize|write) undo.*: (lost|torn)]=] FIRST 2 3)

perdure_mutant(undo_not_saved backing/early_writer.cpp "pages that the last checkpoint needs are overwritten at home"
[=[  parts_.undo.save(last_, full, empty, parts_.home, [&brake] { brake.check(); });]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 2 3)

perdure_mutant(early_pages_given_up_unsynced backing/early_writer.cpp "memory is given up for pages that are not durable at home"
[=[    parts_.home.sync();
    for_extents(]=]
[=[    for_extents(]=]
  CAUGHT_BY [=[failed write-back .*: in memory: page \d+ is wrong]=] RIG faults --only "failed write-back" --seed 3)

perdure_mutant_test(early_pages_given_up_unsynced_then_cut early_pages_given_up_unsynced
  CAUGHT_BY [=[in memory: page \d+ is wrong]=] FIRST 209)

perdure_mutant(failed_sync_repeated file/home_files.cpp "a sync of home that failed is repeated, and then believed"
[=[    files_[i].sync_data();
    unsynced_[i] = 0;]=]
[=[    try {
      files_[i].sync_data();
    } catch (const std::system_error&) {
      files_[i].sync_data();
    }
    unsynced_[i] = 0;]=]
  CAUGHT_BY [=[page \d+ is wrong ... write heap\.\d+ .*: (lost|torn)]=] --faults --in heap. FIRST 1)

perdure_mutant(failed_commit_repeated file/journal.cpp "a commit that failed is synced once more, and then believed"
[=[  file_.write_at(&header, sizeof header, 0);
  file_.sync_data();
  return header;]=]
[=[  file_.write_at(&header, sizeof header, 0);
  try {
    file_.sync_data();
  } catch (const std::system_error&) {
    file_.sync_data();
  }
  return header;]=]
  CAUGHT_BY [=[not attempt \d+ .epoch \d+.: epoch \d+ ... write jrnl\.\d .*: (lost|torn)]=] --faults --in jrnl FIRST 1)

perdure_mutant(read_back_unchecked backing/paged_home.cpp "pages that come back into memory are not compared with their checksums"
[=[    if (expected != 0 && page_checksum(first + i, bytes + i * page_size) != expected) return false;]=]
[=[]=]
  CAUGHT_BY [=[failed write-back .*: in memory: page \d+ is wrong]=] PAGED RIG faults --only "failed write-back")

perdure_mutant(undo_of_any_epoch file/undo_log.cpp "pages are taken back though the checkpoint that needs them was committed"
[=[      return header && header->epoch == of.epoch && header->segment_bytes == of.segment_bytes &&
             header->flags == number;
    };
    const auto header = image.header(layout::undo_magic, uuid_);
    if (!is_next(header, found.size())) return found;
    // Its pages would be put back over those of another history, and those to be put back are missing.
    if (of.identity != 0 && header->checkpoint != of.identity)]=]
[=[      return header && header->flags == number && of.epoch != 0;
    };
    const auto header = image.header(layout::undo_magic, uuid_);
    if (!is_next(header, found.size())) return found;
    // Its pages would be put back over those of another history, and those to be put back are missing.
    if (of.epoch == 0)]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 2 4)

perdure_mutant(undo_name_not_synced file/undo_log.cpp "the undo log's name is not durable when it is relied on"
[=[  if (name_unsynced_) directory_.sync();]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong ... create undo in store: lost]=] FIRST 2 3)

perdure_mutant(undo_dropped_early file/undo_log.cpp "what was saved is given up before it is home"
[=[  home.sync();
  undo.clear();]=]
[=[  undo.clear();
  home.sync();]=]
  CAUGHT_BY [=[page \d+ is wrong ... write heap\.\d+ .*: (lost|torn)]=] FIRST 2 10)

perdure_mutant(undo_for_writers_only backing/reader.cpp "a reader sees pages of a checkpoint that never came"
[=[  undo_in_memory(saved, memory().base());]=]
[=[]=]
  CAUGHT_BY [=[read-only: .*page \d+ is wrong]=] FIRST 4 2)

perdure_mutant(early_before_applied backing/private_memory.cpp "pages are written home early while a journal that holds them is not applied"
[=[void private_memory::trim_part(detail::page_run part, write_brake& brake) {
  commit_->finish_last();]=]
[=[void private_memory::trim_part(detail::page_run part, write_brake& brake) {]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 16)

perdure_mutant(early_pages_forgotten commit/checkpoint_plan.cpp "a checkpoint does not name the pages that were written home early"
[=[      [&plan](std::uint64_t page, std::uint32_t checksum) { add(plan, page, entry_kind::fresh, checksum); });]=]
[=[      [](std::uint64_t, std::uint32_t) {});]=]
  CAUGHT_BY [=[page \d+ is wrong]=] FIRST 2 3)

perdure_mutant(early_pages_settled_for_good commit/changed_pages.cpp "a page stored to after it was written home early keeps its checksum"
[=[  for (const detail::page_run& run : newly_dirty) early.unsettle(run);]=]
[=[]=]
  CAUGHT_BY [=[has lost the page checksums of checkpoint|not attempt \d+ .epoch \d+.: epoch \d+|page \d+ is wrong]=] FIRST 2 10)

perdure_mutant(dax_before_image_late backing/before_image_keeper.cpp "a write to persistent memory is let through before its before-image is durable"
[=[  os::persist({&part, 1});]=]
[=[  if (batches_ % 2 == 1) os::persist({&part, 1});]=]
  CAUGHT_BY [=[page \d+ is wrong]=] --dax FIRST 1 2)

perdure_mutant(dax_before_image_half backing/before_image_keeper.cpp "of a before-image only what describes it is made durable"
[=[  os::persist({&part, 1});]=]
[=[  const iovec described[] = {{batch, layout::block}, {batch + header_.index_offset, layout::block}};
  os::persist(described);]=]
  CAUGHT_BY [=[page \d+ is wrong|undo is damaged: what it saved]=] --dax --thin 16 FIRST 1 6)

perdure_mutant(dax_before_image_once backing/before_image_keeper.cpp "an image that was saved for one checkpoint is taken to be saved for the next"
[=[  const std::uint64_t now = epoch_ + 1;]=]
[=[  const std::uint64_t now = 1;]=]
  CAUGHT_BY [=[page \d+ is wrong]=] --dax FIRST 18 17 15)

perdure_mutant(dax_committed_in_cache backing/dax_store.cpp "a checkpoint of persistent memory is committed before its cache lines are written back"
[=[    write_back_changes();
    drop_unchanged(plan);
    try {
      commit(std::move(plan), bytes, label);]=]
[=[    drop_unchanged(plan);
    try {
      const changed_pages late = changed_;
      commit(std::move(plan), bytes, label);
      changed_ = late;
      write_back_changes();
      changed_.clear();]=]
  CAUGHT_BY [=[page \d+ is wrong]=] --dax FIRST 2 1)

perdure_mutant(copy_not_synced offline/store_copy.cpp "a snapshot has its name before its files are durable"
[=[  for (const pair_of_files& files : all) files.to.sync();]=]
[=[]=] RIG unsynced)

perdure_mutant(evicted_pages_forgotten commit/checkpoint_plan.cpp "a checkpoint lacks pages that left memory for its journal"
[=[  if (journaled != nullptr) plan_journaled(plan, *journaled, dirty, before);]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong|signal 7]=] PAGED FIRST 2 1)

perdure_mutant(evicted_fresh_pages_forgotten backing/paged_memory.cpp "a checkpoint lacks pages that left memory for home"
[=[    early.settle(pages.first + i, checksum);]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong|signal 7]=] PAGED FIRST 3)

perdure_mutant(evicted_home_always backing/paged_memory.cpp "pages that leave memory go home though the last checkpoint needs what is there"
[=[    return !commit_->early().pages().is_touched(page) && commit_->committed().needs(page);]=]
[=[    return false;]=]
  CAUGHT_BY [=[page \d+ is wrong|signal 7]=] PAGED FIRST 2 1)

perdure_mutant(evicted_before_applied backing/paged_memory.cpp "pages leave memory for home while a journal that holds them may still be redone"
[=[    // Home must hold the last checkpoint and no journal but its own may count.
    commit_->finish_last();
    parts_.home.sync_names();]=]
[=[    parts_.home.sync_names();]=]
  CAUGHT_BY [=[page \d+ is wrong|signal 7]=] PAGED --thin 4096 FIRST 79 79 79 79 79 79 79 79)

perdure_mutant(evicted_pages_lost_with_journal commit/epoch_commit.cpp "a journal is replaced without the pages that are nowhere else"
[=[    parts_.journals[parity].replace(evicted_->only_in_journal());]=]
[=[    parts_.journals[parity].replace();]=]
  CAUGHT_BY [=[page \d+ is wrong|signal 7 while recovering]=] PAGED --faults --in jrnl FIRST 6 4)

perdure_mutant(zero_pages_read_at_home commit/epoch_commit.cpp "an emptied page is read at home before it is emptied there"
[=[  evicted_->note_zeros(now.plan.index);]=]
[=[]=]
  CAUGHT_BY [=[page \d+ is wrong|signal 7]=] PAGED --thin 16 FIRST 4)

# ---- sets of stores --------------------------------------------------------------------------------------

perdure_mutant(ranks_decided_too_early agreement.cpp "the manifest is written before all ranks have prepared"
[=[  const vote all = group.reduce(own);]=]
[=[  if (group.rank() == 0 && own.failing < 0 && own.least_step.number == static_cast<std::uint64_t>(step::checkpoint)) {
    outcome early;
    decide(own, early);
  }
  const vote all = group.reduce(own);]=]
  CAUGHT_BY [=[of its own and the set at \d+: it is an older one]=] FIRST kill:1:67 RIG ranks)

perdure_mutant(ranks_told_too_early agreement.cpp "ranks decide before the manifest does"
[=[        decide(all, made);]=]
[=[        if (all.least_step.number == static_cast<std::uint64_t>(step::checkpoint)) group.broadcast(made);
        decide(all, made);]=]
  CAUGHT_BY [=[a kill at call \d+ of rank 0: it cannot be opened: .*has decided on checkpoint \d+, after the last]=] FIRST kill:0:96 RIG ranks)

perdure_mutant(ranks_abandon_forgotten joint_checkpoint.cpp "what is turned down stays prepared"
[=[    default:
      return prepared.abandon();]=]
[=[    default:
      return prepared.leave();]=]
  CAUGHT_BY [=[checkpoints fail with nothing wrong: ... was not decided on here]=] FIRST power RIG ranks)

perdure_mutant(ranks_unheard_abandoned joint_checkpoint.cpp "a rank that does not hear the outcome abandons what may count"
[=[    if (prepared) prepared->leave();]=]
[=[    if (prepared) prepared->abandon();]=]
  CAUGHT_BY [=[a kill at call \d+ of rank 0: it cannot be opened: .*it is an older one]=] FIRST kill:0:97 RIG ranks)

perdure_mutant(ranks_doubt_abandoned joint_checkpoint.cpp "what may count or not is abandoned"
[=[    case outcome::verdict::in_doubt:
      return prepared.leave();]=]
[=[    case outcome::verdict::in_doubt:
      return prepared.abandon();]=]
  CAUGHT_BY [=[errors of syncs at call \d+ of rank 0: it cannot be opened: .*it is an older one]=] FIRST sync_errors:0:24 RIG ranks)

perdure_mutant(ranks_manifest_not_synced set_manifest.cpp "ranks are told what the manifest says before that is durable"
[=[      file_.sync_data();
      now_ = next;]=]
[=[      now_ = next;]=]
  CAUGHT_BY [=[(has decided on checkpoint \d+, after the last|attempt \d+ was promised) ... write manifest .*: lost]=] FIRST kill:0:97 RIG ranks)

perdure_mutant(ranks_new_manifest_not_synced set_manifest.cpp "a manifest gets its name before its content is durable"
[=[  to.write_at(&content, sizeof content, 0);
  to.sync();]=]
[=[  to.write_at(&content, sizeof content, 0);]=]
  CAUGHT_BY [=[manifest.*(it has 0 bytes|none of its records) ... manifest.*: lost]=] FIRST kill:0:87 RIG ranks)

perdure_mutant(ranks_new_set_not_synced set_manifest.cpp "a set is there before its name is durable"
[=[    sequence_ = 0;
    throw;
  }
  directory_.sync();]=]
[=[    sequence_ = 0;
    throw;
  }]=]
  CAUGHT_BY [=[the set is gone ... rename .*: lost]=] FIRST kill:0:87 RIG ranks)

perdure_mutant(ranks_manifest_not_followed set_opening.cpp "a part is opened as of the checkpoint before the one that the manifest names"
[=[      options.last_decided = state_.epoch;
      part_ = opener.open(mode::open,]=]
[=[      options.last_decided = state_.epoch - (rank() == 1 ? 1 : 0);
      part_ = opener.open(mode::open,]=]
  CAUGHT_BY [=[it cannot be opened: .*(after the last that is to count|it is an older one)]=] FIRST kill:0:88 RIG ranks)

perdure_mutant(ranks_prepared_taken set_opening.cpp "a part's prepared journal counts though the manifest does not say so"
[=[      options.last_decided = state_.epoch;
      part_ = opener.open(mode::open,]=]
[=[      options.last_decided = state_.epoch + (rank() == 1 ? 1 : 0);
      part_ = opener.open(mode::open,]=]
  CAUGHT_BY [=[it cannot be opened: .*somebody has checkpointed it alone]=] FIRST kill:0:88 RIG ranks)

perdure_mutant(ranks_divided_too_early repartition.cpp "old parts are removed before the manifest that names the new ones is home"
[=[    after.epochs_before = before.epochs_before + before.epoch + 1 - after.epoch;]=]
[=[    after.epochs_before = before.epochs_before + before.epoch + 1 - after.epoch;
    directory.remove_left_over(after.number, after.ranks);]=]
  CAUGHT_BY [=[it cannot be opened: .*(part \d+ of the set is missing|part\.\d+/\S+ is damaged: it is missing)]=] FIRST kill:0:135 RIG ranks
  --divided 2:4)

perdure_mutant(ranks_stored_before_agreed set_opening.cpp "a set that its first checkpoint makes is there before"
[=[      if (options_.is_made_by_checkpoint) return;]=]
[=[]=]
  CAUGHT_BY [=[the set is there without a checkpoint]=] RIG ranks --late 2)

perdure_mutant(ranks_left_over_kept set_opening.cpp "what an interrupted division leaves stays"
[=[  directory_.remove_left_over(found.set.number, found.set.ranks);]=]
[=[]=]
  CAUGHT_BY [=[set\.\d+ is left beside set\.\d+]=] RIG ranks --divided 2:4)
