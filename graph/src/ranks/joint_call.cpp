// Tells all ranks of the first error among them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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

void throw_first_error(rank_exchange& ranks, const std::optional<error>& own) {
  const std::vector<std::uint64_t> codes =
      ranks.gather(own ? static_cast<std::uint64_t>(own->code()) : std::uint64_t{0});
  const auto first = std::find_if(codes.begin(), codes.end(), [](std::uint64_t code) { return code != 0; });
  if (first == codes.end()) return;
  const auto teller = static_cast<int>(first - codes.begin());
  std::string words = own ? own->what() : "";
  std::vector<rank_message> told;
  if (ranks.rank() == teller) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(words.data());
    for (int rank = 0; rank < ranks.size(); ++rank)
      if (rank != teller) told.push_back({rank, {bytes, bytes + words.size()}});
  }
  for (const rank_message& one : ranks.exchange(std::move(told)))
    words.assign(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
  throw error(static_cast<errc>(*first), words);
}

void throw_joint_error(rank_exchange& ranks, const std::exception_ptr& own) {
  const std::vector<std::uint64_t> failed = ranks.gather(own ? 1 : 0);
  const auto count = static_cast<int>(std::count(failed.begin(), failed.end(), std::uint64_t{1}));
  if (count == 0) return;
  const std::string where = count == ranks.size() ? "" : "rank " + std::to_string(ranks.rank()) + ": ";
  throw_first_error(ranks, own ? std::optional(joint_error(own, where)) : std::nullopt);
}

}  // namespace perdure::graph
