// An open store as Python holds it: what is open, and which views of its arrays live.
#include "open_store.hpp"

#include <perdure/array_store.hpp>
#include <perdure/detail/managed_part.hpp>
#include <perdure/error.hpp>
#include <perdure/store_set.hpp>
#include <utility>

namespace perdure::python {

namespace {

std::unique_ptr<manager> open_manager(open_letter how, const std::filesystem::path& path,
                                      const store_options& options) {
  switch (how) {
    case open_letter::read:
      return std::make_unique<manager>(open_read_only, path, options);
    case open_letter::read_write:
      return std::make_unique<manager>(open_only, path, options);
    case open_letter::append:
      return std::make_unique<manager>(open_or_create, path, options);
    case open_letter::truncate:
      manager::remove(path);
      return std::make_unique<manager>(create_only, path, options);
    default:
      return std::make_unique<manager>(create_only, path, options);
  }
}

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

detail::store_set::mode mode_of_set(open_letter how) {
  switch (how) {
    case open_letter::read:
      return detail::store_set::mode::open_read_only;
    case open_letter::read_write:
      return detail::store_set::mode::open;
    case open_letter::append:
      return detail::store_set::mode::open_or_create;
    default:
      return detail::store_set::mode::create;
  }
}

}  // namespace

session::session(open_letter how, const std::filesystem::path& path, const detail::set_options& options,
                 std::unique_ptr<detail::rank_group> ranks)
    : set_(detail::store_set::open(std::move(ranks), mode_of_set(how), path, options,
                                   detail::opener_of_managers<relocatable>())),
      arrays_(set_->arrays()),
      serial_(next_serial()) {}

session::session(open_letter how, const std::filesystem::path& path, const store_options& options)
    : serial_(next_serial()) {
  if (how == open_letter::read && perdure::is_set(path)) {
    const set_reader set(path, options);
    epoch_of_set_ = set.epoch();
    arrays_ = set.arrays().untyped();
    return;
  }
  manager_ = open_manager(how, path, options);
  arrays_ = array_store(*manager_).untyped();
}

session::~session() {
  if (is_abandoned_) {
    // The members' destructors would look at memory that a forked child does not have.
    static_cast<void>(manager_.release());
    static_cast<void>(set_.release());
    static_cast<void>(new std::shared_ptr<untyped_arrays>(std::move(arrays_)));
    return;
  }
  arrays_.reset();
  if (manager_) manager_->discard();
}

manager& session::store() const {
  if (!manager_)
    throw error(errc::unsupported,
                arrays_->path().string() +
                    " is a set of stores, of which Python reads the arrays only; open one of its "
                    "parts for the rest");
  return *manager_;
}

bool session::loses_memory_at_fork() const {
  if (set_) return true;
  return manager_ && (!manager_->read_only() || manager_->store().tracker() == "pager");
}

std::uint64_t session::epoch() const {
  if (set_) return set_->epoch();
  return manager_ ? manager_->store().epoch() : epoch_of_set_;
}

void session::checkpoint(std::string_view label) const {
  if (set_) {
    set_->checkpoint(label);
  } else {
    store().checkpoint(label);
  }
}

void session::snapshot(const std::filesystem::path& to) const {
  if (set_) {
    set_->snapshot(to);
  } else {
    store().snapshot(to);
  }
}

namespace {

/// Calls `visit` with each group that a name lies in, the outermost first.
template <class Visit>
void each_group_above(std::string_view name, Visit visit) {
  for (std::size_t at = name.find('/'); at != std::string_view::npos; at = name.find('/', at + 1))
    visit(std::string(name.substr(0, at)));
}

bool has_object(const manager& store, const std::string& name) {
  try {
    return static_cast<bool>(store.find_data(object_name(name)));
  } catch (const error& failed) {
    if (failed.code() == errc::wrong_type) return true;         // more than plain data
    if (failed.code() == errc::invalid_argument) return false;  // no name
    throw;
  }
}

}  // namespace

bool group_names::is_group(const untyped_arrays& arrays, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (arrays.count() != count_) {
    members_.clear();
    const std::vector<std::string> all = arrays.list({});
    for (const std::string& one : all)
      each_group_above(one, [&](std::string group) { ++members_[std::move(group)]; });
    count_ = all.size();
  }
  return members_.contains(name);
}

void group_names::add(std::string_view array) {
  const std::lock_guard lock(mutex_);
  each_group_above(array, [&](std::string group) { ++members_[std::move(group)]; });
  ++count_;
}

void group_names::remove(std::string_view array) {
  const std::lock_guard lock(mutex_);
  each_group_above(array, [&](const std::string& group) {
    const auto found = members_.find(group);
    if (found != members_.end() && --found->second == 0) members_.erase(found);
  });
  if (count_ != 0) --count_;
}

bool session::require_free(const std::string& name) const {
  if (arrays_->find(name)) return true;
  if (manager_ && has_object(*manager_, name))
    throw error(errc::invalid_argument,
                "\"" + name + "\" is an object: delete it before you store an array under its name");
  if (is_group(name))
    throw error(errc::invalid_argument,
                "\"" + name + "\" is a group: delete it before you store an array under its name");
  each_group_above(name, [&](const std::string& group) {
    if (arrays_->find(group))
      throw error(errc::invalid_argument, "\"" + group + "\" is an array, so nothing can be stored as \"" +
                                              name + "\": delete it first");
  });
  return false;
}

std::string live_views::sentence() const {
  constexpr std::size_t most_named = 5;
  const std::lock_guard lock(mutex_);
  std::string all;
  std::size_t named = 0;
  for (const auto& [name, count] : names_) {
    if (named == most_named) return all + " and " + std::to_string(names_.size() - named) + " more arrays";
    if (named++ != 0) all += ", ";
    all += '"' + name + '"';
    if (count > 1) all += " (" + std::to_string(count) + " views)";
  }
  return all;
}

open_store::open_store(open_letter how, std::filesystem::path path, store_options options)
    : path_(std::move(path)),
      options_(std::move(options)),
      session_(std::make_shared<session>(how, path_, options_)) {}

open_store::open_store(open_letter how, std::filesystem::path path, detail::set_options options,
                       std::unique_ptr<detail::rank_group> ranks)
    : path_(std::move(path)),
      options_(options.store),
      session_(std::make_shared<session>(how, path_, options, std::move(ranks))) {}

std::shared_ptr<session> open_store::current() const {
  const std::lock_guard lock(mutex_);
  if (!is_open_)
    throw error(errc::invalid_argument, path_.string() + " is closed; open it again with perdure.open");
  if (!session_) session_ = std::make_shared<session>(open_letter::read, path_, options_);
  return session_;
}

std::shared_ptr<session> open_store::current_to_change() const {
  if (is_forked_)
    throw error(
        errc::invalid_argument,
        path_.string() +
            " was opened for writing by the parent process, so this forked child can only read it; write in "
            "the parent, or open the store here once the parent has closed it");
  std::shared_ptr<session> now = current();
  if (!now->is_writable())
    throw error(errc::read_only,
                path_.string() + " is open for reading only; open it with mode=\"r+\" or \"a\"");
  return now;
}

bool open_store::is_open() const {
  const std::lock_guard lock(mutex_);
  return is_open_;
}

bool open_store::is_writable() const {
  const std::lock_guard lock(mutex_);
  return is_open_ && !is_forked_ && session_ && session_->is_writable();
}

std::shared_ptr<session> open_store::take() noexcept {
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  return std::exchange(session_, nullptr);
}

void open_store::close(bool force) {
  if (!is_open()) return;
  if (!force && views_->count() != 0)
    throw error(errc::invalid_argument,
                path_.string() + " cannot be closed while views of its arrays live: " + views_->sentence() +
                    "; delete them, copy what is still needed, or call close(force=True), which leaves them "
                    "readable");
  // In a forked child nothing may be open.
  const std::shared_ptr<session> now = [this] {
    const std::lock_guard lock(mutex_);
    return session_;
  }();
  if (now && now->set() != nullptr)
    now->set()->close();
  else if (now && now->is_writable() && !is_forked_)
    now->checkpoint({});
  take();
}

void open_store::discard() noexcept {
  const std::shared_ptr<session> last = take();
  if (last && last->set() != nullptr) last->set()->discard();
}

void open_store::give_up() noexcept {
  const std::shared_ptr<session> last = take();
  if (last && last->set() != nullptr) last->set()->give_up();
}

bool open_store::refresh() {
  const std::shared_ptr<session> old = current();
  if (old->is_writable()) return false;  // a writer sees its own changes
  if (old->set() != nullptr)
    throw error(errc::unsupported,
                path_.string() +
                    " is open on the ranks of a program, which cannot refresh it: close it "
                    "and open it again on all of them");
  auto next = std::make_shared<session>(open_letter::read, path_, options_);
  const bool is_other = next->is_set() || next->epoch() != old->epoch();
  const std::lock_guard lock(mutex_);
  if (is_open_ && is_other) session_ = std::move(next);
  return is_other;
}

void open_store::after_fork() noexcept {
  // The thread that forked holds Python's lock, under which alone `mutex_` is taken for longer than an
  // instant.
  if (!is_open_ || !session_ || !session_->loses_memory_at_fork()) return;
  is_forked_ = is_forked_ || session_->is_writable();
  session_->abandon();
  parents_ = std::exchange(session_, nullptr);
}

}  // namespace perdure::python
