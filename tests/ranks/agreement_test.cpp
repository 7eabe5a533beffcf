// Votes of ranks and what is made of them, in words.
#include "ranks/agreement.hpp"

#include <gtest/gtest.h>

#include <new>
#include <perdure/error.hpp>
#include <stdexcept>
#include <string>

#include "ranks/lone_rank.hpp"
#include "support/errors.hpp"

namespace perdure::detail {
namespace {

/// Returns the outcome of a lone rank that has failed with this.
template <class Failure>
outcome agreed_after(const Failure& failure) {
  const auto group = make_lone_rank();
  vote own = vote_for(*group, step::open);
  turn_down(own, std::make_exception_ptr(failure));
  return agree(*group, own, [](const vote&, outcome&) { FAIL() << "it is turned down"; });
}

TEST(an_agreement, throws_what_a_rank_has_failed_with) {
  const auto is_thrown = [](errc code, const std::string& what, const outcome& made) {
    return message_of([&] { require_counts(made); }) == what &&
           code_of([&] { require_counts(made); }) == code;
  };
  EXPECT_TRUE(is_thrown(errc::conflict, "of two minds", agreed_after(error(errc::conflict, "of two minds"))));
  EXPECT_TRUE(is_thrown(errc::out_of_memory, "there is not enough memory", agreed_after(std::bad_alloc())));
  EXPECT_TRUE(is_thrown(errc::io, "a reason", agreed_after(std::runtime_error("a reason"))));
  EXPECT_TRUE(is_thrown(errc::io, "an exception of an unknown type", agreed_after(5)));
}

TEST(an_agreement, throws_what_rank_0_does_when_it_decides) {
  const auto group = make_lone_rank();
  const vote own = vote_for(*group, step::open);
  require_counts(agree(*group, own, [](const vote&, outcome&) {}));
  const outcome made =
      agree(*group, own, [](const vote&, outcome&) { throw error(errc::no_space, "the disk is full"); });
  EXPECT_TRUE(fails_with(errc::no_space, "the disk is full", [&] { require_counts(made); }));
  EXPECT_EQ(why_not(made), "the disk is full");
}

TEST(an_agreement, cuts_long_reasons_short) {
  const std::string words(5000, 'w');
  const std::string told = why_not(agreed_after(error(errc::io, words)));
  EXPECT_GT(told.size(), 50u);
  EXPECT_TRUE(words.starts_with(told));
}

TEST(an_agreement, has_a_name_for_each_step) {
  const std::pair<step, const char*> names[] = {
      {step::create, "creates a set of stores"},
      {step::create_parts, "creates a set of stores"},
      {step::open, "opens a set of stores"},
      {step::open_parts, "opens a set of stores"},
      {step::open_read_only, "opens a set of stores for reading"},
      {step::look_at_parts, "opens a set of stores for reading"},
      {step::open_or_create, "opens or creates a set of stores"},
      {step::checkpoint, "makes a checkpoint"},
      {step::checkpoint_after_a_look, "makes a checkpoint"},
      {step::close, "closes the set"},
      {step::close_after_a_look, "closes the set"},
      {step::closed, "closes the set"},
      {step::discard, "discards its changes"},
      {step::snapshot, "takes a snapshot"},
      {step::copy, "copies a set"},
      {step::copied, "ends a copy"},
      {step::repartition, "divides a set anew"},
      {step::repartitioned, "divides a set anew"},
      {step::old_parts_removed, "divides a set anew"},
      {step::plan_division, "divides arrays of a set by rules of its own"},
      {step::none, "does nothing"},
  };
  for (const auto& [what, name] : names) EXPECT_STREQ(doing(what), name);
}

}  // namespace
}  // namespace perdure::detail
