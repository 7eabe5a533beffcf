// Shows the statistics of a region, or of a paged store, to other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/pager.hpp>
#include <string>

namespace perdure::pager::detail {

class mapped_file;
class publisher;

/// While it lives, the statistics of a region are published a few times a second.
class publication {
 public:
  /// Null unless PERDURE_PAGER_PUBLISH is 1. `file` must outlive it. Failures are told on the standard error
  /// stream: a program does not depend on being watched.
  static std::unique_ptr<publication> begin(const mapped_file& file, const std::string& name,
                                            const options& wanted);

  publication(const publication&) = delete;
  publication& operator=(const publication&) = delete;
  ~publication();

 private:
  publication(publisher& owner, std::uint64_t id) noexcept : owner_(owner), id_(id) {}

  publisher& owner_;
  std::uint64_t id_;
};

}  // namespace perdure::pager::detail
