// Hash functions whose values are part of the stored format: the same on every machine, compiler and run.
//
// std::hash may differ between libraries and runs, so a table built with it could not be found again.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <perdure/cxx20.hpp>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace perdure {

static_assert(std::endian::native == std::endian::little, "stored hashes assume little-endian loads");

namespace detail {
// Odd constants with as many ones as zeros, without structure: digits of the fractional part of pi.
inline constexpr std::uint64_t hash_key_0 = 0x243f6a8885a308d3U;
inline constexpr std::uint64_t hash_key_1 = 0x9e3779b97f4a7c15U;
inline constexpr std::uint64_t hash_key_2 = 0xa4093822299f31d1U;
inline constexpr std::uint64_t hash_key_3 = 0x082efa98ec4e6c89U;

/// Both halves of the 128-bit product, folded: every input bit reaches every output bit.
constexpr std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load_64(const unsigned char* p) noexcept {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}
inline std::uint64_t load_32(const unsigned char* p) noexcept {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

/// False, but not before it is asked for one type.
template <class T>
inline constexpr bool hashable_otherwise = false;
}  // namespace detail

/// Mixes 64 bits so that any of the result's bits can choose a place in a table. One folded multiplication
/// leaves structured keys (packed pairs, strides) up to twice as crowded as chance would; two do not.
constexpr std::uint64_t hash_mix(std::uint64_t value) noexcept {
  return detail::fold_multiply(detail::fold_multiply(value, detail::hash_key_1), detail::hash_key_1);
}

/// Adds one more value to a hash; the order matters. Integers count as they are; there is another form,
/// below, for everything else that `hash` knows.
constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t value) noexcept {
  return detail::fold_multiply(seed ^ detail::hash_key_2, value ^ detail::hash_key_3);
}

/// The seed that a key's `hash_value` passes on to `hash_combine`. A table with too many keys of one hash
/// changes all its hashes by it. The default changes nothing.
class hash_seed {
 public:
  /// Makes the seed that changes nothing, or that of a table.
  ///@{
  constexpr hash_seed() noexcept = default;
  explicit constexpr hash_seed(std::uint16_t of_table) noexcept : of_table_(of_table) {}
  ///@}
  /// Returns the table's number; 0 changes nothing.
  constexpr std::uint16_t of_table() const noexcept { return of_table_; }

 private:
  std::uint16_t of_table_ = 0;
};

namespace detail {
/// Returns the change that a table's seed makes in every key of a hash; 0 for a table without one.
constexpr std::uint64_t key_change(std::uint16_t table_seed) noexcept {
  return hash_mix(table_seed);
}
/// A seed for a table, other than 0, that nobody can foresee.
std::uint16_t new_table_seed() noexcept;

[[gnu::always_inline]] inline std::uint64_t hash_bytes_changed(const void* data, std::size_t length,
                                                               std::uint64_t change) noexcept {
  const std::uint64_t key_1 = hash_key_1 ^ change;
  const std::uint64_t key_2 = hash_key_2 ^ change;
  const std::uint64_t key_3 = hash_key_3 ^ change;
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t seed = hash_key_0 ^ length ^ change;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (length <= 16) {
    if (length >= 8) {
      a = load_64(p);
      b = load_64(p + length - 8);
    } else if (length >= 4) {
      a = load_32(p);
      b = load_32(p + length - 4);
    } else if (length != 0) {
      a = (std::uint64_t{p[0]} << 16) | (std::uint64_t{p[length >> 1]} << 8) | p[length - 1];
    }
  } else {
    std::size_t left = length;
    if (left > 48) {
      std::uint64_t lane_1 = seed;
      std::uint64_t lane_2 = seed;
      for (; left > 48; left -= 48, p += 48) {
        seed = fold_multiply(load_64(p) ^ key_1, load_64(p + 8) ^ seed);
        lane_1 = fold_multiply(load_64(p + 16) ^ key_2, load_64(p + 24) ^ lane_1);
        lane_2 = fold_multiply(load_64(p + 32) ^ key_3, load_64(p + 40) ^ lane_2);
      }
      seed ^= lane_1 ^ lane_2;
    }
    for (; left > 16; left -= 16, p += 16) {
      seed = fold_multiply(load_64(p) ^ key_1, load_64(p + 8) ^ seed);
    }
    a = load_64(p + left - 16);
    b = load_64(p + left - 8);
  }
  const std::uint64_t folded = fold_multiply(a ^ key_1, b ^ seed);
  return fold_multiply(folded ^ key_2, seed ^ key_3);
}
}  // namespace detail

