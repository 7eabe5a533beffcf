// Keys and values that a dictionary in a store is given at once.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cells.hpp"

namespace perdure::python {

/// Cells of keys and values, side by side in memory. A table takes them in the order of its own slots: then a
/// table that is larger than the processor's caches is walked once from its front to its end.
class cell_pairs {
 public:
  /// Appends a key and its value. Throws as `append_cell`.
  void add(nanobind::handle key, nanobind::handle value) {
    const std::size_t begin = bytes_.size();
    append_cell(bytes_, key, true);
    const std::size_t middle = bytes_.size();
    append_cell(bytes_, value, false);
    pairs_.push_back({begin, middle - begin, bytes_.size() - middle});
  }

  /// Sets all pairs in `table`, and of equal keys the last one.
  template <class Table>
  void set_in(Table& table) const {
    // At least so many elements it will have: keys that are there already need no room.
    table.reserve(std::max(table.size(), pairs_.size()));
    if (pairs_.size() < least_to_order) {
      for (const pair& one : pairs_) set_in(table, one);
      return;
    }
    const std::vector<pair> ordered = in_order_of(table);
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      if (i + ahead < ordered.size()) __builtin_prefetch(bytes_.data() + ordered[i + ahead].begin);
      set_in(table, ordered[i]);
    }
  }

 private:
  struct pair {
    std::size_t begin;
    std::size_t key_bytes;
    std::size_t value_bytes;
  };

  static constexpr std::size_t least_to_order = 4096;
  static constexpr unsigned parts_log2 = 10;
  /// How far ahead the bytes of a pair are fetched.
  static constexpr std::size_t ahead = 8;

  std::string_view key_of(const pair& one) const noexcept {
    return {bytes_.data() + one.begin, one.key_bytes};
  }

  template <class Table>
  void set_in(Table& table, const pair& one) const {
    const std::string_view value(bytes_.data() + one.begin + one.key_bytes, one.value_bytes);
    table.insert_or_assign(key_of(one), value);
  }

  /// Returns the pairs, those first whose keys have their slots in the first part of the table, and so on.
  /// Equal keys stay in their order.
  template <class Table>
  std::vector<pair> in_order_of(const Table& table) const {
    const auto hash = table.hash_function();
    const auto bits = static_cast<unsigned>(std::bit_width(table.bucket_count()));
    const unsigned shift = bits > parts_log2 ? bits - parts_log2 : 0;
    std::array<std::size_t, std::size_t{1} << parts_log2> places{};
    std::vector<std::uint16_t> parts(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      parts[i] = static_cast<std::uint16_t>((hash(key_of(pairs_[i])) >> shift) % places.size());
      ++places[parts[i]];
    }
    std::size_t place = 0;
    for (std::size_t& one : places) place += std::exchange(one, place);
    std::vector<pair> ordered(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) ordered[places[parts[i]]++] = pairs_[i];
    return ordered;
  }

  std::string bytes_;
  std::vector<pair> pairs_;
};

}  // namespace perdure::python
