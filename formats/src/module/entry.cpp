// A module's side of the tables: no exception leaves it.
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <perdure/error.hpp>

#include "module/format.hpp"
#include "module/table.hpp"
#include "module/translation.hpp"

namespace perdure::formats::modules {
namespace {

const program_table* program = nullptr;

/// Thrown where the program's own function has failed, which knows why.
struct program_failed {};

void require(bool done) {
  if (!done) throw program_failed();
}

template <class Action>
bool guarded(void* call, Action&& action) noexcept {
  const auto fail = [&](errc code, std::string_view what) {
    program->fail(call, static_cast<std::int32_t>(code), to_text(what));
  };
  try {
    action();
    return true;
  } catch (const program_failed&) {
  } catch (const error& failure) {
    fail(failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "there is not enough memory");
  } catch (const std::exception& failure) {
    fail(errc::io, failure.what());
  } catch (...) {
    fail(errc::io, "an unknown failure");
  }
  return false;
}

/// An array of the program's that is written.
class program_source final : public array_source {
 public:
  program_source(void* call, std::size_t number, array_description what)
      : array_source(std::move(what)), call_(call), number_(number) {}

  void read(const slab& part, std::byte* to) override {
    const shape offset = to_shape(part.offset);
    const shape count = to_shape(part.count);
    require(program->read(call_, number_, &offset, &count, to));
  }
  variable_elements read_variable() override {
    variable_elements all;
    require(program->read_variable(call_, number_, &all, [](void* receiver, const elements* given) -> bool {
      try {
        *static_cast<variable_elements*>(receiver) = from_elements(*given);
        return true;
      } catch (const std::bad_alloc&) {
        return false;
      }
    }));
    return all;
  }
  std::optional<std::vector<slab>> stored_parts() override {
    std::vector<slab> parts;
    bool is_sparse = false;
    require(program->stored_parts(
        call_, number_, &parts,
        [](void* receiver, const shape* offset, const shape* count) -> bool {
          try {
            static_cast<std::vector<slab>*>(receiver)->push_back(
                {from_shape(*offset), from_shape(*count), {}});
            return true;
          } catch (const std::bad_alloc&) {
            return false;
          }
        },
        &is_sparse));
    if (!is_sparse) return std::nullopt;
    return parts;
  }

 private:
  void* call_;
  std::size_t number_;
};

void* open(void* call, text path, text member) {
  std::unique_ptr<array_sources> file;
  const bool done = guarded(call, [&] {
    opened_arrays found =
        open_file(std::string(from_text(path)),
                  {std::string(from_text(member)), [call] { require(program->before_array(call)); }});
    for (const loss& one : found.losses)
      require(program->add_loss(call, to_text(one.array), to_text(one.what)));
    file = std::make_unique<array_sources>(std::move(found.sources));
    for (const auto& one : *file) {
      const described what(one->what());
      const description table = what.table();
      require(program->add_array(call, &table));
    }
  });
  return done ? file.release() : nullptr;
}

void close(void* file) {
  delete static_cast<array_sources*>(file);
}

array_source& source_in(void* file, std::size_t array) {
  return *(*static_cast<array_sources*>(file))[array];
}

bool read(void* call, void* file, std::size_t array, const shape* offset, const shape* count, void* to) {
  return guarded(call, [&] {
    source_in(file, array).read({from_shape(*offset), from_shape(*count), {}}, static_cast<std::byte*>(to));
  });
}

bool read_variable(void* call, void* file, std::size_t array) {
  return guarded(call, [&] {
    const variable_elements all = source_in(file, array).read_variable();
    const elements table = to_elements(all);
    require(program->take_elements(call, &table));
  });
}

bool stored_parts(void* call, void* file, std::size_t array, bool* is_sparse) {
  return guarded(call, [&] {
    const auto parts = source_in(file, array).stored_parts();
    *is_sparse = parts.has_value();
    if (!parts) return;
    for (const slab& one : *parts) {
      const shape offset = to_shape(one.offset);
      const shape count = to_shape(one.count);
      require(program->add_part(call, &offset, &count));
    }
  });
}

bool write(void* call, text path, const description* arrays, std::size_t count, bool compressed) {
  return guarded(call, [&] {
    array_sources sources;
    std::vector<array_source*> all;
    for (std::size_t i = 0; i < count; ++i) {
      sources.push_back(std::make_unique<program_source>(call, i, from_description(arrays[i])));
      all.push_back(sources.back().get());
    }
    write_file(std::string(from_text(path)), all, compressed, [call](const loss& one) {
      require(program->add_loss(call, to_text(one.array), to_text(one.what)));
    });
  });
}

constexpr format_table functions{table_version, open, close, read, read_variable, stored_parts, write};

}  // namespace
}  // namespace perdure::formats::modules

extern "C" [[gnu::visibility("default")]] const perdure::formats::modules::format_table*
perdure_format_module(const perdure::formats::modules::program_table* given) {
  using namespace perdure::formats::modules;
  if (given->version != table_version) return nullptr;
  program = given;
  return &functions;
}
