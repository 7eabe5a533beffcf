// The table of the environment's variables, what is made of their values, and the page that shows them.
#include "base/environment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <perdure/error.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace perdure::base {
namespace {

/// A variable has a value while it lives, and then again the one that it had.
class with_value {
 public:
  with_value(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  with_value(const with_value&) = delete;
  with_value& operator=(const with_value&) = delete;
  ~with_value() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <class Read>
std::string refusal(Read&& read) {
  try {
    read();
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), errc::invalid_argument);
    return failure.what();
  }
  return "";
}

TEST(the_environment, is_read_by_kind_of_value) {
  {
    const with_value set("PERDURE_BACKING", "dax");
    EXPECT_EQ(choice_in("PERDURE_BACKING"), 2U);
  }
  {
    const with_value set("PERDURE_KIND_CHECKS", "1");
    EXPECT_EQ(switch_in("PERDURE_KIND_CHECKS"), true);
    const with_value off("PERDURE_KIND_CHECKS", "0");
    EXPECT_EQ(switch_in("PERDURE_KIND_CHECKS"), false);
    const with_value empty("PERDURE_KIND_CHECKS", "");
    EXPECT_EQ(switch_in("PERDURE_KIND_CHECKS"), std::nullopt);
  }
  {
    const with_value set("PERDURE_MEMORY_BUDGET", "1099511627776");
    EXPECT_EQ(number_in("PERDURE_MEMORY_BUDGET"), std::uint64_t{1} << 40);
  }
  const with_value set("TMPDIR", "anything goes");
  EXPECT_EQ(directory_in("TMPDIR"), "anything goes");
}

TEST(the_environment, names_a_variable_its_value_and_what_it_may_be) {
  for (const char* const wrong : {"0", "1099511627777", "-1", "1 ", "4GiB", "99999999999999999999999999"}) {
    const with_value set("PERDURE_MEMORY_BUDGET", wrong);
    EXPECT_EQ(refusal([] { static_cast<void>(number_in("PERDURE_MEMORY_BUDGET")); }),
              std::string("PERDURE_MEMORY_BUDGET is '") + wrong +
                  "'; it may be a whole number of MiB from 1 to 1099511627776");
  }
  const with_value set("PERDURE_TRACKER", "uffdd");
  EXPECT_EQ(refusal([] { static_cast<void>(choice_in("PERDURE_TRACKER")); }),
            "PERDURE_TRACKER is 'uffdd'; it may be uffd, pagemap or mprotect");
  const with_value yes("PERDURE_HUGE_PAGES", "yes");
  EXPECT_EQ(refusal([] { static_cast<void>(switch_in("PERDURE_HUGE_PAGES")); }),
            "PERDURE_HUGE_PAGES is 'yes'; it may be 0 or 1");
}

TEST(the_environment, says_of_each_variable_what_it_is_for) {
  std::set<std::string> names;
  for (const environment_variable& one : environment) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name << " is there twice";
    EXPECT_TRUE(one.purpose.ends_with('.')) << one.name;
    EXPECT_FALSE(one.by_default.empty() || one.read_by.empty()) << one.name;
    EXPECT_TRUE(one.choices.empty() || one.unit.empty()) << one.name;
    EXPECT_TRUE(one.unit.empty() || one.least < one.most) << one.name;
  }
}

TEST(the_environment, is_what_its_page_shows) {
  std::string expected;
  for (const environment_variable& one : environment) {
    std::ostringstream row;
    row << "| `" << one.name << "` | " << one.purpose << " | " << allowed_values(one) << " | "
        << one.by_default << " | " << one.read_by << " |\n";
    expected += row.str();
  }
  std::string found;
  std::ifstream page(PERDURE_DOCS "/reference/environment.md");
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) found += line + '\n';
  EXPECT_EQ(found, expected) << "docs/reference/environment.md must have these rows:\n" << expected;
}

}  // namespace
}  // namespace perdure::base
