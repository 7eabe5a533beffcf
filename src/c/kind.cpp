// Kinds of memory.
#include "perdure/c/kind.h"

#include <cerrno>
#include <string>

#include "c/handles.hpp"
#include "c/kinds.hpp"
#include "perdure/kind.hpp"

using namespace perdure::c;

static_assert(PERDURE_KIND_STATIC_COUNT == perdure::static_kind_count);
static_assert(PERDURE_KIND_HIGHEST_CAPACITY_LOCAL_PREFERRED ==
              static_cast<int>(perdure::static_kind::highest_capacity_local_preferred));
static_assert(PERDURE_TIER_HIGHEST_CAPACITY == static_cast<int>(perdure::memory_tier::highest_capacity));
static_assert(PERDURE_SCOPE_LOCAL == static_cast<int>(perdure::tier_scope::local));
static_assert(PERDURE_NUMA_LOCAL == static_cast<int>(perdure::numa_mode::local));
static_assert(PERDURE_PAGES_HUGE_1G == static_cast<int>(perdure::page_backing::huge_1g));

namespace {

perdure::static_kind static_of(int which) {
  if (which < 0 || which >= PERDURE_KIND_STATIC_COUNT)
    refuse("there is no static kind " + std::to_string(which));
  return static_cast<perdure::static_kind>(which);
}

template <class Enum>
Enum one_of(int value, Enum last, const char* what) {
  if (value < 0 || value > static_cast<int>(last))
    refuse(std::string("request->") + what + " is " + std::to_string(value) + ", which is none");
  return static_cast<Enum>(value);
}

perdure::memory_request request_from(const perdure_kind_request* given) {
  const perdure_kind_request wanted = options_from(&required(given, "request"), "request");
  perdure::memory_request request;
  request.tier = one_of(wanted.tier, perdure::memory_tier::highest_capacity, "tier");
  request.scope = one_of(wanted.scope, perdure::tier_scope::local, "scope");
  request.mode = one_of(wanted.mode, perdure::numa_mode::local, "mode");
  request.pages = one_of(wanted.pages, perdure::page_backing::huge_1g, "pages");
  request.pages_preferred = wanted.pages_preferred != 0;
  if (wanted.reserved != 0) refuse("request->reserved is not 0");
  if (wanted.node_words > request.nodes.words().size())
    refuse("request->node_words is " + std::to_string(wanted.node_words) + ": there are 1024 nodes at most");
  for (std::size_t i = 0; i < wanted.node_words; ++i)
    request.nodes.words()[i] = (&required(wanted.nodes, "request->nodes"))[i];
  return request;
}

void require_available(const std::optional<std::string>& why_not) {
  if (why_not) throw perdure::error(perdure::errc::unsupported, *why_not);
}

/// The kind of a call that may leave it to the block. Null, recorded as the last error: there is none.
perdure::kind* kind_of_block(const perdure_kind* given, const void* block) noexcept {
  perdure::kind* found = nullptr;
  guarded([&] {
    found = given != nullptr ? &kind_of(given) : perdure::kind::detect(block);
    if (found == nullptr) refuse("the address is in the memory of no kind");
  });
  return found;
}

void* fail_allocation(int error) noexcept {
  errno = error;
  return nullptr;
}

/// Records why there is no block.
void* checked(void* block, const perdure::kind& from) noexcept {
  if (block != nullptr) [[likely]]
    return block;
  const int reason = errno;
  guarded([&] {
    if (reason == EINVAL) refuse("the address is not that of a block of kind " + from.name());
    throw perdure::error(perdure::errc::out_of_memory, "kind " + from.name() + " has no more memory");
  });
  return fail_allocation(reason);
}

// The long ways, apart from the short ones, which thus need no room on the stack.

[[gnu::noinline]] void* malloc_otherwise(const perdure_kind* kind, std::size_t size) noexcept {
  perdure::kind* const object = perdure::detail::kind_at(kind);
  if (object == nullptr) {
    guarded([&] { kind_of(kind); });
    return fail_allocation(EINVAL);
  }
  return checked(object->malloc(size), *object);
}

[[gnu::noinline]] perdure_status free_otherwise(const perdure_kind* kind, void* block) noexcept {
  perdure::kind* const object =
      kind != nullptr ? perdure::detail::kind_at(kind) : perdure::kind::detect(block);
  if (object != nullptr && object->free(block)) return PERDURE_OK;
  return guarded([&] {
    if (kind != nullptr) kind_of(kind);
    if (block == nullptr) return;
    refuse(object == nullptr ? "the address is in the memory of no kind"
                             : "no allocated block of kind " + object->name() + " begins at the address");
  });
}

}  // namespace

