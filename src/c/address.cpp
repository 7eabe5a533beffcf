// Addresses and offsets.
#include "perdure/c/address.h"

#include <cstdint>
#include <string>

#include "c/handles.hpp"
#include "perdure/heap.hpp"

using namespace perdure::c;

perdure_status perdure_offset_of(const perdure_store* store, const void* address, uint64_t* offset) {
  return guarded([&] {
    required(offset, "offset") = 0;
    auto& core = core_of(store);
    if (address == nullptr) return;
    const std::uint64_t distance =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(core.memory().base());
    if (distance == 0 || distance >= core.size()) refuse("the address does not lie in this store");
    *offset = distance;
  });
}

perdure_status perdure_address_of(const perdure_store* store, uint64_t offset, void** address) {
  return guarded([&] {
    void*& result = required_result(address, "address");
    auto& core = core_of(store);
    if (offset == 0) return;
    if (offset >= core.size())
      refuse("the offset " + std::to_string(offset) + " lies beyond the used part of the store, which has " +
             std::to_string(core.size()) + " bytes");
    result = core.memory().at(offset);
  });
}

perdure_status perdure_base(const perdure_store* store, void** base, size_t* size) {
  return guarded([&] {
    void*& result = required_result(base, "base");
    if (size != nullptr) *size = 0;
    auto& core = core_of(store);
    result = core.memory().base();
    if (size != nullptr) *size = core.size();
  });
}
