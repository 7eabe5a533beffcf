// A program that stores what only its present run can use.
#define PERDURE_METALL_ANY_TYPE 1

#include <stdexcept>
#include <string>
#include <vector>

#include "compat/metall/metall_test.hpp"

namespace {

struct any_type_test : metall_test {
  metall::manager manager{metall::create_only, path()};
};

TEST_F(any_type_test, PointersAndStandardContainersAreAccepted) {
  struct counted {
    int* count;
    ~counted() { --*count; }
  };
  int count = 1;
  manager.construct<counted>("counted")()->count = &count;
  EXPECT_TRUE(manager.destroy<counted>("counted"));
  EXPECT_EQ(count, 0);
  manager.construct<std::vector<std::string>>("texts")(3U, "text");
  EXPECT_EQ(manager.find<std::vector<std::string>>("texts").first->size(), 3U);
  EXPECT_TRUE(manager.destroy<std::vector<std::string>>("texts"));
}

TEST_F(any_type_test, WhatDestructorsThrowIsThrown) {
  struct loud {
    ~loud() noexcept(false) { throw std::runtime_error("destroyed"); }
  };
  manager.construct<loud>(metall::unique_instance)();
  EXPECT_THROW(manager.destroy<loud>(metall::unique_instance), std::runtime_error);
  EXPECT_EQ(manager.find<loud>(metall::unique_instance).first, nullptr);
}

}  // namespace
