// The interface that a region has to its tier.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <perdure/pager.hpp>
#include <span>

namespace perdure::pager::detail {

class mapped_file {
 public:
  mapped_file() = default;
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  virtual ~mapped_file() = default;

  virtual std::byte* data() const noexcept = 0;
  virtual std::size_t size() const noexcept = 0;
  virtual void flush() = 0;
  virtual void prefetch(std::span<const byte_range> ranges) = 0;
  virtual void pin(byte_range range, pin_for use) = 0;
  virtual void unpin(byte_range range) noexcept = 0;
  virtual void advise(byte_range range, advice what) = 0;
  virtual void hand_over(bool shared) = 0;
  virtual pager::statistics statistics() const = 0;
  virtual pager::tier tier() const noexcept = 0;
  virtual bool is_direct() const noexcept = 0;
  virtual std::optional<pager::failure> failure() const = 0;
};

class file_io;

/// Throw std::system_error or perdure::error.
std::unique_ptr<mapped_file> map_with_user_faults(std::unique_ptr<file_io> file, const options& wanted);
std::unique_ptr<mapped_file> map_with_guards(std::unique_ptr<file_io> file, const options& wanted);
std::unique_ptr<mapped_file> map_plainly(std::unique_ptr<file_io> file, const options& wanted);

/// Null if the tier can be had.
const char* why_no_user_faults();
const char* why_no_guards();

/// Nothing if there is enough memory for the page tables that guards in so many bytes of a file take.
std::optional<std::string> why_no_guards_in(std::uint64_t bytes, mode wanted);

}  // namespace perdure::pager::detail
