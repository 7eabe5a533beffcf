// Shapes and places of arrays as messages write them.
#include "perdure/detail/index_order.hpp"

namespace perdure::detail {

namespace {

thread_local index_order order_of_messages = index_order::c;

/// The numbers, each plus `first`, in the order of this thread's messages.
std::string numbers_text(const extents& numbers, std::uint64_t first) {
  const bool is_fortran = order_of_messages == index_order::fortran;
  std::string all(1, is_fortran ? '(' : '[');
  const std::size_t rank = numbers.rank();
  for (std::size_t i = 0; i < rank; ++i) {
    if (i != 0) all += ", ";
    all += std::to_string(is_fortran ? numbers[rank - 1 - i] + first : numbers[i]);
  }
  return all += is_fortran ? ')' : ']';
}

}  // namespace

messages_in::messages_in(index_order order) noexcept : before_(order_of_messages) {
  order_of_messages = order;
}

messages_in::~messages_in() {
  order_of_messages = before_;
}

index_order messages_in::now() noexcept {
  return order_of_messages;
}

std::string shape_text(const extents& dims) {
  return numbers_text(dims, 0);
}

std::string place_text(const extents& offset) {
  return numbers_text(offset, 1);
}

std::string names_text(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) all += ", ";
    all.append(1, '"')
        .append(names[order_of_messages == index_order::fortran ? names.size() - 1 - i : i])
        .append(1, '"');
  }
  return all;
}

}  // namespace perdure::detail