/// Returns the hash of a byte string of any length. Multiplies 16 bytes a step, three steps at a time when
/// the string is long.
inline std::uint64_t hash_bytes(const void* data, std::size_t length) noexcept {
  return detail::hash_bytes_changed(data, length, 0);
}

/// The default hash of `flat_map`, `flat_set` and the node-based tables.
///
/// It is defined for integers, enumerations, floating-point numbers (+0 and -0 alike), pairs, tuples, strings
/// and everything convertible to a string view. It is also defined for any type with a free function
/// `hash_value(const T&)`, or `hash_value(const T&, hash_seed = {})`, that argument-dependent lookup finds
/// and that returns an integer. Every result has all its bits mixed (`is_avalanching`): a table takes its
/// position from the low bits and a tag from the top 7. So data that the same hash divides among several
/// tables should be divided by the bits between (say, from bit 32 on).
///
/// `seeded` gives other hashes, for a table in which too many keys have the same; see flat_table.hpp. Keys
/// with a `hash_value` are told apart again only if that takes a seed.
template <class T>
struct hash {
  static_assert(
      detail::hashable_otherwise<T>,
      "perdure::hash does not know this type: beside it, write `std::uint64_t hash_value(const key&, "
      "perdure::hash_seed seed = {})` that returns perdure::hash_combine(seed, first, second) of its "
      "members, "
      "and operator==; or give the container a hash of your own");
  /// Tells tables that all bits of a result are mixed.
  using is_avalanching = void;
  /// Tells tables that `seeded` belongs to this class: one derived from it may have another `operator()`.
  using seeded_hash = hash;
  /// Returns the hash of a value.
  std::size_t operator()(const T&) const noexcept;
};

/// Integers and enumerations.
template <class T>
  requires(std::integral<T> || std::is_enum_v<T>)
struct hash<T> {
  /// Tells tables about this hash, as in `hash`.
  ///@{
  using is_avalanching = void;
  using seeded_hash = hash;
  ///@}
  /// Returns the hash of a value.
  constexpr std::size_t operator()(T value) const noexcept {
    return hash_mix(static_cast<std::uint64_t>(value));
  }
  /// Returns the hash that a table with this seed uses.
  constexpr std::size_t seeded(T value, std::uint16_t seed) const noexcept {
    return hash_mix(static_cast<std::uint64_t>(value) ^ detail::key_change(seed));
  }
};

/// Floating-point numbers of up to 8 bytes; +0 and -0 have the same hash.
template <std::floating_point T>
  requires(sizeof(T) <= 8)
struct hash<T> {
  /// Tells tables about this hash, as in `hash`.
  ///@{
  using is_avalanching = void;
  using seeded_hash = hash;
  ///@}
  /// Returns the hash of a value.
  constexpr std::size_t operator()(T value) const noexcept { return hash_mix(bits(value)); }
  /// Returns the hash that a table with this seed uses.
  constexpr std::size_t seeded(T value, std::uint16_t seed) const noexcept {
    return hash_mix(bits(value) ^ detail::key_change(seed));
  }

 private:
  static constexpr std::uint64_t bits(T value) noexcept {
    if (value == T{0}) return 0;
    if constexpr (sizeof(T) == 8) {
      return std::bit_cast<std::uint64_t>(value);
    } else {
      return std::bit_cast<std::uint32_t>(value);
    }
  }
};

namespace detail {
template <class T>
concept string_like = std::is_class_v<T> && requires {
  typename T::value_type;
  typename T::traits_type;
} && std::is_convertible_v<const T&, std::basic_string_view<typename T::value_type, typename T::traits_type>>;

template <class T>
concept has_hash_value = !string_like<T> && requires(const T& value) {
  { hash_value(value) } -> std::integral;
};
template <class T>
concept has_seeded_hash_value = has_hash_value<T> && requires(const T& value) {
  { hash_value(value, hash_seed()) } -> std::integral;
};

/// Whether the seeds of a table reach a `hash_value` in its keys.
template <class Function>
inline constexpr bool seeds_hash_values = false;
template <class Function>
  requires requires { Function::seeds_hash_values; }
inline constexpr bool seeds_hash_values<Function> = Function::seeds_hash_values;

/// A seed for a table with such hashes, which nobody can foresee. Odd just where it reaches a `hash_value`: a
/// table in a store that was seeded before its keys' `hash_value` took seeds is searched as it was filled.
template <class Function>
std::uint16_t new_seed_for() noexcept {
  const unsigned even = new_table_seed() & 0xfffeU;
  if (seeds_hash_values<Function>) return static_cast<std::uint16_t>(even | 1);
  return static_cast<std::uint16_t>(even == 0 ? 2 : even);
}
}  // namespace detail

