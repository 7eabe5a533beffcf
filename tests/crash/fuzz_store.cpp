// Fuzzing of stores: the input is a script of changes to the files of a sound store, after which all
// checksums are right again. Whatever the files claim then, the library may refuse it or take it, but must
// not die of it, nor throw anything but its own errors and `std::bad_alloc`.
//
// What a program stored in its objects is its own affair and is not looked at.
#include <cstdlib>
#include <filesystem>
#include <perdure/manager.hpp>
#include <stdexcept>

#include "crash/fuzz_script.hpp"
#include "crash/scratch.hpp"
#include "crash/store_files.hpp"
#include "crash/store_mutation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;
using namespace perdure::crash;
using perdure::scratch_directory;

store_options small_store() {
  store_options options;
  options.capacity = std::size_t{1} << 30;
  options.home_file_size = std::size_t{16} << 20;
  return options;
}

void fill(manager& store) {
  store.construct<int>("one")(1);
  store.construct<long>("many")[1000](2);
  store.construct<double>(unique_instance)(3.0);
  store.construct<char>(anonymous_instance)[70'000]('x');
  for (int i = 0; i < 20; ++i) store.construct<short>(("object " + std::to_string(i)).c_str())(short{4});
  store.set_attribute("one", "unit", "metre");
  store.set_attribute("one", "note", std::string(300, 'n'));
  store.set_attribute("many", "unit", "second");
}

/// The stores that scripts change: one closed, one left when a checkpoint was committed and its pages were
/// home, but neither table nor super block had heard of it.
struct originals {
  originals() {
    const std::filesystem::path path = here.directory() / "original";
    manager(create_only, path, small_store()).close();
    {
      manager store(open_only, path);
      fill(store);
      void* const gap = store.allocate(3 << 20);
      store.allocate(40'000);
      store.deallocate(gap);
      store.close();
    }
    unfinished = read_files(path);
    {
      manager store(open_only, path);
      store.destroy<short>("object 7");
      store.construct<char>("later")[100'000]('y');
      store.checkpoint("labelled");
    }
    closed = read_files(path);
    for (const auto& [name, content] : closed)
      if (name != "super" && name != "crc") unfinished[name] = content;
    set_close_failure_handler([](const std::filesystem::path&, const char*) {});
  }

  scratch_directory here{place_for_rigs()};
  store_files closed;
  store_files unfinished;
};

template <class Action>
void trying(Action&& action) {
  try {
    action();
  } catch (const error&) {
  } catch (const std::bad_alloc&) {
  }
}

void walk(const manager& store) {
  for (const object_range& all : {store.named_objects(), store.unique_objects(), store.anonymous_objects()}) {
    for (auto at = all.begin(); at != all.end(); ++at) {
      trying([&] {
        const object_info info = *at;
        // Names are bytes of the segment: read them all.
        const std::string name(info.name());
        const std::string type(info.mangled_type_name());
        for (const attribute& one : info.attributes())
          static_cast<void>(store.attribute(info.value(), one.key));
      });
    }
  }
  trying([&] { static_cast<void>(store.find<int>("one")); });
  trying([&] { static_cast<void>(store.find<long>("many")); });
  trying([&] { static_cast<void>(store.attributes("one")); });
  trying([&] { static_cast<void>(store.get_free_memory()); });
}

// What the checks find sound can be worked with, and stays sound.
void work(manager& store) {
  store.find_or_construct<int>("new")(5);
  store.set_attribute("new", "key", "value");
  for (const std::size_t bytes : {8, 200, 5000, 100'000, 3'000'000}) store.deallocate(store.allocate(bytes));
  store.allocate(300);
  store.destroy<int>("new");
  store.checkpoint("fuzzed");
  if (const auto wrong = store.check(); !wrong.empty())
    throw std::logic_error("a sound store is not sound any more: " + wrong.front());
  store.close();
}

// `choice` is of what is done besides.
void use(const std::filesystem::path& path, std::uint8_t choice) {
  trying([&] { static_cast<void>(store_maintenance::inspect(path)); });
  trying([&] { static_cast<void>(store_maintenance::log(path)); });
  verify_options alone;
  alone.threads = 1;
  trying([&] { static_cast<void>(manager::verify(path, alone)); });
  trying([&] {
    const manager store(open_read_only, path);
    walk(store);
    static_cast<void>(store.check());
  });
  if (choice % 8 == 0) trying([&] { store_maintenance::copy(path, path.parent_path() / "copy"); });
  if (choice % 8 == 1) {
    trying([&] {
      store_options options;
      options.backing = backing::shared_file;
      datastore::open(path, options)->close();
    });
  }
  if (choice % 4 == 2) {
    trying([&] {
      repair_options options;
      options.threads = 1;
      options.accept_damage = choice >= 128;
      static_cast<void>(store_maintenance::repair(path, options));
    });
  }
  trying([&] {
    manager store(open_only, path);
    walk(store);
    const bool sound = store.check().empty();
    if (sound) return work(store);
    trying([&] { store.checkpoint(); });
    store.discard();
  });
  trying([&] { static_cast<void>(manager::verify(path, alone)); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const originals from;
  fuzz_script script({data, size});
  store_files files = script.byte() % 2 == 0 ? from.closed : from.unfinished;
  const std::uint8_t choice = script.byte();
  store_mutation(files).run(script);
  const std::filesystem::path path = from.here.directory() / "store";
  write_files(files, path);
  std::filesystem::remove_all(from.here.directory() / "copy");
  use(path, choice);
  return 0;
}
