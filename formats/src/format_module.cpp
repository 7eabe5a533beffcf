// Finds and loads modules; the program's side of the tables.
#include "format_module.hpp"

#include <dlfcn.h>

#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <perdure/error.hpp>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "module/table.hpp"
#include "module/translation.hpp"

namespace perdure::formats {
namespace {

using namespace modules;

/// Outcome of a call of a module's function.
struct module_call {
  std::span<array_source* const> written = {};
  const loss_sink* report = nullptr;
  const opening* how = nullptr;
  std::vector<array_description> added = {};
  std::vector<loss> losses = {};
  std::vector<slab> parts = {};
  variable_elements taken = {};
  std::exception_ptr failure = {};

  [[noreturn]] void raise() const {
    if (failure) std::rethrow_exception(failure);
    throw error(errc::io, "a module failed and did not say why");
  }
  void require(bool done) const {
    if (!done) raise();
  }
};

template <class Action>
bool kept_failure(void* call, Action&& action) noexcept {
  auto& state = *static_cast<module_call*>(call);
  try {
    action(state);
    return true;
  } catch (...) {
    state.failure = std::current_exception();
    return false;
  }
}

void fail(void* call, std::int32_t code, text what) {
  kept_failure(call, [&](module_call&) {
    if (static_cast<errc>(code) == errc::out_of_memory) throw std::bad_alloc();
    throw error(static_cast<errc>(code), std::string(from_text(what)));
  });
}

constexpr program_table functions{
    table_version,
    fail,
    [](void* call, const description* what) {
      return kept_failure(call, [&](module_call& state) { state.added.push_back(from_description(*what)); });
    },
    [](void* call) {
      return kept_failure(call, [](const module_call& state) {
        if (state.how->before_array) state.how->before_array();
      });
    },
    [](void* call, text array, text what) {
      return kept_failure(call, [&](module_call& state) {
        loss one{std::string(from_text(array)), std::string(from_text(what))};
        if (state.report != nullptr)
          (*state.report)(one);
        else
          state.losses.push_back(std::move(one));
      });
    },
    [](void* call, const shape* offset, const shape* count) {
      return kept_failure(call, [&](module_call& state) {
        state.parts.push_back({from_shape(*offset), from_shape(*count), {}});
      });
    },
    [](void* call, const elements* all) {
      return kept_failure(call, [&](module_call& state) { state.taken = from_elements(*all); });
    },
    [](void* call, std::size_t array, const shape* offset, const shape* count, void* to) {
      return kept_failure(call, [&](module_call& state) {
        state.written[array]->read({from_shape(*offset), from_shape(*count), {}},
                                   static_cast<std::byte*>(to));
      });
    },
    [](void* call, std::size_t array, void* receiver, bool (*receive)(void*, const elements*)) {
      return kept_failure(call, [&](module_call& state) {
        const variable_elements all = state.written[array]->read_variable();
        const elements table = to_elements(all);
        if (!receive(receiver, &table)) throw std::bad_alloc();
      });
    },
    [](void* call, std::size_t array, void* receiver, bool (*receive)(void*, const shape*, const shape*),
       bool* is_sparse) {
      return kept_failure(call, [&](module_call& state) {
        const auto parts = state.written[array]->stored_parts();
        *is_sparse = parts.has_value();
        if (!parts) return;
        for (const slab& one : *parts) {
          const shape offset = to_shape(one.offset);
          const shape count = to_shape(one.count);
          if (!receive(receiver, &offset, &count)) throw std::bad_alloc();
        }
      });
    }};

/// Where modules are looked for; empty where only the dynamic loader knows.
std::vector<std::filesystem::path> module_directories() {
  if (const auto chosen = base::directory_in("PERDURE_FORMAT_MODULES"))
    return {std::filesystem::path(*chosen)};
  std::vector<std::filesystem::path> directories;
  std::error_code problem;
  const auto add = [&](const std::filesystem::path& beside) {
    directories.push_back((beside / PERDURE_BIN_TO_MODULES).lexically_normal());
    directories.push_back(beside / "perdure");
  };
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) add(program.parent_path());
  // A shared library that this is in.
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&functions), &here) != 0 && here.dli_fname != nullptr) {
    const std::filesystem::path object = std::filesystem::canonical(here.dli_fname, problem);
    if (!problem && object != program) add(object.parent_path());
  }
  return directories;
}

