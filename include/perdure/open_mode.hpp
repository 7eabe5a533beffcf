// Tags that choose how a store is opened and which object is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/cxx20.hpp>
#include <string_view>
#include <type_traits>

namespace perdure {

/// Types of the tags below.
///@{
struct create_only_t {};
struct open_only_t {};
struct open_read_only_t {};
struct open_copy_on_write_t {};
struct open_or_create_t {};
///@}

/// Creates a new store; `already_exists` if the path is taken.
inline constexpr create_only_t create_only{};
/// Opens an existing store for reading and writing.
inline constexpr open_only_t open_only{};
/// Opens an existing store for reading; many processes may do so at once.
inline constexpr open_read_only_t open_read_only{};
/// Opens as `open_read_only`, but objects may be changed in memory. The changes are this process's own, and
/// are dropped when it closes the store.
inline constexpr open_copy_on_write_t open_copy_on_write{};
/// Opens the store, or creates it where there is none.
inline constexpr open_or_create_t open_or_create{};

/// Types of the tags below.
///@{
struct unique_instance_t {};
struct anonymous_instance_t {};
///@}

/// Stands in place of a name for the only object of its type.
inline constexpr unique_instance_t unique_instance{};
/// Stands in place of a name for an object that is reached only through pointers.
inline constexpr anonymous_instance_t anonymous_instance{};

/// The way in which an object is found again.
enum class instance_kind : std::uint8_t { named, unique, anonymous };

/// The longest name of an object, in bytes.
inline constexpr std::size_t max_name_length = 65535;

/// A name, or one of the tags above, as `construct`, `find` and `destroy` take it. A name has any bytes.
/// Refers to the caller's characters: use it only as an argument.
class object_name {
 public:
  /// Refers to a name, which ends at a zero or has the bytes of a string, or means a tag. A null pointer is
  /// an empty name, which no object has.
  ///@{
  object_name(const char* name) noexcept : name_(name == nullptr ? std::string_view{} : name) {}
  template <class S>
    requires std::is_convertible_v<const S&, std::string_view>
  object_name(const S& name) noexcept : name_(name) {}
  object_name(unique_instance_t) noexcept : kind_(instance_kind::unique) {}
  object_name(anonymous_instance_t) noexcept : kind_(instance_kind::anonymous) {}
  ///@}

  /// Returns how the object is found again.
  instance_kind kind() const noexcept { return kind_; }
  /// Returns the name; empty unless `kind()` is `named`.
  std::string_view name() const noexcept { return name_; }

 private:
  std::string_view name_;
  instance_kind kind_ = instance_kind::named;
};

}  // namespace perdure
