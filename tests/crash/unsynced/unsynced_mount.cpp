#include "crash/unsynced/unsynced_mount.hpp"

#define FUSE_USE_VERSION 31
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "crash/block/not_possible.hpp"

namespace perdure::crash {

namespace {

using attributes = unsynced_disk::attributes;

// Nobody but the kernel's calls changes anything, so it may remember for as long as it likes.
constexpr double remembered_s = 3600;

fuse_ino_t to_fuse(inode_number number) {
  return number + FUSE_ROOT_ID;
}

inode_number from_fuse(fuse_ino_t number) {
  return static_cast<inode_number>(number - FUSE_ROOT_ID);
}

struct stat status_of(const attributes& one) {
  struct stat status {};
  status.st_ino = to_fuse(one.number);
  status.st_mode = one.is_directory ? S_IFDIR | 0700 : S_IFREG | 0600;
  status.st_nlink = one.is_directory ? 2 : 1;
  status.st_uid = ::getuid();
  status.st_gid = ::getgid();
  status.st_size = static_cast<off_t>(one.size);
  status.st_blksize = disk_page;
  status.st_blocks = static_cast<blkcnt_t>(one.pages_held * sectors_per_page);
  return status;
}

fuse_entry_param entry_of(const attributes& one) {
  fuse_entry_param entry{};
  entry.ino = to_fuse(one.number);
  entry.attr = status_of(one);
  entry.attr_timeout = entry.entry_timeout = remembered_s;
  return entry;
}

unsynced_mount& mount_of(fuse_req_t request) {
  return *static_cast<unsynced_mount*>(::fuse_req_userdata(request));
}

// Answers with the error if there is one; else `serve` has answered.
template <class Serve>
void answer(fuse_req_t request, Serve&& serve) {
  unsynced_mount& mount = mount_of(request);
  try {
    serve(mount.disk());
  } catch (const std::system_error& failure) {
    ::fuse_reply_err(request, failure.code().value());
  } catch (const std::bad_alloc&) {
    ::fuse_reply_err(request, ENOMEM);
  }
  mount.forget_evicted();
}

void lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  answer(request, [&](unsynced_disk& disk) {
    const fuse_entry_param entry = entry_of(disk.find(from_fuse(parent), name));
    ::fuse_reply_entry(request, &entry);
  });
}

void getattr(fuse_req_t request, fuse_ino_t number, fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    const struct stat status = status_of(disk.status(from_fuse(number)));
    ::fuse_reply_attr(request, &status, remembered_s);
  });
}

// Of what can be set only the size is kept; the store relies on nothing else.
void setattr(fuse_req_t request, fuse_ino_t number, struct stat* wanted, int what, fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    if ((what & FUSE_SET_ATTR_SIZE) != 0)
      disk.resize(from_fuse(number), static_cast<std::uint64_t>(wanted->st_size));
    const struct stat status = status_of(disk.status(from_fuse(number)));
    ::fuse_reply_attr(request, &status, remembered_s);
  });
}

void mkdir(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t) {
  answer(request, [&](unsynced_disk& disk) {
    const fuse_entry_param entry = entry_of(disk.create(from_fuse(parent), name, true));
    ::fuse_reply_entry(request, &entry);
  });
}

void create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t, fuse_file_info* info) {
  answer(request, [&](unsynced_disk& disk) {
    const fuse_entry_param entry = entry_of(disk.create(from_fuse(parent), name, false));
    ::fuse_reply_create(request, &entry, info);
  });
}

void unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  answer(request, [&](unsynced_disk& disk) {
    disk.remove(from_fuse(parent), name, false);
    ::fuse_reply_err(request, 0);
  });
}

void rmdir(fuse_req_t request, fuse_ino_t parent, const char* name) {
  answer(request, [&](unsynced_disk& disk) {
    disk.remove(from_fuse(parent), name, true);
    ::fuse_reply_err(request, 0);
  });
}

void rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent,
            const char* new_name, unsigned flags) {
  answer(request, [&](unsynced_disk& disk) {
    constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE
    if ((flags & ~no_replace) != 0) throw std::system_error(EINVAL, std::generic_category());
    disk.rename(from_fuse(parent), name, from_fuse(new_parent), new_name, (flags & no_replace) == 0);
    ::fuse_reply_err(request, 0);
  });
}

void open(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  ::fuse_reply_open(request, info);
}

void read(fuse_req_t request, fuse_ino_t number, std::size_t bytes, off_t offset, fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    std::vector<std::byte> data(bytes);
    const std::size_t got = disk.read(from_fuse(number), data, static_cast<std::uint64_t>(offset));
    ::fuse_reply_buf(request, reinterpret_cast<const char*>(data.data()), got);
  });
}

