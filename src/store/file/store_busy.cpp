#include "store/file/store_busy.hpp"

namespace perdure::store {

namespace {

std::string reason_in_full(const std::filesystem::path& store, const std::string& reason) {
  return store.string() + " is in use: " + reason;
}

std::string advice_for(obstacle what) {
  switch (what) {
    case obstacle::writer:
      return "close it there first, or let this opening wait (`store_options::wait`)";
    case obstacle::readers:
      return "close it there first, or let this opening wait (`store_options::wait`); a program that reads a "
             "snapshot of it holds nobody up";
    case obstacle::waiting_writer:
      return "let this opening wait (`store_options::wait`), or read a snapshot of it";
    case obstacle::no_sharing:
    case obstacle::no_files:
      return "open a copy (`perdure snapshot`), let this opening wait until the writer has closed it "
             "(`store_options::wait`), or hold the writer up (`reader_beside_writer::hold_writer`)";
  }
  return {};
}

}  // namespace

store_busy::store_busy(const std::filesystem::path& store, obstacle what, const std::string& reason)
    : error(what == obstacle::no_files ? errc::permission_denied : errc::in_use,
            reason_in_full(store, reason) + "; " + advice_for(what)),
      obstacle_(what),
      reason_(reason_in_full(store, reason)) {}

}  // namespace perdure::store
