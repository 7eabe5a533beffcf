// Interface of a program and the module of a format: two tables of functions. Nothing else
// crosses, no symbol, no exception and no memory that the other side frees, so a module works in every
// program, however that is linked. Both sides are built from this header, and `table_version` says whether
// from the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>

namespace perdure::formats::modules {

inline constexpr std::uint32_t table_version = 2;

/// Characters or bytes that belong to the caller, valid during the call.
struct text {
  const char* data = nullptr;
  std::size_t size = 0;
};

struct shape {
  std::size_t rank = 0;
  std::uint64_t extent[max_rank] = {};
};

struct attribute {
  text key;
  text type;  // as `data_type::text`
  shape dims;
  text bytes;
};

/// An `array_description`.
struct description {
  text name;
  text type;
  shape dims;
  const text* dimensions = nullptr;  // one for each dimension, or null
  shape chunk;
  const attribute* attributes = nullptr;
  std::size_t attribute_count = 0;
};

/// A `variable_elements`.
struct elements {
  const std::uint64_t* ends = nullptr;
  std::size_t count = 0;
  text bytes;
};

// Functions that return a bool return whether they succeeded. `call` stands for one call of the program's: it
// is what the program gave, and is handed back.

/// Functions of the program.
struct program_table {
  std::uint32_t version;
  /// Says why a function of the module fails: the number of an `errc`, and a sentence.
  void (*fail)(void* call, std::int32_t code, text what);
  /// Takes the next array of a file that is opened.
  bool (*add_array)(void* call, const description* what);
  /// Is called before an array or group of a file that is opened is looked at.
  bool (*before_array)(void* call);
  /// Takes what a file that is opened has and cannot be read, or what a file that is written cannot hold.
  bool (*add_loss)(void* call, text array, text what);
  /// Takes the next part of an array for `stored_parts` of the module.
  bool (*add_part)(void* call, const shape* offset, const shape* count);
  /// Takes the elements that `read_variable` of the module was called for.
  bool (*take_elements)(void* call, const elements* all);
  /// Reads of the arrays that are written. Where they fail the program knows why, and `fail` need not be
  /// called.
  bool (*read)(void* call, std::size_t array, const shape* offset, const shape* count, void* to);
  bool (*read_variable)(void* call, std::size_t array, void* receiver,
                        bool (*receive)(void* receiver, const elements* all));
  /// Gives the parts of an array that is written; none, and `*is_sparse` false, if all of it is stored.
  bool (*stored_parts)(void* call, std::size_t array, void* receiver,
                       bool (*receive)(void* receiver, const shape* offset, const shape* count),
                       bool* is_sparse);
};

/// Functions of a module, each of which but `close` calls `fail` before it fails.
struct format_table {
  std::uint32_t version;
  /// Opens a file, or only its array `member` if that is not empty, and gives its arrays to `add_array`; null
  /// where it fails.
  void* (*open)(void* call, text path, text member);
  void (*close)(void* file);
  /// Reads of the array of that number, in the order in which they were added.
  bool (*read)(void* call, void* file, std::size_t array, const shape* offset, const shape* count, void* to);
  bool (*read_variable)(void* call, void* file, std::size_t array);
  /// Gives the stored parts of an array to `add_part`; none, and `*is_sparse` false, if all of it is stored.
  bool (*stored_parts)(void* call, void* file, std::size_t array, bool* is_sparse);
  /// Writes a new file.
  bool (*write)(void* call, text path, const description* arrays, std::size_t count, bool compressed);
};

/// The one symbol of a module, called once it is loaded: takes the program's table, which stays where it is,
/// and returns its own; null where the program's is of another version.
using entry = const format_table* (*)(const program_table* program);
inline constexpr const char* entry_name = "perdure_format_module";

}  // namespace perdure::formats::modules
