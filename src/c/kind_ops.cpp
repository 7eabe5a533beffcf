// Kinds made of a table of operations.
#include "perdure/c/kind_ops.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "c/boundary.hpp"
#include "c/kinds.hpp"
#include "perdure/memory_policy.hpp"

using namespace perdure::c;

namespace {

constexpr std::size_t most_taken_ahead = std::size_t{64} << 20;

/// The table, and the context made with it.
class operations {
 public:
  operations(const perdure_kind_ops& table, void* argument) : table_(table), context_(argument) {
    if (table_.init == nullptr) return;
    const int failure = table_.init(argument, &context_);
    if (failure != 0)
      throw perdure::error(perdure::errc::io, std::string("ops->init failed: ") + std::strerror(failure));
  }
  operations(const operations&) = delete;
  operations& operator=(const operations&) = delete;
  ~operations() {
    if (table_.destroy != nullptr) table_.destroy(context_);
  }
  const perdure_kind_ops* operator->() const noexcept { return &table_; }
  void* context() const noexcept { return context_; }

 private:
  perdure_kind_ops table_;
  void* context_;
};

void require_success(int failure) {
  if (failure != 0) throw std::bad_alloc();
}

class policy_of_operations final : public perdure::memory_policy {
 public:
  policy_of_operations(const perdure_kind_ops& table, void* argument, std::shared_ptr<memory_policy> parent)
      : parent_(std::move(parent)), ops_(table, argument) {}

  void* address_hint(std::size_t capacity) override {
    if (ops_->address_hint != nullptr) return ops_->address_hint(ops_.context(), capacity);
    return parent_->address_hint(capacity);
  }
  std::size_t granularity() const override {
    if (ops_->granularity != nullptr) return ops_->granularity(ops_.context());
    return parent_->granularity();
  }
  std::size_t step(std::size_t missing, std::size_t committed) override {
    if (ops_->round_length != nullptr) return ops_->round_length(ops_.context(), missing, committed);
    const std::size_t wanted = parent_->step(missing, committed);
    if (!populates()) return wanted;
    // Pages are taken at once, so no more than a part of what is used anyway.
    return std::min(wanted, std::max(missing, std::min(committed / 8, most_taken_ahead)));
  }
  int protection(std::uint64_t offset, std::size_t bytes) override {
    if (ops_->protection != nullptr) return ops_->protection(ops_.context(), offset, bytes);
    return parent_->protection(offset, bytes);
  }
  int map_flags(std::uint64_t offset, std::size_t bytes) override {
    if (ops_->mmap_flags != nullptr) return ops_->mmap_flags(ops_.context(), offset, bytes);
    // The usual flags depend on whether there is a file.
    return ops_->file != nullptr ? memory_policy::map_flags(offset, bytes)
                                 : parent_->map_flags(offset, bytes);
  }
  perdure::file_place file(std::uint64_t offset, std::size_t bytes) override {
    if (ops_->file == nullptr) return parent_->file(offset, bytes);
    perdure::file_place place;
    require_success(ops_->file(ops_.context(), offset, bytes, &place.descriptor, &place.offset));
    return place;
  }
  perdure::numa_placement placement(std::uint64_t offset, std::size_t bytes) override {
    if (ops_->numa == nullptr) return parent_->placement(offset, bytes);
    perdure::numa_placement wanted;
    int mode = 0;
    require_success(ops_->numa(ops_.context(), offset, bytes, &mode, wanted.nodes.words().data()));
    if (mode < 0 || mode > PERDURE_NUMA_LOCAL) throw std::bad_alloc();
    wanted.mode = static_cast<perdure::numa_mode>(mode);
    return wanted;
  }
  void advise(void* address, std::size_t bytes) override {
    if (ops_->advise != nullptr) return ops_->advise(ops_.context(), address, bytes);
    parent_->advise(address, bytes);
  }
  bool populates() const override {
    return (ops_->flags & PERDURE_KIND_OPS_POPULATE) != 0 || parent_->populates();
  }
  // A table with a file of its own takes none of the parent's space.
  void prepare(std::uint64_t offset, std::size_t bytes) override {
    if (ops_->file == nullptr) parent_->prepare(offset, bytes);
  }
  void forget(std::uint64_t offset, std::size_t bytes) noexcept override {
    if (ops_->file == nullptr)
      parent_->forget(offset, bytes);
    else
      memory_policy::forget(offset, bytes);
  }
  std::optional<int> map_flags_otherwise(std::uint64_t offset, std::size_t bytes) override {
    if (ops_->mmap_flags != nullptr) return std::nullopt;
    return parent_->map_flags_otherwise(offset, bytes);
  }
  void commit(void* address, std::size_t bytes, std::uint64_t offset) override {
    if (ops_->commit != nullptr) return require_success(ops_->commit(ops_.context(), address, bytes, offset));
    memory_policy::commit(address, bytes, offset);
  }
  bool decommit(void* address, std::size_t bytes, std::uint64_t offset) noexcept override {
    if (ops_->decommit != nullptr) return ops_->decommit(ops_.context(), address, bytes, offset) != 0;
    // What commits in a way of its own is known to give back in that way only.
    return ops_->commit == nullptr && memory_policy::decommit(address, bytes, offset);
  }
  bool is_private() const override {
    return (ops_->flags & PERDURE_KIND_OPS_SHARED) == 0 && parent_->is_private();
  }
  perdure::memory_size size() const override {
    if (ops_->get_size == nullptr) return parent_->size();
    perdure::memory_size size;
    if (ops_->get_size(ops_.context(), &size.total, &size.free) != 0) return {};
    return size;
  }