void* load_module(const std::string& file, const std::vector<std::filesystem::path>& directories) {
  for (const std::filesystem::path& directory : directories) {
    std::error_code ignored;
    const std::filesystem::path path = directory / file;
    if (!std::filesystem::exists(path, ignored)) continue;
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr)
      throw error(errc::unsupported, path.string() + " cannot be loaded: " + ::dlerror() +
                                         "; install the library that it needs");
    return module;
  }
  // In the program's run path.
  return base::directory_in("PERDURE_FORMAT_MODULES") ? nullptr
                                                      : ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

[[noreturn]] void refuse_missing(const std::string& name, const std::string& file,
                                 const std::vector<std::filesystem::path>& directories) {
  std::string searched;
  for (const std::filesystem::path& one : directories)
    searched += (searched.empty() ? "" : ", ") + one.string();
  throw error(errc::unsupported, "there is no module " + file + " for this format in " + searched +
                                     ": install Perdure from a build beside lib" + name +
                                     " (the package lib" + name +
                                     "-dev), or name the module's directory in PERDURE_FORMAT_MODULES");
}

/// Null where there is none. Modules stay loaded.
const format_table* find_module(const std::string& name, bool is_required) {
  static std::mutex mutex;
  static std::map<std::string, const format_table*> loaded;
  const std::lock_guard lock(mutex);
  if (const auto known = loaded.find(name); known != loaded.end()) return known->second;
  const std::string file = "perdure_" + name + ".so";
  const std::vector<std::filesystem::path> directories = module_directories();
  void* const module = load_module(file, directories);
  if (module == nullptr) {
    if (is_required) refuse_missing(name, file, directories);
    return nullptr;
  }
  const auto function = reinterpret_cast<entry>(::dlsym(module, entry_name));
  const format_table* const table = function == nullptr ? nullptr : function(&functions);
  if (table == nullptr || table->version != table_version) {
    ::dlclose(module);
    throw error(errc::unsupported,
                "the module " + file + " is of another version of Perdure: install both from one build");
  }
  return loaded[name] = table;
}

class module_file {
 public:
  module_file(const format_table& format, void* file) : format_(format), file_(file) {}
  module_file(const module_file&) = delete;
  module_file& operator=(const module_file&) = delete;
  ~module_file() { format_.close(file_); }
  const format_table& format() const noexcept { return format_; }
  void* get() const noexcept { return file_; }

 private:
  const format_table& format_;
  void* file_;
};

class module_source final : public array_source {
 public:
  module_source(std::shared_ptr<const module_file> file, std::size_t number, array_description what)
      : array_source(std::move(what)), file_(std::move(file)), number_(number) {}

  void read(const slab& part, std::byte* to) override {
    const shape offset = to_shape(part.offset);
    const shape count = to_shape(part.count);
    module_call call;
    call.require(file_->format().read(&call, file_->get(), number_, &offset, &count, to));
  }
  variable_elements read_variable() override {
    module_call call;
    call.require(file_->format().read_variable(&call, file_->get(), number_));
    return std::move(call.taken);
  }
  std::optional<std::vector<slab>> stored_parts() override {
    module_call call;
    bool is_sparse = false;
    call.require(file_->format().stored_parts(&call, file_->get(), number_, &is_sparse));
    if (!is_sparse) return std::nullopt;
    return std::move(call.parts);
  }

 private:
  std::shared_ptr<const module_file> file_;
  std::size_t number_;
};

}  // namespace

bool has_format_module(const std::string& name) {
  try {
    return find_module(name, false) != nullptr;
  } catch (const error&) {
    return false;
  }
}

opened_arrays open_by_module(const std::string& name, const std::filesystem::path& path, const opening& how) {
  const format_table& format = *find_module(name, true);
  module_call call;
  call.how = &how;
  void* const opened = format.open(&call, to_text(path.native()), to_text(how.member));
  if (opened == nullptr) call.raise();
  const auto file = std::make_shared<const module_file>(format, opened);
  opened_arrays found;
  found.losses = std::move(call.losses);
  for (array_description& what : call.added)
    found.sources.push_back(std::make_unique<module_source>(file, found.sources.size(), std::move(what)));
  return found;
}

void write_by_module(const std::string& name, const std::filesystem::path& path,
                     std::span<array_source* const> arrays, bool compressed, const loss_sink& report) {
  const format_table& format = *find_module(name, true);
  module_call call;
  call.report = &report;
  call.written = arrays;
  std::vector<described> described_arrays;
  std::vector<description> descriptions;
  described_arrays.reserve(arrays.size());
  descriptions.reserve(arrays.size());
  for (const array_source* const one : arrays) described_arrays.emplace_back(one->what());
  for (const described& one : described_arrays) descriptions.push_back(one.table());
  call.require(
      format.write(&call, to_text(path.native()), descriptions.data(), descriptions.size(), compressed));
}

}  // namespace perdure::formats
