// Makes a store with objects and arrays of C++, for the tests of the Python package.
#include <perdure/array_store.hpp>
#include <perdure/perdure.hpp>
#include <string>
#include <vector>

struct particle {
  double x;
  float mass[3];
  int id;
};

int main(int, char** arguments) {
  perdure::manager store(perdure::create_only, arguments[1]);
  auto& words = *store.construct<perdure::flat_map<perdure::string, long>>("words")();
  words["be"] = 2;
  words["to"] = 3;
  auto& numbers = *store.construct<perdure::vector<double>>("numbers")();
  for (int i = 0; i < 5; ++i) numbers.push_back(i * 0.5);
  *store.construct<perdure::string>("text")() = "hello";
  store.construct<perdure::vector<perdure::string>>("names")()->emplace_back("a");
  store.construct<int>("counter")(42);
  store.construct<particle>("particles")[3]()[1].id = 7;
  perdure::array_store arrays(store);
  arrays.store("array", std::vector<int>{1, 2, 3});
  arrays.store("line", std::string("cpp"));
  arrays.store("lines", std::vector<std::string>{"p", "q"});
  arrays.store("lists", std::vector<std::vector<int>>{{1}, {2, 3}});
  arrays.store("structs", std::vector<particle>(2));
  store.close();
}