void write(fuse_req_t request, fuse_ino_t number, const char* data, std::size_t bytes, off_t offset,
           fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    disk.write(from_fuse(number), std::as_bytes(std::span(data, bytes)), static_cast<std::uint64_t>(offset));
    ::fuse_reply_write(request, bytes);
  });
}

void sync(fuse_req_t request, fuse_ino_t number, int, fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    disk.sync(from_fuse(number));
    ::fuse_reply_err(request, 0);
  });
}

// A listing is of one moment, however many calls read it.
using listing = std::vector<std::pair<std::string, attributes>>;

void opendir(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  answer(request, [&](unsynced_disk& disk) {
    auto* const names = new listing(disk.list(from_fuse(number)));
    info->fh = reinterpret_cast<std::uintptr_t>(names);
    // Without an answer there is no `releasedir`.
    if (::fuse_reply_open(request, info) != 0) delete names;
  });
}

void readdir(fuse_req_t request, fuse_ino_t, std::size_t bytes, off_t offset, fuse_file_info* info) {
  const listing& names = *reinterpret_cast<const listing*>(info->fh);
  answer(request, [&](unsynced_disk&) {
    std::vector<char> buffer(bytes);
    std::size_t used = 0;
    for (std::size_t i = static_cast<std::size_t>(offset); i < names.size(); ++i) {
      const struct stat status = status_of(names[i].second);
      const std::size_t needed =
          ::fuse_add_direntry(request, buffer.data() + used, buffer.size() - used, names[i].first.c_str(),
                              &status, static_cast<off_t>(i + 1));
      if (needed > buffer.size() - used) break;
      used += needed;
    }
    ::fuse_reply_buf(request, buffer.data(), used);
  });
}

void releasedir(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  delete reinterpret_cast<const listing*>(info->fh);
  ::fuse_reply_err(request, 0);
}

void fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset, off_t bytes, fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    if (mode == (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)) {
      disk.punch(from_fuse(number), static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes));
    } else if (mode != FALLOC_FL_KEEP_SIZE) {  // which takes space, of which there is enough
      throw std::system_error(EOPNOTSUPP, std::generic_category());
    }
    ::fuse_reply_err(request, 0);
  });
}

void lseek(fuse_req_t request, fuse_ino_t number, off_t offset, int whence, fuse_file_info*) {
  answer(request, [&](unsynced_disk& disk) {
    const std::uint64_t found =
        disk.next(from_fuse(number), static_cast<std::uint64_t>(offset), whence == SEEK_DATA);
    ::fuse_reply_lseek(request, static_cast<off_t>(found));
  });
}

fuse_lowlevel_ops operations() {
  fuse_lowlevel_ops all{};
  all.lookup = lookup;
  all.getattr = getattr;
  all.setattr = setattr;
  all.mkdir = mkdir;
  all.create = create;
  all.unlink = unlink;
  all.rmdir = rmdir;
  all.rename = rename;
  all.open = open;
  all.read = read;
  all.write = write;
  all.fsync = sync;
  all.fsyncdir = sync;
  all.opendir = opendir;
  all.readdir = readdir;
  all.releasedir = releasedir;
  all.fallocate = fallocate;
  all.lseek = lseek;
  return all;
}

}  // namespace

unsynced_mount::unsynced_mount(std::filesystem::path mount_point, unsynced_disk& disk)
    : disk_(disk), mount_point_(std::move(mount_point)) {
  if (::access("/dev/fuse", R_OK | W_OK) != 0) throw not_possible("/dev/fuse is missing or not allowed");
  const fuse_lowlevel_ops served = operations();
  char name[] = "crash_unsynced";
  char* arguments[] = {name, nullptr};
  fuse_args given = FUSE_ARGS_INIT(1, arguments);
  session_ = ::fuse_session_new(&given, &served, sizeof served, this);
  if (session_ == nullptr) throw not_possible("libfuse cannot start a session");
  if (::fuse_session_mount(session_, mount_point_.c_str()) != 0) {
    ::fuse_session_destroy(session_);
    throw not_possible("FUSE file systems cannot be mounted here");
  }
  server_ = std::thread([this] { ::fuse_session_loop_mt(session_, 0); });
}

void unsynced_mount::forget_evicted() {
  const std::optional<inode_number> file = disk_.take_evicted();
  // All of it: what is in the kernel's cache and not on the disk is served from the disk object anew.
  if (file) ::fuse_lowlevel_notify_inval_inode(session_, to_fuse(*file), 0, 0);
}

unsynced_mount::~unsynced_mount() {
  // The server ends when the kernel has let go of the file system.
  if (::umount2(mount_point_.c_str(), 0) != 0) ::umount2(mount_point_.c_str(), MNT_DETACH);
  server_.join();
  ::fuse_session_unmount(session_);
  ::fuse_session_destroy(session_);
}

}  // namespace perdure::crash