namespace perdure::c {

kind& kind_of(const perdure_kind* handle) {
  kind* const found = detail::kind_at(handle);
  if (found == nullptr)
    refuse(handle == nullptr ? "the kind is NULL" : "the kind was destroyed before, or never was one");
  return *found;
}

perdure_kind* handle_of(kind* object) noexcept {
  return reinterpret_cast<perdure_kind*>(object);
}

kind_options kind_options_from(const perdure_kind_options* given) {
  const perdure_kind_options wanted = options_from(given, "options");
  if (wanted.reserved != 0) refuse("options->reserved is not 0");
  kind_options options;
  if (wanted.name != nullptr) options.name = wanted.name;
  options.capacity = wanted.capacity;
  options.check_frees = wanted.check_frees != 0;
  return options;
}

}  // namespace perdure::c

perdure_status perdure_kind_get(int which, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    result = handle_of(&perdure::kind::get(static_of(which)));
  });
}

perdure_status perdure_kind_of_node(unsigned node, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    result = handle_of(&perdure::kind::of_node(node));
  });
}

perdure_status perdure_kind_check_available(int which) {
  return guarded([&] { require_available(perdure::kind::why_unavailable(static_of(which))); });
}

perdure_status perdure_kind_check_request(const perdure_kind_request* request) {
  return guarded([&] { require_available(perdure::kind::why_unavailable(request_from(request))); });
}

const char* perdure_kind_static_name(int which) {
  if (which < 0 || which >= PERDURE_KIND_STATIC_COUNT) return "unknown";
  return perdure::to_string(static_cast<perdure::static_kind>(which)).data();
}

perdure_status perdure_kind_create_memory(const perdure_kind_request* request,
                                          const perdure_kind_options* options, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    result = handle_of(perdure::kind::create(request_from(request), kind_options_from(options)).release());
  });
}

perdure_status perdure_kind_create_file(const char* directory, uint64_t max_bytes,
                                        const perdure_kind_options* options, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    const char* const where = required_text(directory, "directory");
    result = handle_of(perdure::kind::create_file(where, max_bytes, kind_options_from(options)).release());
  });
}

perdure_status perdure_kind_create_store(perdure_store* store, const perdure_kind_options* options,
                                         perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    auto& core = core_of(store);
    core.require_writable();
    result = handle_of(perdure::kind::create_over(core.memory(), kind_options_from(options)).release());
  });
}

perdure_status perdure_kind_destroy(perdure_kind* kind) {
  return guarded([&] {
    if (kind == nullptr) return;
    perdure::kind& object = kind_of(kind);
    if (object.is_lasting()) refuse("kind " + object.name() + " is a static one: it is never destroyed");
    delete &object;
  });
}

void* perdure_kind_malloc(perdure_kind* kind, size_t size) {
  const perdure::kind* const once = perdure::detail::kind_once_at(kind);
  if (once != nullptr) [[likely]]
    if (void* const block = perdure::detail::kind_cache_access::take(*once, size)) [[likely]]
      return block;
  return malloc_otherwise(kind, size);
}

void* perdure_kind_calloc(perdure_kind* kind, size_t count, size_t size) {
  perdure::kind* const object = perdure::detail::kind_at(kind);
  if (object == nullptr) [[unlikely]] {
    guarded([&] { kind_of(kind); });
    return fail_allocation(EINVAL);
  }
  return checked(object->calloc(count, size), *object);
}

