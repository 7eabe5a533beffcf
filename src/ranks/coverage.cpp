// The weights of boxes, and the closer look where they do not add up.
#include "ranks/coverage.hpp"

#include <cstring>
#include <perdure/detail/index_order.hpp>
#include <perdure/detail/rank_group.hpp>
#include <perdure/hash.hpp>
#include <set>
#include <utility>

#include "array/array_name.hpp"

namespace perdure::detail {

namespace {

constexpr std::uint64_t modulus = vote::cover_modulus;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b % modulus);
}
std::uint64_t add(std::uint64_t a, std::uint64_t b) noexcept {
  return (a + b) % modulus;
}
std::uint64_t subtract(std::uint64_t a, std::uint64_t b) noexcept {
  return (a + modulus - b) % modulus;
}

std::uint64_t random_number(std::uint64_t key, std::uint64_t which, std::uint64_t at) noexcept {
  const std::uint64_t mixed = fold_multiply(key ^ hash_key_2, (which + 1) * hash_key_1 ^ at);
  return fold_multiply(mixed ^ hash_key_0, at + hash_key_3) % modulus;
}

// Arrays that differ in type or shape have nothing in common.
std::string identity_of(std::string_view id, const array_parts& array) {
  std::string all(id);
  all += '\0';
  all += array.type;
  all += array.dims.text();
  return all;
}

std::uint64_t weight(std::uint64_t key, const std::uint64_t* offset, const std::uint64_t* count,
                     std::size_t rank) {
  std::uint64_t product = random_number(key, 0, 0) | 1;
  for (std::size_t d = 0; d < rank; ++d)
    product = multiply(product, subtract(random_number(key, d + 1, offset[d] + count[d]),
                                         random_number(key, d + 1, offset[d])));
  return product;
}

class byte_writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (bytes > bytes_.size()) throw error(errc::io, "what a rank told of its arrays is cut short");
    const std::string_view taken = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return taken;
  }
  std::string_view bytes_;
};

void put_making(byte_writer& to, const array_making& making) {
  to.number(static_cast<std::uint64_t>(making.layout));
  to.number(static_cast<std::uint64_t>(making.codec));
  to.number(making.chunk.rank());
  for (const std::uint64_t n : making.chunk) to.number(n);
  to.number(making.dimensions.size());
  for (const std::string& name : making.dimensions) to.text(name);
  to.number(making.attributes.size());
  for (const auto& [key, hash] : making.attributes) {
    to.text(key);
    to.number(hash);
  }
}

array_making take_making(byte_reader& from) {
  array_making making;
  making.layout = static_cast<array_layout>(from.number());
  making.codec = static_cast<compression>(from.number());
  for (std::uint64_t n = from.number(); n > 0; --n) making.chunk.push_back(from.number());
  for (std::uint64_t n = from.number(); n > 0; --n) making.dimensions.push_back(from.text());
  for (std::uint64_t n = from.number(); n > 0; --n) {
    std::string key = from.text();
    making.attributes.emplace(std::move(key), from.number());
  }
  return making;
}

std::string layout_text(const array_making& making) {
  std::string text = making.layout == array_layout::blocks ? "in blocks" : "contiguous";
  if (making.layout == array_layout::chunked) text = "in chunks of " + shape_text(making.chunk);
  if (making.codec != compression::none) text.append(", compressed by ").append(to_string(making.codec));
  return text;
}

std::string naming_text(const array_making& making) {
  return making.dimensions.empty() ? "not named" : "named " + names_text(making.dimensions);
}

std::string rank_text(int rank) {
  return "rank " + std::to_string(rank);
}

}  // namespace

std::uint64_t cover_of(std::string_view id, const array_parts& array, int rank, int ranks) {
  const std::string identity = identity_of(id, array);
  const std::uint64_t key = hash<std::string>()(identity);
  byte_writer making;
  making.text(identity);
  put_making(making, array.making);
  const std::uint64_t existence = random_number(hash<std::string>()(making.take()), ~std::uint64_t{0}, 1);
  std::uint64_t sum = existence;
  for (std::size_t i = 0; i < array.boxes.size(); ++i)
    sum = add(sum, weight(key, array.boxes.offset(i), array.boxes.count(i), array.boxes.rank()));
  // One rank, the same from run to run, takes away what all should add up to.
  if (hash<std::string_view>()(id) % static_cast<std::uint64_t>(ranks) != static_cast<std::uint64_t>(rank))
    return sum;
  const extents origin = extents::all(array.dims.rank(), 0);
  sum = subtract(sum, multiply(existence, static_cast<std::uint64_t>(ranks)));
  return subtract(sum, weight(key, origin.begin(), array.dims.begin(), array.dims.rank()));
}

