// Named arrays of plain data: made and found by their type in words that every language has.
#include "perdure/data_object.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "manager/stored_data_type.hpp"
#include "perdure/error.hpp"
#include "perdure/type_stamp.hpp"

namespace perdure::detail {

namespace {

void require_alignment(std::size_t alignment) {
  // What the heap can align to: see heap::allocate.
  constexpr std::size_t most = std::size_t{2} << 20;
  if (alignment != 0 && (!std::has_single_bit(alignment) || alignment > most))
    throw error(errc::invalid_argument, "an alignment of " + std::to_string(alignment) +
                                            " is asked for: take a power of two up to 2 MiB");
}

std::string quoted(const object_name& name) {
  return '"' + std::string(name.name()) + '"';
}

/// Constructs an object of zeros. Returns null if there is one already.
void* construct_zeros(manager_core& core, const object_name& name, const type_stamp& type,
                      std::uint64_t length, std::size_t alignment, if_exists policy, bool* created) {
  require_alignment(alignment);
  object_construction made(core, name, type, length, policy, alignment == 0 ? 1 : alignment);
  if (created != nullptr) *created = !made.exists();
  if (made.exists()) return nullptr;
  std::memset(made.object(), 0, length * type.size);
  made.publish();
  return made.object();
}

void require_enough(const object_name& name, const void* data, std::uint64_t has, std::uint64_t asked,
                    std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (has >= asked && (alignment == 0 || address % alignment == 0)) return;
  throw error(errc::wrong_type, "the object " + quoted(name) + " has " + std::to_string(has) +
                                    " elements at a multiple of " + std::to_string(address & (~address + 1)) +
                                    "; asked for were " + std::to_string(asked) + " at a multiple of " +
                                    std::to_string(alignment == 0 ? 1 : alignment));
}

[[noreturn]] void throw_more_than_data(const std::string& object, const std::string& type) {
  throw error(errc::wrong_type,
              object + " is a " + type + ", and no array of numbers or of structs of numbers");
}

}  // namespace

data_object construct_data(manager_core& core, const object_name& name, const data_type& type,
                           std::uint64_t length, std::size_t alignment, if_exists policy, bool* created) {
  if (type.is_variable())
    throw error(errc::invalid_argument,
                "elements of any length (" + type.text() + ") cannot lie in an object beside each other");
  if (name.kind() == instance_kind::unique)
    throw error(errc::invalid_argument, "data needs a name, as many objects have the same type");
  const std::uint64_t size = type.size();
  if (size == 0 || length > std::numeric_limits<std::ptrdiff_t>::max() / size)
    throw error(errc::invalid_argument, std::to_string(length) + " elements of " + type.text() +
                                            " are asked for, which is nothing or more than there can be");
  const language_neutral_stamp stamp(type);
  bool is_new = false;
  void* data = nullptr;
  try {
    data = construct_zeros(core, name, stamp.get(), length, alignment, policy, &is_new);
  } catch (const error& failure) {
    // Another program's name for a type that is the same in every language.
    if (failure.code() != errc::wrong_type || policy == if_exists::fail) throw;
  }
  if (created != nullptr) *created = is_new;
  if (is_new) return {type, length, data};
  data_object found = find_data(core, name);
  if (!(found.type == type))
    throw error(errc::wrong_type,
                "the object " + quoted(name) + " is of type " + found.type.text() + ", not " + type.text());
  require_enough(name, found.data, found.length, length, alignment);
  return found;
}

data_object find_data(const manager_core& core, const object_name& name) {
  data_object found;
  std::string other;
  core.visit(name, [&](const object_info& object) {
    if (const auto type =
            stored_data_type(object.mangled_type_name(), object.element_size(), object.layout())) {
      found = {*type, object.length(), object.value()};
    } else {
      other = short_type_name(object.type_name());
    }
  });
  if (!other.empty()) throw_more_than_data("the object " + quoted(name), other);
  return found;
}

bool destroy_data(manager_core& core, const object_name& name) {
  const data_object found = find_data(core, name);
  return found && core.deallocate_object(found.data);
}

void destroy_data_at(manager_core& core, const void* data) {
  const object_info object = core.describe(data);
  if (!object.data_type())
    throw_more_than_data("the object at this address", short_type_name(object.type_name()));
  core.deallocate_object(object.value());
}

}  // namespace perdure::detail
