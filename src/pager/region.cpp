// The public face of the pager: checks what is asked for, chooses a tier, and turns failed system calls into
// errors.
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "base/error_code.hpp"
#include "pager/file_io.hpp"
#include "pager/mapped_file.hpp"
#include "pager/publication.hpp"
#include "perdure/pager.hpp"

namespace perdure::pager {

namespace {

// Best first, as the environment's variable has them.
constexpr std::array tiers{tier::uffd_sigbus, tier::guard, tier::plain};
constexpr std::array<std::string_view, 3> names_of_tiers{"uffd_sigbus", "guard", "plain"};
static_assert(base::has_choices("PERDURE_PAGER_TIER", names_of_tiers));

template <class Work>
decltype(auto) reporting(const std::string& action, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::system_error& failure) {
    throw error(base::code_of(failure), "cannot " + action + ": " + failure.what());
  }
}

void check(const options& wanted) {
  if (wanted.budget < least_budget)
    throw error(errc::invalid_argument, "the budget is " + std::to_string(wanted.budget) +
                                            " bytes; the least is " + std::to_string(least_budget));
  const auto is_none = [](auto value, auto last) { return value < decltype(value){} || value > last; };
  if (is_none(wanted.mode, mode::write_back) || is_none(wanted.tier, tier::guard) ||
      is_none(wanted.transfer, transfer::buffered))
    throw error(errc::invalid_argument, "an option has a value that is none");
}

// Why the tier cannot be had for so many bytes of a file; nothing if it can.
std::optional<std::string> why_not(tier which, std::uint64_t bytes, mode how) {
  std::optional<std::string> reason = why_unavailable(which);
  if (!reason && which == tier::guard) reason = detail::why_no_guards_in(bytes, how);
  return reason;
}

tier chosen_tier(const options& asked, std::uint64_t bytes) {
  tier wanted = asked.tier;
  if (wanted == tier::automatic) {
    if (const auto choice = base::choice_in("PERDURE_PAGER_TIER")) {
      wanted = tiers[*choice];
    } else {
      for (const tier one : tiers)
        if (!why_not(one, bytes, asked.mode)) return one;
    }
  }
  if (const auto reason = why_not(wanted, bytes, asked.mode))
    throw error(errc::unsupported,
                "the pager's tier " + std::string(to_string(wanted)) + " is not to be had: " + *reason);
  return wanted;
}

std::unique_ptr<detail::mapped_file> map_file(std::unique_ptr<detail::file_io> file, const options& wanted) {
  switch (chosen_tier(wanted, file->size())) {
    case tier::automatic:
    case tier::uffd_sigbus:
      return detail::map_with_user_faults(std::move(file), wanted);
    case tier::guard:
      return detail::map_with_guards(std::move(file), wanted);
    case tier::plain:
      break;
  }
  return detail::map_plainly(std::move(file), wanted);
}

}  // namespace

std::string_view to_string(tier which) noexcept {
  for (std::size_t i = 0; i < tiers.size(); ++i)
    if (which == tiers[i]) return names_of_tiers[i];
  return which == tier::automatic ? "automatic" : "unknown";
}

std::optional<std::string> why_unavailable(tier which) {
  if (which != tier::uffd_sigbus && which != tier::guard) return std::nullopt;
  return reporting("find out whether the tier " + std::string(to_string(which)) + " is to be had",
                   [&]() -> std::optional<std::string> {
                     const char* const reason =
                         which == tier::guard ? detail::why_no_guards() : detail::why_no_user_faults();
                     if (reason == nullptr) return std::nullopt;
                     return reason;
                   });
}

region map(const std::filesystem::path& path, const options& wanted) {
  check(wanted);
  return reporting("map " + path.string(),
                   [&] { return region::over(detail::file_io::open(path, wanted), wanted); });
}

region map(int descriptor, const options& wanted) {
  check(wanted);
  return reporting("map descriptor " + std::to_string(descriptor),
                   [&] { return region::over(detail::file_io::adopt(descriptor, wanted), wanted); });
}

region::region(std::unique_ptr<detail::mapped_file> file, std::unique_ptr<detail::publication> shown) noexcept
    : file_(std::move(file)), shown_(std::move(shown)) {}

region region::over(std::unique_ptr<detail::file_io> file, const options& wanted) {
  const std::string name = file->name();
  std::unique_ptr<detail::mapped_file> mapped = map_file(std::move(file), wanted);
  auto shown = detail::publication::begin(*mapped, name, wanted);
  return region(std::move(mapped), std::move(shown));
}

region::region(region&& other) noexcept = default;
region& region::operator=(region&& other) noexcept {
  if (this == &other) return *this;
  shown_.reset();
  file_ = std::move(other.file_);
  shown_ = std::move(other.shown_);
  return *this;
}
region::~region() = default;

std::byte* region::data() const noexcept {
  return file_->data();
}

std::size_t region::size() const noexcept {
  return file_->size();
}

void region::flush() {
  reporting("flush", [&] { file_->flush(); });
}

namespace {

void check(byte_range range, std::size_t size) {
  if (range.offset > size || range.bytes > size - range.offset)
    throw error(errc::invalid_argument, "the range of " + std::to_string(range.bytes) + " bytes at offset " +
                                            std::to_string(range.offset) + " is not within the region of " +
                                            std::to_string(size) + " bytes");
}

}  // namespace

void region::prefetch(std::span<const byte_range> ranges) {
  for (const byte_range& range : ranges) check(range, size());
  reporting("prefetch", [&] { file_->prefetch(ranges); });
}

byte_range region::part(const void* address, std::size_t bytes) const {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(data());
  check({offset, bytes}, size());
  return {offset, bytes};
}

pin region::pin(const void* address, std::size_t bytes, pin_for use) {
  const byte_range range = part(address, bytes);
  reporting("pin", [&] { file_->pin(range, use); });
  return detail::adopt_pin(*file_, range);
}

void region::advise(byte_range range, advice what) {
  check(range, size());
  reporting("advise", [&] { file_->advise(range, what); });
}

void region::hand_over(bool shared) {
  reporting("hand over", [&] { file_->hand_over(shared); });
}

pager::statistics region::statistics() const {
  return file_->statistics();
}

pager::tier region::tier() const noexcept {
  return file_->tier();
}

bool region::is_direct() const noexcept {
  return file_->is_direct();
}

std::optional<pager::failure> region::failure() const {
  return file_->failure();
}

pager::pin detail::adopt_pin(mapped_file& owner, byte_range pinned) noexcept {
  return pager::pin(&owner, pinned);
}

pin::pin(pin&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), range_(std::exchange(other.range_, {})) {}

pin& pin::operator=(pin&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(range_, other.range_);
  return *this;
}

pin::~pin() {
  if (owner_ != nullptr) owner_->unpin(range_);
}

}  // namespace perdure::pager
