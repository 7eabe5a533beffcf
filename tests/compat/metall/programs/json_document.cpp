// A JSON document that each run changes.
#include <iostream>
#include <metall/json/json.hpp>
#include <metall/metall.hpp>

using document = metall::json::value<metall::manager::allocator_type<std::byte>>;

int main(int, char** argv) {
  if (!metall::manager::consistent(argv[1])) {
    metall::manager manager(metall::create_only, argv[1], std::size_t{1} << 30);
    const auto* const made = manager.construct<document>("document")(metall::json::parse(
        R"({"title": "On paper", "pages": 12, "tags": ["a", "b"]})", manager.get_allocator()));
    std::cout << *made << '\n';
    return 0;
  }
  metall::manager manager(metall::open_only, argv[1]);
  document& found = *manager.find<document>("document").first;
  found.as_object()["title"].as_string() = "On disk";
  found.as_object()["pages"] = 13;
  found.as_object()["price"] = 25.5;
  found.as_object().erase("tags");
  metall::json::pretty_print(std::cout, found);
  std::cout << (found.as_object()["title"] == "On disk" ? "as expected" : "not as expected") << '\n';
  return 0;
}
