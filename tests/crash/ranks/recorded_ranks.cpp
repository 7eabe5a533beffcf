#include "crash/ranks/recorded_ranks.hpp"

#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <perdure/error.hpp>
#include <stdexcept>

#include "os/file_observer.hpp"

namespace perdure::crash {

namespace {

identities identities_of(const std::filesystem::path& root) {
  struct stat status;
  if (::stat(root.c_str(), &status) != 0) throw std::runtime_error("no directory " + root.string());
  return {{status.st_ino, root_inode}};
}

}  // namespace

/// Befalls a rank with what is planned, and has the rest written down.
class recorded_ranks::mishap_maker final : public os::file_observer {
 public:
  mishap_maker(call_recorder& recorder, const planned_mishap& planned)
      : recorder_(recorder), planned_(planned) {
    os::observe_files(this);
  }
  mishap_maker(const mishap_maker&) = delete;
  mishap_maker& operator=(const mishap_maker&) = delete;
  // The recorder goes on until it ends.
  ~mishap_maker() override { os::observe_files(&recorder_); }

  verdict before(const os::file_call& call) override {
    const int error = befall(call);
    is_made_by_nobody = error != 0 && planned_.what == mishap::kill;
    if (is_made_by_nobody) return {error};
    recorder_.before(call);
    return {error};
  }
  void after(const os::file_call& call, std::int64_t result, int error) override {
    if (!is_made_by_nobody) recorder_.after(call, result, error);
    is_made_by_nobody = false;
  }
  bool has_happened() const { return has_happened_; }
  /// From now on it may happen, to a rank of this team.
  void arm(rank_threads& team) {
    team_ = &team;
    is_armed_ = true;
  }

 private:
  // The thread's. A store has threads of its own, which are of the rank whose files these are.
  static int rank_of(const os::file_call& call) {
    if (rank_threads::current_rank() >= 0) return rank_threads::current_rank();
    std::string path = call.name == nullptr ? "" : call.name;
    std::error_code none;
    if (call.descriptor >= 0)
      path =
          std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(call.descriptor), none).string() +
          '/' + path;
    const std::size_t at = path.find("part.0000");
    return at == std::string::npos || at + 9 >= path.size() ? -1 : path[at + 9] - '0';
  }

  int befall(const os::file_call& call) {
    using os::file_operation;
    if (planned_.what == mishap::none || !is_armed_ || call.operation == file_operation::read ||
        rank_of(call) != planned_.rank)
      return 0;
    const bool is_sync =
        call.operation == file_operation::sync || call.operation == file_operation::sync_data;
    const bool takes_space = call.operation == file_operation::write ||
                             call.operation == file_operation::reserve_space ||
                             call.operation == file_operation::make_directory;
    if (planned_.what == mishap::sync_errors && !is_sync) return 0;
    if (planned_.what == mishap::no_space && !takes_space) return 0;
    const std::uint64_t number = calls_++;
    const bool is_once = planned_.what == mishap::io_error || planned_.what == mishap::no_space;
    if (is_once ? number != planned_.call : number < planned_.call) return 0;
    if (planned_.what == mishap::kill && !has_happened_) team_->kill(planned_.rank);
    has_happened_ = true;
    return planned_.what == mishap::no_space ? ENOSPC : EIO;
  }

  static thread_local bool is_made_by_nobody;
  call_recorder& recorder_;
  rank_threads* team_ = nullptr;
  planned_mishap planned_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> has_happened_{false};
  std::atomic<bool> is_armed_{false};
};
thread_local bool recorded_ranks::mishap_maker::is_made_by_nobody = false;

recorded_ranks::recorded_ranks(const std::filesystem::path& root, const planned_mishap& planned)
    : recorder_(identities_of(root), root_inode + 1),
      marks_(recorder_),
      maker_(std::make_unique<mishap_maker>(recorder_, planned)) {}

recorded_ranks::~recorded_ranks() = default;

std::vector<std::exception_ptr> recorded_ranks::run(rank_threads& team, const rank_threads::program& what) {
  maker_->arm(team);
  return team.run(what);
}

bool recorded_ranks::has_happened() const {
  return maker_->has_happened();
}

bool leaves_in_doubt(errc code) {
  return code == errc::undecided || code == errc::timed_out || code == errc::rank_failed;
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return known.what();
  }
}

}  // namespace perdure::crash
