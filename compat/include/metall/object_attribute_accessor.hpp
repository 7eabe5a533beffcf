// Attributes of a store's objects, without opening the store for work.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <metall/detail/object_attribute.hpp>
#include <metall/detail/open_store.hpp>
#include <metall/tags.hpp>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace metall {

namespace attraccs_detail {

/// A list of one kind of objects, as it was when the accessor was made. A store that this process has open
/// for writing is looked into as it is now; one that another process has open for writing cannot be read.
class object_attr_accessor {
 public:
  using size_type = std::size_t;
  using name_type = detail::object_attribute::name_type;
  using offset_type = detail::object_attribute::offset_type;
  using length_type = detail::object_attribute::length_type;
  using description_type = detail::object_attribute::description_type;
  using const_iterator = detail::object_attribute_iterator;

  object_attr_accessor() noexcept = default;
  object_attr_accessor(const std::filesystem::path& store, perdure::instance_kind kind) : path_(store) {
    if (detail::open_store::with_open(store, [&](detail::open_store& open) {
          objects_ = detail::open_store::list(open.manager(), kind);
        }))
      return;
    objects_ =
        detail::open_store::list(detail::native_manager(open_read_only, detail::plain_path(store)), kind);
  }

  /// Whether the store could be read.
  bool good() const noexcept { return objects_ != nullptr; }
  size_type num_objects() const noexcept { return good() ? objects_->size() : 0; }
  const_iterator begin() const noexcept { return {objects_, 0}; }
  const_iterator end() const noexcept { return {objects_, num_objects()}; }

  /// Durable on return, unless this process has the store open for writing: then at its next flush. False
  /// where the store cannot be written.
  bool set_description(const_iterator position, const description_type& description) noexcept {
    if (!good() || position.at_end()) return false;
    return detail::or_else(false, __FILE__, __LINE__, [&] {
      const offset_type offset = position->offset();
      const auto describe = [&](detail::native_manager& manager) {
        manager.set_attribute(static_cast<const std::byte*>(manager.get_address()) + offset,
                              detail::description_key, description);
      };
      if (!detail::open_store::with_open(path_, [&](detail::open_store& open) {
            describe(open.manager());
            open.objects_changed();
          })) {
        detail::native_manager manager(open_only, detail::plain_path(path_));
        describe(manager);
        manager.close();
      }
      for (detail::object_attribute& object : *objects_)
        if (object.offset() == offset) object.set_description(description);
      return true;
    });
  }

 protected:
  const_iterator find_name(const std::string_view name) const noexcept {
    for (const_iterator it = begin(); it != end(); ++it)
      if (it->name() == name) return it;
    return end();
  }

 private:
  std::filesystem::path path_;
  std::shared_ptr<detail::object_list> objects_;
};

class named_accessor : public object_attr_accessor {
 public:
  using object_attr_accessor::object_attr_accessor;
  using object_attr_accessor::set_description;

  /// 1 or 0.
  size_type count(const char* name) const noexcept { return find(name) == end() ? 0 : 1; }
  /// `end()` if there is none.
  const_iterator find(const char* name) const noexcept { return find_name(name); }
  bool set_description(const char* name, const description_type& description) noexcept {
    return object_attr_accessor::set_description(find(name), description);
  }
};

}  // namespace attraccs_detail

template <typename Offset = std::ptrdiff_t, typename Size = std::size_t>
class named_object_attr_accessor : public attraccs_detail::named_accessor {
 public:
  named_object_attr_accessor() noexcept = default;
  explicit named_object_attr_accessor(const std::filesystem::path& store)
      : named_accessor(store, perdure::instance_kind::named) {}
};

/// Objects are named by `typeid(T).name()`, or by their type and `unique_instance`.
template <typename Offset = std::ptrdiff_t, typename Size = std::size_t>
class unique_object_attr_accessor : public attraccs_detail::named_accessor {
 public:
  unique_object_attr_accessor() noexcept = default;
  explicit unique_object_attr_accessor(const std::filesystem::path& store)
      : named_accessor(store, perdure::instance_kind::unique) {}

  using named_accessor::count;
  using named_accessor::find;
  using named_accessor::set_description;
  template <typename T>
  size_type count(const decltype(unique_instance)&) const noexcept {
    return count(typeid(T).name());
  }
  template <typename T>
  const_iterator find(const decltype(unique_instance)&) const noexcept {
    return find(typeid(T).name());
  }
  template <typename T>
  bool set_description(const decltype(unique_instance)&, const description_type& description) noexcept {
    return set_description(typeid(T).name(), description);
  }
};

template <typename Offset = std::ptrdiff_t, typename Size = std::size_t>
class anonymous_object_attr_accessor : public attraccs_detail::object_attr_accessor {
 public:
  anonymous_object_attr_accessor() noexcept = default;
  explicit anonymous_object_attr_accessor(const std::filesystem::path& store)
      : object_attr_accessor(store, perdure::instance_kind::anonymous) {}
};

}  // namespace metall