/// Strings of any kind. Takes any string type of the same characters (transparent).
template <detail::string_like T>
struct hash<T> {
  /// Tells tables about this hash, as in `hash`.
  ///@{
  using is_avalanching = void;
  using seeded_hash = hash;
  using is_transparent = void;
  ///@}
  /// The view of strings of these characters.
  using view = std::basic_string_view<typename T::value_type, typename T::traits_type>;
  /// Returns the hash of a value.
  std::size_t operator()(view text) const noexcept {
    return hash_bytes(text.data(), text.size() * sizeof(typename T::value_type));
  }
  /// Returns the hash that a table with this seed uses.
  std::size_t seeded(view text, std::uint16_t seed) const noexcept {
    return detail::hash_bytes_changed(text.data(), text.size() * sizeof(typename T::value_type),
                                      detail::key_change(seed));
  }
};

namespace detail {
/// A user's specialisation for a type of theirs need not have it.
template <class T>
concept has_seeded = requires(const hash<std::remove_cv_t<T>>& function, const T& value, std::uint16_t seed) {
  function.seeded(value, seed);
};
}  // namespace detail

/// Pairs of types that have a hash.
template <class A, class B>
struct hash<std::pair<A, B>> {
  /// Tells tables about this hash, as in `hash`.
  ///@{
  using is_avalanching = void;
  using seeded_hash = hash;
  ///@}
  /// Whether seeds reach a `hash_value` of these keys.
  static constexpr bool seeds_hash_values = detail::seeds_hash_values<hash<std::remove_cv_t<A>>> ||
                                            detail::seeds_hash_values<hash<std::remove_cv_t<B>>>;
  /// Returns the hash of a value.
  constexpr std::size_t operator()(const std::pair<A, B>& value) const {
    return hash_combine(hash<std::remove_cv_t<A>>{}(value.first), hash<std::remove_cv_t<B>>{}(value.second));
  }
  /// Returns the hash that a table with this seed uses.
  constexpr std::size_t seeded(const std::pair<A, B>& value, std::uint16_t seed) const
    requires detail::has_seeded<A> && detail::has_seeded<B>
  {
    return hash_combine(hash<std::remove_cv_t<A>>{}.seeded(value.first, seed),
                        hash<std::remove_cv_t<B>>{}.seeded(value.second, seed));
  }
};

/// Tuples of types that have a hash.
template <class... Ts>
struct hash<std::tuple<Ts...>> {
  /// Tells tables about this hash, as in `hash`.
  ///@{
  using is_avalanching = void;
  using seeded_hash = hash;
  ///@}
  /// Whether seeds reach a `hash_value` of these keys.
  static constexpr bool seeds_hash_values = (detail::seeds_hash_values<hash<std::remove_cv_t<Ts>>> || ...);
  /// Returns the hash of a value.
  constexpr std::size_t operator()(const std::tuple<Ts...>& value) const {
    return std::apply(
        [](const Ts&... parts) {
          std::uint64_t seed = sizeof...(Ts);
          ((seed = hash_combine(seed, hash<std::remove_cv_t<Ts>>{}(parts))), ...);
          return seed;
        },
        value);
  }
  /// Returns the hash that a table with this seed uses.
  constexpr std::size_t seeded(const std::tuple<Ts...>& value, std::uint16_t table_seed) const
    requires(detail::has_seeded<Ts> && ...)
  {
    return std::apply(
        [table_seed](const Ts&... parts) {
          std::uint64_t seed = sizeof...(Ts) ^ detail::key_change(table_seed);
          ((seed = hash_combine(seed, hash<std::remove_cv_t<Ts>>{}.seeded(parts, table_seed))), ...);
          return seed;
        },
        value);
  }
};

/// Types with a function `hash_value`.
template <detail::has_hash_value T>
  requires(!std::integral<T> && !std::is_enum_v<T> && !std::floating_point<T>)
