// Parts of a set as managers of the program's kind.
#pragma once

#include <filesystem>
#include <memory>
#include <perdure/detail/store_set.hpp>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>

namespace perdure::detail {

/// A part of a set. Its changes between checkpoints of the set are dropped with it.
template <class Placement>
class managed_part final : public opened_part {
 public:
  explicit managed_part(basic_manager<Placement>&& manager) : manager_(std::move(manager)) {}
  ~managed_part() override { manager_.discard(); }
  manager_core& core() override { return core_of(manager_); }
  basic_manager<Placement>& manager() noexcept { return manager_; }

 private:
  basic_manager<Placement> manager_;
};

template <class Placement>
class opener_of_managers final : public part_opener {
 public:
  std::unique_ptr<opened_part> open(manager_core::mode how, const std::filesystem::path& path,
                                    const store_options& options) const override {
    using manager = basic_manager<Placement>;
    using part = managed_part<Placement>;
    switch (how) {
      case manager_core::mode::create:
        return std::make_unique<part>(manager(create_only, path, options));
      case manager_core::mode::open:
        return std::make_unique<part>(manager(open_only, path, options));
      case manager_core::mode::open_read_only:
        return std::make_unique<part>(manager(open_read_only, path, options));
      default:
        break;
    }
    throw error(errc::invalid_argument, "parts of a set are created, opened, or opened for reading");
  }
};

}  // namespace perdure::detail
