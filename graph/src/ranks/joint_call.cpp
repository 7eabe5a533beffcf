// Tells all ranks of the first error among them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <string>
#include <vector>

namespace perdure::graph {
namespace {

/// The error as all ranks throw it.
error joint_error(const std::exception_ptr& own, const std::string& where) {
  try {
    std::rethrow_exception(own);
  } catch (const error& failure) {
    return {failure.code(), where + failure.what()};
  } catch (const std::bad_alloc&) {
    return {errc::out_of_memory, where + "there is not enough memory"};
  } catch (const std::exception& failure) {
    return {errc::io, where + failure.what()};
  }
}

}  // namespace

void throw_joint_error(rank_exchange& ranks, const std::exception_ptr& own) {
  const std::vector<std::uint64_t> failed = ranks.gather(own ? 1 : 0);
  const auto first = std::find(failed.begin(), failed.end(), 1);
  if (first == failed.end()) return;
  const auto teller = static_cast<int>(first - failed.begin());
  std::vector<rank_message> told;
  error thrown(errc::ok, {});
  if (ranks.rank() == teller) {
    const bool is_of_all = std::find(first, failed.end(), 0) == failed.end() && teller == 0;
    thrown = joint_error(own, is_of_all ? "" : "rank " + std::to_string(teller) + ": ");
    const std::string words = thrown.what();
    const auto* const bytes = reinterpret_cast<const std::byte*>(words.data());
    for (int rank = 0; rank < ranks.size(); ++rank)
      if (rank != teller) told.push_back({rank, {bytes, bytes + words.size()}});
  }
  const std::vector<std::uint64_t> codes = ranks.gather(static_cast<std::uint64_t>(thrown.code()));
  const std::vector<rank_message> heard = ranks.exchange(std::move(told));
  if (ranks.rank() == teller) throw thrown;
  std::string words;
  for (const rank_message& one : heard)
    words.assign(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
  throw error(static_cast<errc>(codes[static_cast<std::size_t>(teller)]), words);
}

}  // namespace perdure::graph
