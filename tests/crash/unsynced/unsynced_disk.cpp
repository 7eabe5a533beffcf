#include "crash/unsynced/unsynced_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <thread>

namespace perdure::crash {

namespace {

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

}  // namespace

unsynced_disk::unsynced_disk(const disk_image& content, std::uint64_t seed)
    : random_(seed, 11), content_(content), remains_(content) {}

unsynced_disk::guard unsynced_disk::enter() {
  guard lock(mutex_);
  wait_for_power(lock);
  return lock;
}

void unsynced_disk::wait_for_power(guard& lock) {
  changed_.wait(lock, [this] { return power_ != power::stopped; });
  if (power_ == power::cut) fail(EIO);
}

void unsynced_disk::count_event(guard& lock) {
  ++events_;
  if (events_ == stop_.at_event && power_ == power::on) {
    power_ = power::stopped;
    changed_.notify_all();
  }
  wait_for_power(lock);
  if (events_ >= failure_.at_event && !has_failed_) {
    failed_untold_ = remains_.one_written(random_);
    if (failed_untold_) fail_write_back(*failed_untold_);
  }
  if (events_ >= evicted_at_event_) evict();
}

void unsynced_disk::fail_write_back(inode_number file) {
  has_failed_ = true;
  remains_.step({.what = logged::sync_failed, .target = file, .begun = calls_}, calls_);
  ++calls_;
  lost_ = remains_.loss_of(file);
  if (random_.one_in(2))
    std::erase_if(lost_->pieces, [this](const page_write&) { return random_.one_in(2); });
  if (failure_.events_until_evicted != write_back_failure::never)
    evicted_at_event_ = events_ + failure_.events_until_evicted;
  if (events_ >= evicted_at_event_) evict();
}

// Pages that are written again are dirty, and those that were cut off are gone.
void unsynced_disk::keep_from_eviction(const logged_call& call) {
  if (!lost_ || lost_->target != call.target) return;
  const auto within = [this](std::uint64_t from, std::uint64_t to) {
    std::erase_if(lost_->pieces, [from, to](const page_write& piece) {
      return piece.page * disk_page >= from && piece.page * disk_page < to;
    });
  };
  if (call.what == logged::resize) within(call.bytes, std::numeric_limits<std::uint64_t>::max());
  if (call.what == logged::punch) within(call.offset, call.offset + call.bytes);
  if (call.what == logged::write)
    for (const page_write& piece : call.pieces) within(piece.page * disk_page, (piece.page + 1) * disk_page);
}

void unsynced_disk::evict() {
  evicted_at_event_ = write_back_failure::never;
  const inode& on_disk = remains_.durable().at(lost_->target);
  const std::uint64_t size = existing(lost_->target).size;
  for (const page_write& piece : lost_->pieces) {
    const std::uint64_t begin = piece.page * disk_page;
    if (begin >= size) continue;
    const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(disk_page, size - begin));
    const auto held =
        std::lower_bound(on_disk.pages.begin(), on_disk.pages.end(), piece.page,
                         [](const auto& one, std::uint64_t wanted) { return one.first < wanted; });
    const bool is_held = held != on_disk.pages.end() && held->first == piece.page;
    content_.write(lost_->target, {piece.page, 0, end, is_held ? held->second : make_page({})}, all_lines);
  }
  remains_.step(*lost_, calls_++);
  evicted_ = lost_->target;
  lost_.reset();
}

void unsynced_disk::make(const logged_call& call) {
  keep_from_eviction(call);
  apply_whole(call, content_);
  remains_.step(call, calls_++);
}

const inode& unsynced_disk::existing(inode_number number) const {
  if (number >= content_.inode_count()) fail(ENOENT);
  return content_.at(number);
}

const inode& unsynced_disk::directory(inode_number number) const {
  const inode& found = existing(number);
  if (!found.is_directory) fail(ENOTDIR);
  return found;
}

unsynced_disk::attributes unsynced_disk::attributes_of(inode_number number) const {
  const inode& one = existing(number);
  return {number, one.is_directory, one.size, one.pages.size()};
}

inode_number unsynced_disk::named(inode_number in, const std::string& name) const {
  const auto& names = directory(in).names;
  const auto found = names.find(name);
  if (found == names.end()) fail(ENOENT);
  return found->second;
}

unsynced_disk::attributes unsynced_disk::status(inode_number number) {
  const guard lock = enter();
  return attributes_of(number);
}

unsynced_disk::attributes unsynced_disk::find(inode_number in, const std::string& name) {
  const guard lock = enter();
  return attributes_of(named(in, name));
}

std::vector<std::pair<std::string, unsynced_disk::attributes>> unsynced_disk::list(inode_number in) {
  const guard lock = enter();
  std::vector<std::pair<std::string, attributes>> all;
  for (const auto& [name, number] : directory(in).names) all.emplace_back(name, attributes_of(number));
  return all;
}

unsynced_disk::attributes unsynced_disk::create(inode_number in, const std::string& name, bool is_directory) {
  guard lock = enter();
  count_event(lock);
  if (directory(in).names.contains(name)) fail(EEXIST);
  const inode_number made = static_cast<inode_number>(content_.inode_count());
  make({.what = logged::create, .target = in, .other = made, .is_directory = is_directory, .name = name});
  return attributes_of(made);
}

void unsynced_disk::remove(inode_number in, const std::string& name, bool is_directory) {
  guard lock = enter();
  count_event(lock);
  const inode& gone = existing(named(in, name));
  if (gone.is_directory != is_directory) fail(is_directory ? ENOTDIR : EISDIR);
  if (!gone.names.empty()) fail(ENOTEMPTY);
  make({.what = logged::remove, .target = in, .name = name});
}

