// Metall's C interface over metall::manager.
#include <metall/c_api/metall.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <metall/metall.hpp>
#include <new>
#include <system_error>

namespace {

using named_byte = unsigned char;

metall::manager* manager_of(metall_manager* handle) noexcept {
  return reinterpret_cast<metall::manager*>(handle);
}

template <class Result>
Result fail(int number, Result result) noexcept {
  errno = number;
  return result;
}

template <class Mode>
metall_manager* open_as(Mode mode, const char* path) noexcept {
  if (path == nullptr) return fail<metall_manager*>(ENOTRECOVERABLE, nullptr);
  try {
    auto manager = std::make_unique<metall::manager>(mode, path);
    if (manager->check_sanity()) return reinterpret_cast<metall_manager*>(manager.release());
  } catch (const std::exception&) {
    // Memory is too short even for the path.
  }
  return fail<metall_manager*>(ENOTRECOVERABLE, nullptr);
}

bool something_at(const char* path) noexcept {
  std::error_code nothing;
  return std::filesystem::exists(std::filesystem::symlink_status(path, nothing));
}

}  // namespace

metall_manager* metall_open(const char* path) {
  return open_as(metall::open_only, path);
}

metall_manager* metall_open_read_only(const char* path) {
  return open_as(metall::open_read_only, path);
}

metall_manager* metall_create(const char* path) {
  if (path != nullptr && something_at(path)) return fail<metall_manager*>(EEXIST, nullptr);
  return open_as(metall::create_only, path);
}

bool metall_snapshot(metall_manager* manager, const char* dst_path) {
  if (manager == nullptr || dst_path == nullptr) return fail(EINVAL, false);
  return manager_of(manager)->snapshot(dst_path);
}

void metall_flush(metall_manager* manager) {
  if (manager != nullptr) manager_of(manager)->flush();
}

void metall_close(metall_manager* manager) {
  delete manager_of(manager);
}

bool metall_remove(const char* path) {
  if (path == nullptr) return fail(EINVAL, false);
  const bool is_store = !metall::manager::get_uuid(path).empty();
  if (metall::manager::remove(path)) return true;
  return fail(is_store ? EADDRINUSE : EINVAL, false);
}

void* metall_malloc(metall_manager* manager, size_t size) {
  if (manager == nullptr) return fail<void*>(EINVAL, nullptr);
  void* const block = manager_of(manager)->allocate(size);
  return block != nullptr ? block : fail<void*>(ENOMEM, nullptr);
}

void metall_free(metall_manager* manager, void* ptr) {
  if (manager != nullptr) manager_of(manager)->deallocate(ptr);
}

void* metall_named_malloc(metall_manager* manager, const char* name, size_t size) {
  if (manager == nullptr || name == nullptr || *name == '\0') return fail<void*>(EINVAL, nullptr);
  if (manager_of(manager)->find<named_byte>(name).first != nullptr) return fail<void*>(EINVAL, nullptr);
  void* const block = manager_of(manager)->construct<named_byte>(name)[size]();
  return block != nullptr ? block : fail<void*>(ENOMEM, nullptr);
}

void* metall_find(metall_manager* manager, const char* name) {
  if (manager == nullptr || name == nullptr) return fail<void*>(EINVAL, nullptr);
  void* const block = manager_of(manager)->find<named_byte>(name).first;
  return block != nullptr ? block : fail<void*>(ENOENT, nullptr);
}

bool metall_named_free(metall_manager* manager, const char* name) {
  if (manager == nullptr || name == nullptr) return fail(EINVAL, false);
  return manager_of(manager)->destroy<named_byte>(name) || fail(ENOENT, false);
}
