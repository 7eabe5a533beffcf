// A map in a store that many threads may fill at once.
#pragma once

#include <array>
#include <atomic>
#include <boost/container/map.hpp>
#include <boost/container/scoped_allocator.hpp>
#include <boost/container/vector.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <metall/utility/container_of_containers_iterator_adaptor.hpp>
#include <metall/utility/mutex.hpp>
#include <mutex>
#include <utility>

namespace metall::container {

/// Banks of ordered maps, each under a mutex of the running process. Threads that insert or edit may do so at
/// once; `count`, `find` and iteration need those to be quiet.
///
/// `BankHash` chooses a key's bank, so it must give the same value in every run.
template <typename Key, typename Mapped, typename Compare = std::less<Key>,
          typename BankHash = std::hash<Key>,
          typename Allocator = std::allocator<std::pair<const Key, Mapped>>, int k_num_banks = 1024>
class concurrent_map {
  static_assert(k_num_banks > 0, "a map has at least one bank");
  static constexpr std::size_t bank_count = static_cast<std::size_t>(k_num_banks);

  using map = boost::container::map<Key, Mapped, Compare, Allocator>;
  template <typename T>
  using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  using bank_vector = boost::container::vector<map, boost::container::scoped_allocator_adaptor<rebound<map>>>;

 public:
  using key_type = typename map::key_type;
  using mapped_type = typename map::mapped_type;
  using value_type = typename map::value_type;
  using size_type = std::size_t;
  using allocator_type = Allocator;
  using const_iterator =
      utility::container_of_containers_iterator_adaptor<typename bank_vector::const_iterator,
                                                        typename map::const_iterator>;

  explicit concurrent_map(const Allocator& allocator = Allocator()) : banks_(bank_count, allocator) {}

  /// 1 or 0.
  size_type count(const key_type& key) const { return bank_of(key).count(key); }
  size_type size() const noexcept {
    return std::atomic_ref<size_type>(size_).load(std::memory_order_relaxed);
  }

  /// False, and nothing is changed, if the key is there.
  bool insert(value_type&& value) { return insert_locked(std::move(value)); }
  bool insert(const value_type& value) { return insert_locked(value); }

  /// The key's value, made if it was not there, and the lock under which it may be changed. Another key of
  /// the same bank must not be asked for meanwhile.
  std::pair<mapped_type&, std::unique_lock<std::mutex>> scoped_edit(const key_type& key) {
    std::unique_lock<std::mutex> held = lock(key);
    mapped_type& value = value_of(key);
    return {value, std::move(held)};
  }
  /// Calls `editor` with the key's value, made if it was not there.
  void edit(const key_type& key, const std::function<void(mapped_type& mapped_value)>& editor) {
    const std::unique_lock<std::mutex> held = lock(key);
    editor(value_of(key));
  }

  const_iterator cbegin() const { return {banks_.cbegin(), banks_.cend()}; }
  const_iterator cend() const { return {banks_.cend(), banks_.cend()}; }
  const_iterator begin() const { return cbegin(); }
  const_iterator end() const { return cend(); }

  /// `cend()` if there is none.
  const_iterator find(const key_type& key) const {
    const auto bank = banks_.cbegin() + static_cast<std::ptrdiff_t>(bank_number(key));
    const auto found = bank->find(key);
    return found == bank->cend() ? cend() : const_iterator(bank, found, banks_.cend());
  }

  allocator_type get_allocator() const { return allocator_type(banks_.get_allocator().outer_allocator()); }

 private:
  static std::size_t bank_number(const key_type& key) { return BankHash()(key) % bank_count; }
  static std::unique_lock<std::mutex> lock(const key_type& key) {
    return utility::mutex::mutex_lock<k_num_banks>(bank_number(key));
  }
  map& bank_of(const key_type& key) { return banks_[bank_number(key)]; }
  const map& bank_of(const key_type& key) const { return banks_[bank_number(key)]; }

  template <typename Value>
  bool insert_locked(Value&& value) {
    const std::unique_lock<std::mutex> held = lock(value.first);
    map& bank = bank_of(value.first);
    return counted(bank.insert(std::forward<Value>(value)).second);
  }
  mapped_type& value_of(const key_type& key) {
    const auto [at, added] = bank_of(key).try_emplace(key);
    counted(added);
    return at->second;
  }
  bool counted(const bool added) noexcept {
    if (added) std::atomic_ref<size_type>(size_).fetch_add(1, std::memory_order_relaxed);
    return added;
  }

  bank_vector banks_;
  mutable size_type size_ = 0;  // of all banks, whose mutexes differ
};

}  // namespace metall::container
