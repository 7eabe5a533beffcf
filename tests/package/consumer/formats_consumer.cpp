// A program outside the project: it writes files of arrays, imports them into a store, and prints what it
// finds.
#include <iostream>
#include <perdure/formats/store_exchange.hpp>
#include <vector>

int main(int, char** argv) {
  namespace formats = perdure::formats;
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  const std::vector<double> numbers{1, 2, 3, 4};
  const auto source =
      formats::source_of("numbers", perdure::array_view<const double, 2>(numbers.data(), {2, 2}));
  perdure::array_store store(perdure::create_only, directory / "store");
  for (const char* const name : {"a.npy", "b.h5"}) {
    // A module that is not there is refused with a sentence, which the test looks for.
    if (!formats::is_available(formats::format_named(name))) {
      try {
        formats::write_array(directory / name, *source);
      } catch (const perdure::error& failure) {
        std::cerr << failure.what() << '\n';
      }
      continue;
    }
    formats::write_array(directory / name, *source);
    const formats::array_file file(directory / name);
    for (const std::string& id : formats::import_arrays(store, "", file))
      std::cout << name << ' ' << id << ' ' << store.info(id).dims.text() << ' '
                << store.load<std::vector<double>>(id)[3] << '\n';
  }
  store.checkpoint();
}