void unsynced_disk::rename(inode_number in, const std::string& name, inode_number new_directory,
                           const std::string& new_name, bool may_replace) {
  guard lock = enter();
  count_event(lock);
  const inode_number moved = named(in, name);
  const auto& there = directory(new_directory).names;
  if (const auto replaced = there.find(new_name); replaced != there.end()) {
    if (!may_replace) fail(EEXIST);
    const inode& over = existing(replaced->second);
    if (over.is_directory != existing(moved).is_directory) fail(over.is_directory ? EISDIR : ENOTDIR);
    if (!over.names.empty()) fail(ENOTEMPTY);
  }
  make({.what = logged::rename,
        .target = in,
        .other = moved,
        .new_directory = new_directory,
        .name = name,
        .new_name = new_name});
}

std::size_t unsynced_disk::read(inode_number number, std::span<std::byte> to, std::uint64_t offset) {
  const guard lock = enter();
  const inode& file = existing(number);
  if (offset >= file.size) return 0;
  const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), file.size - offset));
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t within = static_cast<std::size_t>((offset + at) % disk_page);
    const std::size_t here = std::min(bytes - at, disk_page - within);
    const page_content* const page = file.page((offset + at) / disk_page);
    if (page != nullptr) {
      std::memcpy(to.data() + at, page->bytes.data() + within, here);
    } else {
      std::memset(to.data() + at, 0, here);
    }
    at += here;
  }
  return bytes;
}

void unsynced_disk::write(inode_number file, std::span<const std::byte> from, std::uint64_t offset) {
  const logged_call call = write_call(file, offset, from);
  guard lock = enter();
  count_event(lock);
  existing(file);
  make(call);
}

void unsynced_disk::resize(inode_number file, std::uint64_t bytes) {
  guard lock = enter();
  count_event(lock);
  existing(file);
  make({.what = logged::resize, .target = file, .bytes = bytes});
}

void unsynced_disk::punch(inode_number file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset % disk_page != 0 || bytes % disk_page != 0) fail(EOPNOTSUPP);
  guard lock = enter();
  count_event(lock);
  existing(file);
  make({.what = logged::punch, .target = file, .offset = offset, .bytes = bytes});
}

std::uint64_t unsynced_disk::next(inode_number number, std::uint64_t offset, bool is_data) {
  const guard lock = enter();
  const inode& file = existing(number);
  if (offset >= file.size) fail(ENXIO);
  std::uint64_t at = offset / disk_page;
  auto held = std::lower_bound(file.pages.begin(), file.pages.end(), at,
                               [](const auto& one, std::uint64_t wanted) { return one.first < wanted; });
  if (is_data) {
    if (held == file.pages.end() || held->first * disk_page >= file.size) fail(ENXIO);
    return std::max(offset, held->first * disk_page);
  }
  while (held != file.pages.end() && held->first == at) {
    ++held;
    ++at;
  }
  return std::min(std::max(offset, at * disk_page), file.size);
}

void unsynced_disk::sync(inode_number number) {
  guard lock = enter();
  existing(number);
  count_event(lock);
  const std::size_t begun = calls_++;
  constexpr std::uint64_t longest_us = 1500;
  const std::chrono::microseconds takes(random_.below(longest_us));
  lock.unlock();
  std::this_thread::sleep_for(takes);
  lock.lock();
  wait_for_power(lock);
  if (syncs_ + 1 == stop_.in_sync) stop_.at_event = events_ + 1;
  count_event(lock);
  if (++syncs_ == stop_.after_syncs)
    stop_.at_event = std::min(stop_.at_event, events_ + 1 + stop_.events_later);
  const bool fails_itself = syncs_ >= failure_.in_sync && !has_failed_;
  if (fails_itself) fail_write_back(number);
  if (fails_itself || failed_untold_ == number) {
    failed_untold_.reset();
    fail(EIO);
  }
  remains_.step({.what = logged::sync_ended, .target = number, .begun = begun}, calls_++);
}

void unsynced_disk::stop_when(const disk_stop& wanted) {
  const guard lock(mutex_);
  stop_ = wanted;
}

void unsynced_disk::fail_when(const write_back_failure& wanted) {
  const guard lock(mutex_);
  failure_ = wanted;
}

bool unsynced_disk::has_failed() {
  const guard lock(mutex_);
  return has_failed_;
}

void unsynced_disk::stop() {
  const guard lock(mutex_);
  if (power_ == power::on) power_ = power::stopped;
  changed_.notify_all();
}

bool unsynced_disk::wait_until_stopped(std::chrono::milliseconds patience) {
  guard lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return power_ != power::on; });
}

void unsynced_disk::go_on() {
  const guard lock(mutex_);
  if (power_ == power::stopped) power_ = power::on;
  changed_.notify_all();
}

void unsynced_disk::cut_power() {
  const guard lock(mutex_);
  power_ = power::cut;
  changed_.notify_all();
}

std::uint64_t unsynced_disk::events() {
  const guard lock(mutex_);
  return events_;
}

std::uint64_t unsynced_disk::syncs() {
  const guard lock(mutex_);
  return syncs_;
}

disk_image unsynced_disk::content() {
  const guard lock(mutex_);
  return content_;
}

crash_point unsynced_disk::remains() {
  const guard lock(mutex_);
  return remains_;
}

std::optional<inode_number> unsynced_disk::take_evicted() {
  const guard lock(mutex_);
  return std::exchange(evicted_, std::nullopt);
}

}  // namespace perdure::crash
