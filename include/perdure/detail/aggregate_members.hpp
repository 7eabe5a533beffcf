// The members of an aggregate: how many, of which types, called what. C++20 has no reflection, but an
// aggregate shows itself twice: in what its braces take, and in a structured binding. The second needs the
// number of members, and a wrong number is a hard error, so they are counted in two ways, and where neither
// is sure the type is not looked into.
#pragma once

#include <any>
#include <array>
#include <cstddef>
#include <optional>
#include <perdure/cxx20.hpp>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace perdure::detail {

/// Constructible from any argument its part is constructible from, so it needs no conversion to itself,
/// which would be ambiguous with that constructor.
template <class T>
inline constexpr bool adopts_conversions_of_its_part = false;
template <class T>
inline constexpr bool adopts_conversions_of_its_part<std::optional<T>> = true;
template <class T>
inline constexpr bool adopts_conversions_of_its_part<std::tuple<T>> = true;
template <class T>
inline constexpr bool adopts_conversions_of_its_part<std::variant<T>> = true;
template <>
inline constexpr bool adopts_conversions_of_its_part<std::any> = true;

template <class Member, class Aggregate>
concept member_candidate = !std::is_same_v<Member, Aggregate> && !adopts_conversions_of_its_part<Member>;

// None of these conversions is ever called; they have bodies because some compilers ask for one.

template <class Aggregate>
struct any_value {
  template <member_candidate<Aggregate> U>
  operator U() const {
    __builtin_unreachable();
  }
};
/// For a member held by value the first conversion is the better one, as the object is not const.
template <class Aggregate>
struct any_member {
  template <member_candidate<Aggregate> U>
  operator U() {
    __builtin_unreachable();
  }
  template <member_candidate<Aggregate> U>
  operator U&() const {
    __builtin_unreachable();
  }
};
template <class Aggregate>
struct any_base {
  template <class U>
    requires(std::is_base_of_v<U, Aggregate> && !std::is_same_v<U, Aggregate>)
  operator U() const {
    __builtin_unreachable();
  }
};

/// Members of an anonymous union or struct belong to nobody whom a binding could name. (A member that has a
/// name and a type that has none could be bound, but g++ does not tell the two apart.)
template <class T>
consteval bool is_unnamed() {
  const std::string_view spelled = __PRETTY_FUNCTION__;
  for (const std::string_view mark : {"<unnamed struct>", "<unnamed union>", "(anonymous struct",
                                      "(anonymous union", "(unnamed struct", "(unnamed union"})
    if (spelled.find(mark) != std::string_view::npos) return true;
  return false;
}
template <class Aggregate>
struct any_unnamed {
  template <member_candidate<Aggregate> U>
    requires(std::is_class_v<U> || std::is_union_v<U>) && (is_unnamed<U>())
  operator U() const {
    __builtin_unreachable();
  }
};

/// Nothing but what is constructible from anything takes this: `std::any`, or a class that the compiler
/// cannot tell from it.
struct fits_nothing {};

/// Bounds the work for aggregates that hold long arrays, whose elements count as initialisers.
inline constexpr std::size_t examined_initialisers = 64;

/// The initialisers that the braces of `T` take. The elements of an array take one each.
template <class T>
struct aggregate_braces {
  template <std::size_t>
  using filler = any_member<T>;

  template <std::size_t... I>
  static consteval bool filled_by(std::index_sequence<I...>) {
    return requires { T{std::declval<filler<I>>()...}; };
  }

  template <class Probe, std::size_t... I, std::size_t... J>
  static consteval bool accepts(std::index_sequence<I...>, std::index_sequence<J...>) {
    return requires { T{std::declval<filler<I>>()..., std::declval<Probe>(), std::declval<filler<J>>()...}; };
  }

  /// Whether `T` can be initialised with `Inner` initialisers in braces in the middle.
  template <std::size_t... I, std::size_t... Inner, std::size_t... J>
  static consteval bool accepts_braces(std::index_sequence<I...>, std::index_sequence<Inner...>,
                                       std::index_sequence<J...>) {
    return requires {
      T{std::declval<filler<I>>()..., {std::declval<filler<Inner>>()...}, std::declval<filler<J>>()...};
    };
  }

  /// The most initialisers `T` takes, up to the bound. Fewer than a certain number may be refused, because
  /// a later member has no default; 0 also where none are accepted.
  template <std::size_t N = 0, bool Found = false>
  static consteval std::size_t initialisers() {
    if constexpr (N > examined_initialisers) {
      return Found ? examined_initialisers : 0;
    } else if constexpr (filled_by(std::make_index_sequence<N>{})) {
      return initialisers<N + 1, true>();
    } else if constexpr (Found) {
      return N - 1;
    } else {
      return initialisers<N + 1, false>();
    }
  }
};

/// Members beyond these are not counted.
inline constexpr std::size_t most_members = 40;

