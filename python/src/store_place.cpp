#include "store_place.hpp"

#include <string>

namespace nb = nanobind;

namespace perdure::python {

store_options options_for_budget(std::size_t budget) {
  store_options options;
  if (budget == 0) return options;
  options.backing = backing::paged;
  options.memory_budget = budget;
  return options;
}

namespace {

/// A use of an open store that its closing names.
struct counted_use {
  counted_use(std::shared_ptr<session> store, std::shared_ptr<live_views> views, std::string called)
      : open(std::move(store)), all(std::move(views)), name(std::move(called)) {
    all->add(name);
  }
  counted_use(const counted_use&) = delete;
  counted_use& operator=(const counted_use&) = delete;
  ~counted_use() { all->remove(name); }

  std::shared_ptr<session> open;
  std::shared_ptr<live_views> all;
  std::string name;
};

}  // namespace

std::shared_ptr<const manager> store_place::open_to_read(const std::string& name, std::size_t budget) const {
  if (open_ == nullptr)
    return std::make_shared<const manager>(open_read_only, path_, options_for_budget(budget));
  std::shared_ptr<session> now = open_->current();
  const manager* const store = &now->store();
  return {std::make_shared<counted_use>(std::move(now), open_->views(), name), store};
}

store_place place_of(nb::handle given) {
  if (nb::hasattr(given, "_core"))
    if (nb::object core = given.attr("_core"); nb::isinstance<open_store>(core))
      return store_place(nb::cast<open_store&>(core));
  const nb::bytes path = nb::borrow<nb::bytes>(nb::module_::import_("os").attr("fsencode")(given));
  return store_place(std::filesystem::path(std::string(path.c_str(), path.size())));
}

}  // namespace perdure::python