std::string to_bytes(const std::map<std::string, array_parts>& changed) {
  byte_writer to;
  for (const auto& [id, array] : changed) {
    to.text(id);
    to.number(array.exists ? 1 : 0);
    if (!array.exists) continue;
    to.text(array.type);
    to.number(array.dims.rank());
    for (const std::uint64_t n : array.dims) to.number(n);
    to.number(array.boxes.size());
    for (const std::uint64_t n : array.boxes.numbers()) to.number(n);
    put_making(to, array.making);
  }
  return to.take();
}

std::uint64_t hash_of(const attribute_value& value) {
  return hash<std::string>()(value.type.text() + value.dims.text() + value.bytes);
}

void cover_book::look(const std::vector<std::string>& given) {
  std::set<std::string> changed;
  for (std::size_t rank = 0; rank < given.size(); ++rank) {
    byte_reader from(given[rank]);
    while (!from.at_end()) {
      const std::string id = from.text();
      changed.insert(id);
      ranks_parts& all = arrays_[id];
      if (from.number() == 0) {
        all.erase(static_cast<int>(rank));
        continue;
      }
      array_parts array;
      array.type = from.text();
      for (std::uint64_t n = from.number(); n > 0; --n) array.dims.push_back(from.number());
      const std::size_t dimensions = array.dims.rank();
      array.boxes = box_list(dimensions);
      std::vector<std::uint64_t> box(2 * dimensions);
      for (std::uint64_t n = from.number(); n > 0; --n) {
        for (std::uint64_t& one : box) one = from.number();
        array.boxes.add(box.data(), box.data() + dimensions);
      }
      array.making = take_making(from);
      all[static_cast<int>(rank)] = std::move(array);
    }
  }
  for (const std::string& id : changed) {
    const auto found = arrays_.find(id);
    if (found->second.empty()) {
      arrays_.erase(found);
    } else {
      require_sound(id, found->second);
    }
  }
}

void cover_book::require_sound(const std::string& id, const ranks_parts& all) {
  const auto& [first, expected] = *all.begin();
  box_list boxes(expected.dims.rank());
  std::vector<int> owners;
  std::map<std::string_view, std::pair<int, std::uint64_t>> attributes;  // the first rank that has each
  for (const auto& [rank, array] : all) {
    const auto differ = [one = first, other = rank](std::string what, const std::string& its,
                                                    const std::string& others) {
      what.append(its).append(" on ").append(rank_text(one)).append(" and ").append(others).append(" on ");
      return what.append(rank_text(other)).append(": all ranks must create it as the same");
    };
    const std::string is = detail::quoted(id) + " is ";
    if (array.type != expected.type) throw error(errc::wrong_type, differ(is, expected.type, array.type));
    if (!(array.dims == expected.dims))
      throw error(errc::conflict, differ(is, shape_text(expected.dims), shape_text(array.dims)));
    if (!array.making.has_layout_of(expected.making))
      throw error(errc::conflict, differ(is, layout_text(expected.making), layout_text(array.making)));
    if (array.making.dimensions != expected.making.dimensions)
      throw error(errc::conflict, differ("the dimensions of " + detail::quoted(id) + " are ",
                                         naming_text(expected.making), naming_text(array.making)));
    for (const auto& [key, hash] : array.making.attributes) {
      const auto [known, is_new] = attributes.try_emplace(key, rank, hash);
      if (is_new || known->second.second == hash) continue;
      throw error(errc::conflict, "the attribute \"" + key + "\" of " + detail::quoted(id) +
                                      " has another value on " + rank_text(known->second.first) +
                                      " than on " + rank_text(rank) +
                                      ": set it on one rank, or alike on all that set it");
    }
    for (std::size_t i = 0; i < array.boxes.size(); ++i) {
      boxes.add(array.boxes, i);
      owners.push_back(rank);
    }
  }
  const auto found = find_overlap(boxes);
  if (!found) return;
  box_list one(boxes.rank());
  one.add(boxes, found->first);
  const slab part = common(one, boxes.at(found->second)).at(0);
  throw error(errc::conflict,
              rank_text(owners[found->first]) + " and " + rank_text(owners[found->second]) +
                  " have both written the part at " + place_text(part.offset) + " of " +
                  shape_text(part.count) + " elements of " + detail::quoted(id) +
                  ": let one of them do so, or erase the array on all ranks and write it anew");
}

}  // namespace perdure::detail