void* perdure_kind_realloc(perdure_kind* kind, void* block, size_t size) {
  perdure::kind* const object = kind_of_block(kind, block);
  if (object == nullptr) return fail_allocation(EINVAL);
  const int saved = errno;
  errno = 0;
  void* const resized = object->realloc(block, size);
  if (resized == nullptr && errno != 0) return checked(resized, *object);
  errno = saved;
  return resized;
}

int perdure_kind_posix_memalign(perdure_kind* kind, void** block, size_t alignment, size_t size) {
  perdure::kind* const object = perdure::detail::kind_at(kind);
  if (object == nullptr) return EINVAL;
  return object->posix_memalign(block, alignment, size);
}

perdure_status perdure_kind_free(perdure_kind* kind, void* block) {
  const perdure::kind* once = perdure::detail::kind_once_at(kind);
  if (once == nullptr)
    if (const perdure::heap* const memory = perdure::heap::containing(block);
        kind == nullptr && memory != nullptr)
      once = static_cast<const perdure::kind*>(memory->owner());
  if (once != nullptr && perdure::detail::kind_cache_access::put(*once, block)) [[likely]]
    return PERDURE_OK;
  return free_otherwise(kind, block);
}

size_t perdure_kind_malloc_usable_size(perdure_kind* kind, const void* block) {
  if (block == nullptr) return 0;
  const perdure::kind* const object = kind_of_block(kind, block);
  return object == nullptr ? 0 : object->usable_size(block);
}

perdure_status perdure_kind_detect(const void* address, perdure_kind** kind) {
  return guarded([&] {
    perdure_kind*& result = required_result(kind, "kind");
    result = handle_of(perdure::kind::detect(address));
    if (result == nullptr)
      throw perdure::error(perdure::errc::not_found, "the address is in the memory of no kind");
  });
}

perdure_status perdure_kind_get_size(const perdure_kind* kind, uint64_t* total, uint64_t* free_bytes) {
  return guarded([&] {
    const perdure::memory_size size = kind_of(kind).size();
    if (total != nullptr) *total = size.total;
    if (free_bytes != nullptr) *free_bytes = size.free;
  });
}

perdure_status perdure_kind_stats_get(const perdure_kind* kind, perdure_kind_statistics* stats) {
  return guarded([&] {
    const perdure::kind_stats now = kind_of(kind).stats();
    perdure_kind_statistics value{};
    value.used_bytes = now.used_bytes;
    value.free_bytes = now.free_bytes;
    value.metadata_bytes = now.metadata_bytes;
    value.committed_bytes = now.committed_bytes;
    value.capacity_bytes = now.capacity_bytes;
    value.blocks = now.blocks;
    fill(stats, value, "stats");
  });
}

perdure_status perdure_kind_trim(perdure_kind* kind, int* gave) {
  return guarded([&] {
    const bool any = kind_of(kind).trim();
    if (gave != nullptr) *gave = any ? 1 : 0;
  });
}

void* perdure_kind_defragment(perdure_kind* kind, void* block) {
  perdure::kind* const object = kind_of_block(kind, block);
  return object == nullptr ? nullptr : object->defragment(block);
}

perdure_status perdure_kind_name(const perdure_kind* kind, const char** name) {
  return guarded([&] {
    const char*& result = required_result(name, "name");
    result = kind_of(kind).name().c_str();
  });
}

perdure_status perdure_kind_range(const perdure_kind* kind, void** base, size_t* capacity) {
  return guarded([&] {
    void*& result = required_result(base, "base");
    const perdure::kind& object = kind_of(kind);
    const perdure::heap* const memory = object.memory();
    if (memory == nullptr)
      throw perdure::error(perdure::errc::unsupported,
                           "kind " + object.name() + " allocates by functions of its own");
    result = memory->base();
    if (capacity != nullptr) *capacity = object.stats().capacity_bytes;
  });
}
