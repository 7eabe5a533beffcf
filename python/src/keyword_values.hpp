// Keyword arguments that a module passes on as a dictionary.
#pragma once

#include <nanobind/nanobind.h>

namespace perdure::python {

class keyword_values {
 public:
  /// `given` outlives it.
  explicit keyword_values(const nanobind::dict& given) : given_(given) {}

  /// Assigns the value of a key, if there is one. Throws `nanobind::cast_error` for one of another type.
  template <class T>
  void take(const char* key, T& to) const {
    if (given_.contains(key)) to = nanobind::cast<T>(given_[key]);
  }

 private:
  const nanobind::dict& given_;
};

}  // namespace perdure::python