struct hash<T> {
  /// Tells tables about this hash, as in `hash`.
  ///@{
  using is_avalanching = void;
  using seeded_hash = hash;
  ///@}
  /// Whether seeds reach a `hash_value` of these keys.
  static constexpr bool seeds_hash_values = detail::has_seeded_hash_value<T>;
  /// Returns the hash of a value.
  std::size_t operator()(const T& value) const noexcept(noexcept(hash_value(value))) {
    return hash_mix(static_cast<std::uint64_t>(hash_value(value)));
  }
  /// Returns the hash that a table with this seed uses. Keys for which a `hash_value` without a seed is the
  /// same stay together.
  std::size_t seeded(const T& value, std::uint16_t seed) const noexcept(noexcept(hash_value(value))) {
    std::uint64_t own = 0;
    if constexpr (seeds_hash_values) {
      own = static_cast<std::uint64_t>((seed & 1) != 0 ? hash_value(value, hash_seed(seed))
                                                       : hash_value(value));
    } else {
      own = static_cast<std::uint64_t>(hash_value(value));
    }
    return hash_mix(own ^ detail::key_change(seed));
  }
};

namespace detail {
/// A type that converts to 64 bits without a change. A floating-point number would lose its fraction; an
/// object of a class may have more to it than the number it converts to.
template <class T>
concept plain_integer =
    std::is_convertible_v<T, std::uint64_t> && !std::is_floating_point_v<T> && !std::is_class_v<T>;

/// Returns the value of a member in `hash_combine`.
template <class T>
struct combined {
  static_assert(!std::is_pointer_v<T> && !std::is_array_v<T>,
                "perdure::hash_combine takes no pointers and arrays: give it a std::string_view for a text, "
                "and the elements of an array one by one");
  static constexpr bool refused = std::is_pointer_v<T> || std::is_array_v<T>;
  using function = hash<std::conditional_t<refused, int, T>>;
  static constexpr std::uint64_t of(const T& value) noexcept(refused || noexcept(function{}(value))) {
    if constexpr (refused) {
      return 0;
    } else {
      return function{}(value);
    }
  }
  static constexpr std::uint64_t of(const T& value, hash_seed seed) noexcept(noexcept(of(value))) {
    if constexpr (!refused && has_seeded<T>) {
      if (seed.of_table() != 0) return function{}.seeded(value, seed.of_table());
    }
    return of(value);
  }
};
template <plain_integer T>
struct combined<T> {
  static constexpr std::uint64_t of(T value, hash_seed = {}) noexcept {
    return static_cast<std::uint64_t>(value);
  }
};
}  // namespace detail

/// Combines two members of any types that `hash` knows: `hash_combine(name, weight)`, and for a third member
/// `hash_combine(hash_combine(name, weight), age)`. A member that is no integer counts by its hash.
template <class A, class B>
  requires(!std::same_as<A, hash_seed> && (!detail::plain_integer<A> || !detail::plain_integer<B>))
constexpr std::uint64_t hash_combine(const A& first, const B& second) noexcept(
    noexcept(detail::combined<A>::of(first)) && noexcept(detail::combined<B>::of(second))) {
  return hash_combine(detail::combined<A>::of(first), detail::combined<B>::of(second));
}

/// Combines all members of a key, for a `hash_value` that takes a seed. With the default seed the result is
/// that of `hash_combine(hash_combine(first, second), third)` and so on.
///
///     std::uint64_t hash_value(const person& p, perdure::hash_seed seed = {}) {
///       return perdure::hash_combine(seed, p.name, p.born, p.height);
///     }
template <class First, class... Others>
constexpr std::uint64_t hash_combine(hash_seed seed, const First& first, const Others&... others) noexcept(
    noexcept(detail::combined<First>::of(first)) && (noexcept(detail::combined<Others>::of(others)) && ...)) {
  const std::uint64_t change = detail::key_change(seed.of_table());
  std::uint64_t result = detail::combined<First>::of(first, seed);
  ((result = detail::fold_multiply(result ^ detail::hash_key_2 ^ change,
                                   detail::combined<Others>::of(others, seed) ^ detail::hash_key_3 ^ change)),
   ...);
  return result;
}

/// Compares with `==` whatever can be compared: the default equality of the tables, so that a string key is
/// found by a string view. (The standard's is in a header ten times this one's size.)
struct equal_to {
  /// Tells tables that keys of other types can be compared.
  using is_transparent = void;
  /// Returns whether both are equal.
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const noexcept(noexcept(bool(a == b))) {
    return bool(a == b);
  }
};

}  // namespace perdure
