// Votes and outcomes: how a rank says what it has failed with, and what all make of it.
#include "ranks/agreement.hpp"

#include <cstring>
#include <new>

namespace perdure::detail {

namespace {

template <std::size_t Size>
void put(std::array<char, Size>& to, const std::string& text) noexcept {
  const std::size_t bytes = std::min(text.size(), Size - 1);
  std::memcpy(to.data(), text.data(), bytes);
  to[bytes] = '\0';
}

template <std::size_t Size>
std::string text_of(const std::array<char, Size>& from) {
  return {from.data(), ::strnlen(from.data(), Size)};
}

// `say(code, what)` of an exception.
template <class Say>
void explain(const std::exception_ptr& failure, Say&& say) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const error& known) {
    say(known.code(), known.what());
  } catch (const std::bad_alloc&) {
    say(errc::out_of_memory, "there is not enough memory");
  } catch (const std::exception& other) {
    say(errc::io, other.what());
  } catch (...) {
    say(errc::io, "an exception of an unknown type");
  }
}

std::string ranks_differ(const said_number& a, const said_number& b, const std::string& as,
                         const std::string& bs) {
  const bool is_a_first = a.rank < b.rank;
  const auto one = [](const said_number& who, const std::string& what) {
    return "rank " + std::to_string(who.rank) + ' ' + what;
  };
  return one(is_a_first ? a : b, is_a_first ? as : bs) + " and " +
         one(is_a_first ? b : a, is_a_first ? bs : as);
}

}  // namespace

const char* doing(step what) noexcept {
  switch (what) {
    case step::create:
    case step::create_parts:
      return "creates a set of stores";
    case step::open:
    case step::open_parts:
      return "opens a set of stores";
    case step::open_read_only:
    case step::look_at_parts:
      return "opens a set of stores for reading";
    case step::open_or_create:
      return "opens or creates a set of stores";
    case step::checkpoint:
    case step::checkpoint_after_a_look:
      return "makes a checkpoint";
    case step::close:
    case step::close_after_a_look:
    case step::closed:
      return "closes the set";
    case step::discard:
      return "discards its changes";
    case step::snapshot:
      return "takes a snapshot";
    case step::copy:
      return "copies a set";
    case step::copied:
      return "ends a copy";
    case step::repartition:
    case step::repartitioned:
    case step::old_parts_removed:
      return "divides a set anew";
    case step::plan_division:
      return "divides arrays of a set by rules of its own";
    case step::none:
      break;
  }
  return "does nothing";
}

vote vote_for(const rank_group& group, step what) {
  vote own;
  own.least_step = own.most_step = {static_cast<std::uint64_t>(what), group.rank()};
  own.least_epoch = own.most_epoch = {0, group.rank()};
  return own;
}

void turn_down(vote& own, errc code, const std::string& why) noexcept {
  own.failing = static_cast<std::int32_t>(own.least_step.rank);
  own.code = static_cast<std::uint32_t>(code);
  put(own.why, why);
}

void turn_down(vote& own, const std::exception_ptr& failure) noexcept {
  explain(failure, [&own](errc code, const char* what) {
    try {
      turn_down(own, code, what);
    } catch (...) {
      own.failing = static_cast<std::int32_t>(own.least_step.rank);
      own.code = static_cast<std::uint32_t>(code);
    }
  });
}

void turn_down(outcome& made, errc code, const std::string& why) noexcept {
  made.what = outcome::verdict::abandoned;
  made.code = static_cast<std::uint32_t>(code);
  put(made.why, why);
}

void turn_down(outcome& made, const std::exception_ptr& failure) noexcept {
  explain(failure, [&made](errc code, const char* what) {
    try {
      turn_down(made, code, what);
    } catch (...) {
      made.what = outcome::verdict::abandoned;
      made.code = static_cast<std::uint32_t>(code);
    }
  });
}

outcome agree(rank_group& group, const vote& own, const decider& decide) {
  const vote all = group.reduce(own);
  outcome made;
  if (group.rank() == 0) {
    if (all.failing >= 0) {
      const std::string who = group.size() > 1 ? "rank " + std::to_string(all.failing) + ": " : "";
      turn_down(made, static_cast<errc>(all.code), who + text_of(all.why));
    } else if (all.least_step.number != all.most_step.number) {
      turn_down(made, errc::invalid_argument,
                ranks_differ(all.least_step, all.most_step, doing(static_cast<step>(all.least_step.number)),
                             doing(static_cast<step>(all.most_step.number))) +
                    " at the same time: all ranks must make the same calls, in the same order");
    } else {
      try {
        decide(all, made);
      } catch (...) {
        turn_down(made, std::current_exception());
      }
    }
    made.is_last = all.has_left;
  }
  group.broadcast(made);
  return made;
}

std::string why_not(const outcome& made) {
  return text_of(made.why);
}

void require_counts(const outcome& made) {
  if (made.what != outcome::verdict::counts) throw error(static_cast<errc>(made.code), why_not(made));
}

}  // namespace perdure::detail
