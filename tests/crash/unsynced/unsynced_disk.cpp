#include "crash/unsynced/unsynced_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
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
}

void unsynced_disk::make(const logged_call& call) {
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
  remains_.step({.what = logged::sync_ended, .target = number, .begun = begun}, calls_++);
  if (++syncs_ == stop_.after_syncs)
    stop_.at_event = std::min(stop_.at_event, events_ + 1 + stop_.events_later);
}

void unsynced_disk::stop_when(const disk_stop& wanted) {
  const guard lock(mutex_);
  stop_ = wanted;
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

}  // namespace perdure::crash
