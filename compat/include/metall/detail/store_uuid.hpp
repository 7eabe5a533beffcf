// The identity of a store, and of each of its copies.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <perdure/datastore.hpp>
#include <perdure/hash.hpp>
#include <string>

namespace metall::detail {

/// A copy's files keep the UUID of their original; when and of what it was copied tells it apart.
inline std::string uuid_of(const perdure::store_info& info) {
  if (info.copied_ns == 0) return info.uuid;
  const std::string origin =
      info.uuid + '/' + std::to_string(info.copied_epoch) + '/' + std::to_string(info.copied_ns);
  const std::uint64_t high = perdure::hash<std::string>{}(origin);
  const std::uint64_t low = perdure::hash<std::string>{}(origin + '/');
  char text[37];
  std::snprintf(text, sizeof text, "%08x-%04x-8%03x-%04x-%012llx", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>(high >> 16 & 0xffff), static_cast<unsigned>(high & 0xfff),
                static_cast<unsigned>(0x8000 | (low >> 48 & 0x3fff)),
                static_cast<unsigned long long>(low & 0xffffffffffff));
  return text;
}

}  // namespace metall::detail
