// The arrays of a set that is being divided, as a program that divides some of them sees them: those of the
// old parts, and those of a new part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/error.hpp>
#include <string>
#include <utility>

#include "ranks/part_reader.hpp"
#include "ranks/rank_arrays.hpp"

namespace perdure::detail {

/// The old parts, and their arrays as one rank sees them that reads all parts.
class arrays_before final : public set_access {
 public:
  arrays_before(const set_directory& directory, const set_state& set, const store_options& options)
      : path_(directory.root()), parts_(directory, set, options), arrays_(*this) {}

  part_readers& parts() noexcept { return parts_; }
  untyped_arrays& arrays() noexcept { return arrays_; }

  int rank() const noexcept override { return 0; }
  int ranks() const noexcept override { return 1; }
  const std::filesystem::path& path() const noexcept override { return path_; }
  const set_state& state() const noexcept override { return parts_.set(); }
  manager_core* writable_part() const noexcept override { return nullptr; }
  std::shared_ptr<part_reader> read_part(std::uint32_t rank) override { return parts_.get(rank); }
  void note_failure(const char*) noexcept override {}
  void require_open() const override {}

 private:
  std::filesystem::path path_;
  part_readers parts_;
  rank_arrays arrays_;  // ends first
};

/// The arrays of a new part, as its rank stores them.
class arrays_of_new_part final : public set_access {
 public:
  arrays_of_new_part(const set_directory& directory, manager_core& store, const set_state& set,
                     std::uint32_t part)
      : path_(directory.root()), store_(&store), set_(set), part_(part), arrays_(*this) {}

  rank_arrays& arrays() noexcept { return arrays_; }

  int rank() const noexcept override { return static_cast<int>(part_); }
  int ranks() const noexcept override { return static_cast<int>(set_.ranks); }
  const std::filesystem::path& path() const noexcept override { return path_; }
  const set_state& state() const noexcept override { return set_; }
  manager_core* writable_part() const noexcept override { return store_; }
  std::shared_ptr<part_reader> read_part(std::uint32_t) override {
    throw error(errc::invalid_argument,
                path_.string() +
                    " is being divided, and its new parts cannot be read: read the arrays as they "
                    "were before");
  }
  void note_failure(const char*) noexcept override {}
  void require_open() const override {}

 private:
  std::filesystem::path path_;
  manager_core* store_;
  set_state set_;
  std::uint32_t part_;
  rank_arrays arrays_;  // ends first
};

}  // namespace perdure::detail