// clang-format off
/// Whether `T` can be made of `N` pairs of braces, each of them one member whatever its type, and then of `More`.
template <class T, std::size_t N, class... More>
consteval bool is_made_of_braces() {
  if constexpr (N == 0) return requires { T{std::declval<More>()...}; };
  else if constexpr (N == 1) return requires { T{{}, std::declval<More>()...}; };
  else if constexpr (N == 2) return requires { T{{}, {}, std::declval<More>()...}; };
  else if constexpr (N == 3) return requires { T{{}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 4) return requires { T{{}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 5) return requires { T{{}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 6) return requires { T{{}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 10) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 11) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 12) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 13) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 14) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 15) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 16) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 17) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 18) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 19) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 20) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 21) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 22) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 23) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 24) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 25) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 26) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 27) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 28) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 29) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 30) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 31) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 32) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 33) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 34) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 35) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 36) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 37) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 38) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 39) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else if constexpr (N == 40) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::declval<More>()...}; };
  else return sizeof...(More) != 0;
}
/// Returns the result of `visit` for the `N` members. A bit-field is seen as a temporary of its type.
///
/// An error here means that the members of a type cannot be counted (one with a flexible array, an extension of
/// compilers, is known). Give it a `perdure::layout_version`, before it is first stored or looked for.
template <std::size_t N, class T, class Visitor>
constexpr auto with_members([[maybe_unused]] const T& object, Visitor visit) {
  if constexpr (N == 0) return visit();
  else if constexpr (N == 1) { const auto& [m0] = object; return visit(m0); }
  else if constexpr (N == 2) { const auto& [m0, m1] = object; return visit(m0, m1); }
  else if constexpr (N == 3) { const auto& [m0, m1, m2] = object; return visit(m0, m1, m2); }
  else if constexpr (N == 4) { const auto& [m0, m1, m2, m3] = object; return visit(m0, m1, m2, m3); }
  else if constexpr (N == 5) { const auto& [m0, m1, m2, m3, m4] = object; return visit(m0, m1, m2, m3, m4); }
  else if constexpr (N == 6) { const auto& [m0, m1, m2, m3, m4, m5] = object; return visit(m0, m1, m2, m3, m4, m5); }
  else if constexpr (N == 7) { const auto& [m0, m1, m2, m3, m4, m5, m6] = object; return visit(m0, m1, m2, m3, m4, m5, m6); }
  else if constexpr (N == 8) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7); }
  else if constexpr (N == 9) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8); }
  else if constexpr (N == 10) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9); }
  else if constexpr (N == 11) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10); }
  else if constexpr (N == 12) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11); }
  else if constexpr (N == 13) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12); }
  else if constexpr (N == 14) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13); }
  else if constexpr (N == 15) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14); }
  else if constexpr (N == 16) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15); }
  else if constexpr (N == 17) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16); }
  else if constexpr (N == 18) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17); }
  else if constexpr (N == 19) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18); }
  else if constexpr (N == 20) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19); }
  else if constexpr (N == 21) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20); }
  else if constexpr (N == 22) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21); }
  else if constexpr (N == 23) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22); }
  else if constexpr (N == 24) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23); }
  else if constexpr (N == 25) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24); }
  else if constexpr (N == 26) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25); }
  else if constexpr (N == 27) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26); }
  else if constexpr (N == 28) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27); }
  else if constexpr (N == 29) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28); }
  else if constexpr (N == 30) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29); }
  else if constexpr (N == 31) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30); }
  else if constexpr (N == 32) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31); }
  else if constexpr (N == 33) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32); }
  else if constexpr (N == 34) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33); }
  else if constexpr (N == 35) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34); }
  else if constexpr (N == 36) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35); }
  else if constexpr (N == 37) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36); }
  else if constexpr (N == 38) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37); }
  else if constexpr (N == 39) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38); }
  else if constexpr (N == 40) { const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39] = object; return visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39); }
}
// clang-format on

template <class... Members>
struct member_types {
  static constexpr std::size_t count = sizeof...(Members);
};

template <class T>
class aggregate_members {
  using braces = aggregate_braces<T>;

  static constexpr std::size_t unknown = most_members + 1;

  /// The most pairs of braces, if nothing else could follow them.
  template <std::size_t N = 0, bool Found = false>
  static consteval std::size_t counted_by_braces() {
    if constexpr (N <= most_members && is_made_of_braces<T, N>()) {
      return counted_by_braces<N + 1, true>();
    } else if constexpr (Found) {
      return is_made_of_braces<T, N - 1, any_member<T>>() || is_made_of_braces<T, N - 1, fits_nothing>()
                 ? unknown
                 : N - 1;
    } else if constexpr (N < most_members) {
      return counted_by_braces<N + 1, false>();
    } else {
      return unknown;
    }
  }