 private:
  std::shared_ptr<memory_policy> parent_;
  operations ops_;
};

class allocation_of_operations final : public perdure::kind_allocation {
 public:
  allocation_of_operations(const perdure_kind_ops& table, void* argument,
                           std::shared_ptr<kind_allocation> parent)
      : parent_(std::move(parent)), ops_(table, argument) {}

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (ops_->malloc != nullptr) return ops_->malloc(ops_.context(), bytes, alignment);
    return parent_->allocate(bytes, alignment);
  }
  void deallocate(void* block) noexcept override {
    if (ops_->free != nullptr) return ops_->free(ops_.context(), block);
    parent_->deallocate(block);
  }
  std::size_t usable_size(const void* block) const noexcept override {
    if (ops_->usable_size != nullptr) return ops_->usable_size(ops_.context(), block);
    return parent_->usable_size(block);
  }
  bool owns(const void* address) const noexcept override {
    if (ops_->owns != nullptr) return ops_->owns(ops_.context(), address) != 0;
    return parent_->owns(address);
  }
  void* reallocate(void* block, std::size_t bytes) noexcept override {
    if (ops_->realloc != nullptr) return ops_->realloc(ops_.context(), block, bytes);
    if (parent_ != nullptr && ops_->malloc == nullptr) return parent_->reallocate(block, bytes);
    return kind_allocation::reallocate(block, bytes);
  }
  perdure::memory_size size() const override {
    perdure::memory_size size;
    if (ops_->get_size == nullptr) return parent_ != nullptr ? parent_->size() : size;
    if (ops_->get_size(ops_.context(), &size.total, &size.free) != 0) return {};
    return size;
  }
  perdure::kind_stats stats() const override {
    return parent_ != nullptr ? parent_->stats() : perdure::kind_stats{};
  }
  bool trim() override { return parent_ != nullptr && parent_->trim(); }

 private:
  std::shared_ptr<kind_allocation> parent_;
  operations ops_;
};

perdure_kind_ops table_from(const perdure_kind_ops* given) {
  std::uint32_t first[2];
  std::memcpy(first, &required(given, "ops"), sizeof first);
  const auto [version, size] = first;
  if (version == 0 || version > PERDURE_KIND_OPS_VERSION)
    throw perdure::error(perdure::errc::unsupported, "ops->version is " + std::to_string(version) +
                                                         ": this library knows versions up to " +
                                                         std::to_string(PERDURE_KIND_OPS_VERSION));
  constexpr std::size_t least = offsetof(perdure_kind_ops, init);
  if (size < least || size > most_struct_bytes)
    refuse("ops->struct_size is " + std::to_string(size) + ": set it to the struct's sizeof");
  perdure_kind_ops table{};
  std::memcpy(static_cast<void*>(&table), given, std::min<std::size_t>(size, sizeof table));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof table &&
      std::any_of(bytes + sizeof table, bytes + size, [](unsigned char b) { return b != 0; }))
    throw perdure::error(perdure::errc::unsupported,
                         "ops has operations that only a later version of this library knows");
  if (table.reserved != 0 || (table.flags & ~(PERDURE_KIND_OPS_SHARED | PERDURE_KIND_OPS_POPULATE)) != 0)
    refuse("ops->flags or ops->reserved has bits that mean nothing");
  return table;
}

bool is_about_ranges(const perdure_kind_ops& t) noexcept {
  return t.address_hint != nullptr || t.granularity != nullptr || t.round_length != nullptr ||
         t.protection != nullptr || t.mmap_flags != nullptr || t.file != nullptr || t.numa != nullptr ||
         t.advise != nullptr || t.commit != nullptr || t.decommit != nullptr;
}

bool is_about_blocks(const perdure_kind_ops& t) noexcept {
  return t.malloc != nullptr || t.realloc != nullptr || t.free != nullptr || t.usable_size != nullptr ||
         t.owns != nullptr;
}

}  // namespace

perdure_status perdure_kind_create(const perdure_kind_ops* ops, void* argument, const perdure_kind* inherits,
                                   const perdure_kind_options* options, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    const perdure_kind_ops table = table_from(ops);
    const perdure::kind_options wanted = kind_options_from(options);
    const perdure::kind* const parent = inherits != nullptr ? &kind_of(inherits) : nullptr;
    if (is_about_ranges(table) && is_about_blocks(table))
      refuse("ops has operations about ranges and operations about blocks: take one sort");
    std::unique_ptr<perdure::kind> made;
    if (is_about_blocks(table) || (parent != nullptr && parent->allocation() != nullptr)) {
      if (is_about_ranges(table)) refuse("the kind inherited hands out blocks itself: it has no ranges");
      auto inherited = parent != nullptr ? parent->allocation() : nullptr;
      if (inherited == nullptr && (table.malloc == nullptr || table.free == nullptr ||
                                   table.usable_size == nullptr || table.owns == nullptr))
        refuse("ops needs malloc, free, usable_size and owns, if it has any of them");
      made = perdure::kind::create(
          std::make_shared<allocation_of_operations>(table, argument, std::move(inherited)), wanted);
    } else {
      auto inherited = parent != nullptr ? parent->policy() : std::make_shared<perdure::memory_policy>();
      if (inherited == nullptr)
        throw perdure::error(perdure::errc::unsupported,
                             "kind " + parent->name() + " is a store's: it has no operations to inherit");
      made = perdure::kind::create(
          std::make_shared<policy_of_operations>(table, argument, std::move(inherited)), wanted);
    }
    result = handle_of(made.release());
  });
}
