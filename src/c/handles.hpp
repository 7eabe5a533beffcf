// The objects behind the API's opaque types.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/owner_process.hpp"
#include "c/handle_table.hpp"
#include "perdure/array/pending_store.hpp"
#include "perdure/array/untyped_arrays.hpp"
#include "perdure/c/perdure.h"
#include "perdure/checkpoint_log.hpp"
#include "perdure/datastore.hpp"
#include "perdure/detail/index_order.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/detail/store_set.hpp"
#include "perdure/kind_decorator.hpp"
#include "perdure/object_info.hpp"
#include "perdure/pager.hpp"
#include "perdure/pending_checkpoint.hpp"
#include "perdure/verify.hpp"

/// An open store or set. One of the first three members is set.
struct perdure_store {
  std::unique_ptr<perdure::detail::manager_core> core;  // a store
  std::unique_ptr<perdure::detail::store_set> set;      // a set of stores, by its ranks
  std::shared_ptr<perdure::untyped_arrays> arrays;      // a set of stores, read by one process
  perdure::detail::index_order indices = perdure::detail::index_order::c;
};

struct perdure_pending_checkpoint {
  perdure::pending_checkpoint checkpoint;
  perdure::base::owner_process owner;
};

struct perdure_text_list {
  std::vector<std::string> items;
};

// Entries point to the strings beside them, which therefore never move once the list is complete.

struct perdure_object_list {
  struct texts {
    std::string name;
    std::string type_name;
    std::string data_type;
  };
  std::vector<texts> strings;
  std::vector<perdure_object_info> items;
};

struct perdure_attribute_list {
  std::vector<perdure::attribute> strings;
  std::vector<perdure_attribute> items;
};

struct perdure_array_list {
  struct texts {
    perdure::array_info info;
    std::string type;
    std::vector<const char*> dimensions;
  };
  std::vector<texts> strings;
  std::vector<perdure_array_info> items;
};

struct perdure_array_attribute_list {
  struct texts {
    std::string key;
    std::string type;
    perdure::attribute_value value;
  };
  std::vector<texts> strings;
  std::vector<perdure_array_attribute> items;
};

struct perdure_array_view {
  perdure::array_hold hold;
};

struct perdure_pending_store {
  perdure::pending_store store;
};

struct perdure_checkpoint_log {
  std::vector<perdure::checkpoint_record> records;
  std::vector<perdure_checkpoint_record> items;
};

struct perdure_verify_report {
  perdure::verify_report report;
  std::vector<perdure_verify_finding> items;
};

struct perdure_kind_decorator {
  std::shared_ptr<perdure::kind_decorator> decorator;
  perdure::kind_decoration decoration;
};

struct perdure_mapping {
  std::shared_ptr<perdure::pager::region> region;
};

struct perdure_pin {
  std::shared_ptr<perdure::pager::region> region;  // outlives the pin
  perdure::pager::pin pin;
};

namespace perdure::c {

template <>
struct handle_traits<perdure_store> {
  static constexpr unsigned tag = 1;
  static constexpr const char* what = "the store";
};
template <>
struct handle_traits<perdure_pending_checkpoint> {
  static constexpr unsigned tag = 2;
  static constexpr const char* what = "the pending checkpoint";
};
template <>
struct handle_traits<perdure_text_list> {
  static constexpr unsigned tag = 3;
  static constexpr const char* what = "the list of texts";
};
template <>
struct handle_traits<perdure_object_list> {
  static constexpr unsigned tag = 4;
  static constexpr const char* what = "the list of objects";
};
template <>
struct handle_traits<perdure_attribute_list> {
  static constexpr unsigned tag = 5;
  static constexpr const char* what = "the list of attributes";
};
template <>
struct handle_traits<perdure_checkpoint_log> {
  static constexpr unsigned tag = 6;
  static constexpr const char* what = "the log of checkpoints";
};
template <>
struct handle_traits<perdure_verify_report> {
  static constexpr unsigned tag = 7;
  static constexpr const char* what = "the report";
};

template <>
struct handle_traits<perdure_kind_decorator> {
  static constexpr unsigned tag = 8;
  static constexpr const char* what = "the decorator";
};

template <>
struct handle_traits<perdure_mapping> {
  static constexpr unsigned tag = 9;
  static constexpr const char* what = "the mapping";
};
template <>
struct handle_traits<perdure_pin> {
  static constexpr unsigned tag = 10;
  static constexpr const char* what = "the pin";
};

template <>
struct handle_traits<perdure_array_list> {
  static constexpr unsigned tag = 11;
  static constexpr const char* what = "the list of arrays";
};
template <>
struct handle_traits<perdure_array_attribute_list> {
  static constexpr unsigned tag = 12;
  static constexpr const char* what = "the list of an array's attributes";
};
template <>
struct handle_traits<perdure_array_view> {
  static constexpr unsigned tag = 13;
  static constexpr const char* what = "the view";
};

template <>
struct handle_traits<perdure_pending_store> {
  static constexpr unsigned tag = 14;
  static constexpr const char* what = "the pending store";
};

/// Returns this rank's part of a set; `errc::unsupported` where it has none.
detail::manager_core& part_of_set(const perdure_store& opened);
/// Returns the store, or this rank's part of a set.
inline detail::manager_core& core_of(const perdure_store* store) {
  const perdure_store& opened = object_of(store);
  return opened.core != nullptr ? *opened.core : part_of_set(opened);
}

/// The arrays of a store or a set, and as long as it lives the order in which messages about them name
/// indices.
class arrays_of {
 public:
  explicit arrays_of(const perdure_store* store);
  untyped_arrays& operator*() const noexcept { return *arrays_; }
  untyped_arrays* operator->() const noexcept { return arrays_.get(); }

 private:
  detail::messages_in order_;
  std::shared_ptr<untyped_arrays> arrays_;
};

/// The options of a store that C gives.
store_options options_of(const perdure_store_options* given);
detail::index_order indices_of(const perdure_store_options* given);

/// The element of a list; `errc::invalid_argument` past its end.
template <class List>
const auto& item_of(const List* list, std::size_t index) {
  const auto& items = object_of(list).items;
  if (index >= items.size())
    refuse("there is no element " + std::to_string(index) + ": " + handle_traits<List>::what + " has " +
           std::to_string(items.size()));
  return items[index];
}

/// Frees a handle, for functions of the C API.
template <class T>
perdure_status free_handle(const T* handle) noexcept {
  return guarded([&] { take_object(handle); });
}

}  // namespace perdure::c