  /// Of `All` initialisers, those that the member takes to which the first `Before` do not belong: braces in
  /// their place leave as many for the others as there can be.
  template <std::size_t All, std::size_t Before, std::size_t Inner = 0, std::size_t Taken = 1>
  static consteval std::size_t taken_by_member() {
    if constexpr (Before + Inner > All) {
      return 1;
    } else if constexpr (Before + Taken > All) {
      return taken_by_member<All, Before, Inner + 1>();
    } else if constexpr (braces::accepts_braces(std::make_index_sequence<Before>{},
                                                std::make_index_sequence<Inner>{},
                                                std::make_index_sequence<All - Before - Taken>{})) {
      return Taken;
    } else {
      return taken_by_member<All, Before, Inner, Taken + 1>();
    }
  }
  /// What is constructible from anything is not initialised by an `any_member`, which would be ambiguous.
  template <std::size_t All>
  static consteval bool goes_on_after() {
    using all = std::make_index_sequence<All>;
    return braces::accepts_braces(all{}, std::index_sequence<>{}, std::index_sequence<>{}) ||
           braces::template accepts<fits_nothing>(all{}, std::index_sequence<>{});
  }
  template <std::size_t All, std::size_t Before = 0, std::size_t Members = 0>
  static consteval std::size_t counted_by_initialisers() {
    if constexpr (All == 0 || All == examined_initialisers) {
      return unknown;
    } else if constexpr (Before == 0 && goes_on_after<All>()) {
      return unknown;
    } else if constexpr (Before == All) {
      return Members;
    } else {
      return counted_by_initialisers<All, Before + taken_by_member<All, Before>(), Members + 1>();
    }
  }

  /// What is constructible from anything takes the probe too, and is not unnamed, as it has a constructor.
  template <std::size_t... I>
  static consteval bool has_unnamed_by_braces(std::index_sequence<I...>) {
    return ((is_made_of_braces<T, I, any_unnamed<T>>() && !is_made_of_braces<T, I, fits_nothing>()) || ...);
  }
  template <std::size_t... I>
  static consteval bool has_unnamed_by_initialisers(std::index_sequence<I...>) {
    return (braces::template accepts<any_unnamed<T>>(std::make_index_sequence<I>{},
                                                     std::make_index_sequence<sizeof...(I) - 1 - I>{}) ||
            ...);
  }

  static consteval std::size_t counted() {
    if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || requires { std::tuple_size<T>::value; }) {
      return unknown;
    } else if constexpr (requires { T{std::declval<any_base<T>>()}; }) {
      return unknown;
    } else {
      constexpr std::size_t by_braces = counted_by_braces();
      if constexpr (by_braces != unknown) {
        return has_unnamed_by_braces(std::make_index_sequence<by_braces>{}) ? unknown : by_braces;
      } else {
        constexpr std::size_t initialisers = braces::initialisers();
        constexpr std::size_t by_initialisers = counted_by_initialisers<initialisers>();
        return by_initialisers > most_members ||
                       has_unnamed_by_initialisers(std::make_index_sequence<initialisers>{})
                   ? unknown
                   : by_initialisers;
      }
    }
  }

  struct to_types {
    template <class... Members>
    constexpr member_types<Members...> operator()(const Members&...) const {
      return {};
    }
  };

 public:
  static constexpr std::size_t count = counted();
  static constexpr bool known = count != unknown;

  static constexpr auto types() {
    if constexpr (known) {
      return decltype(with_members<count>(std::declval<const T&>(), to_types{})){};
    } else {
      return member_types<>{};
    }
  }
};

// Names. A pointer to a member of an object that is only declared is a template argument, and the compiler
// spells it out in the name of the function that takes it.

template <class T>
struct imagined_object {
  T value;
};
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
/// Never defined: only addresses in it are computed, by the compiler.
template <class T>
extern const imagined_object<T> imagined;

template <class Pointer>
struct spelled_pointer {
  Pointer to;
};
template <spelled_pointer P>
consteval std::string_view spelled() {
  return __PRETTY_FUNCTION__;
}

template <std::size_t Index>
struct to_pointer {
  template <std::size_t I, class First, class... Others>
  static constexpr auto at(const First& first, const Others&... others) {
    if constexpr (I == 0) {
      return spelled_pointer<const First*>{&first};
    } else {
      return at<I - 1>(others...);
    }
  }
  template <class... Members>
  constexpr auto operator()(const Members&... members) const {
    return at<Index>(members...);
  }
};

constexpr bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name of a member; empty where the compiler does not tell it, as for a bit-field.
template <class T, std::size_t Index>
constexpr std::string_view member_name() {
  constexpr std::size_t count = aggregate_members<T>::count;
  // g++ writes `…{(& imagined<T>…::value.T::name)}; …]`, clang `…{&imagined.value.name}]`.
  if constexpr (requires { spelled<with_members<count>(imagined<T>.value, to_pointer<Index>{})>(); }) {
    constexpr std::string_view text = spelled<with_members<count>(imagined<T>.value, to_pointer<Index>{})>();
    std::size_t end = text.rfind('}');
    if (end == std::string_view::npos || end == 0) return {};
    if (text[end - 1] == ')') --end;
    std::size_t begin = end;
    while (begin != 0 && is_identifier(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
  } else {
    return {};
  }
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace perdure::detail
