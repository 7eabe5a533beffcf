// The adjacency list as a Boost.Interprocess program keeps it: Boost's containers, Boost's offset pointer,
// and a mapped file whose size is chosen when it is made.
#include <fcntl.h>

#include <boost/interprocess/managed_mapped_file.hpp>

#include "boost_containers.hpp"
#include "programs/adjacency_workload.hpp"

namespace perdure::bench {
namespace {

namespace ipc = boost::interprocess;

template <class T>
using file_allocator = boost_offset_allocator<T, ipc::managed_mapped_file::segment_manager>;
using graph_in_file = graph::adjacency_list<boost_node_containers<file_allocator>>;

std::filesystem::path file_path(const adjacency_workload& work) {
  return work.directory / "adjacency.boost";
}

void sync_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0 || fdatasync(descriptor) != 0) throw std::runtime_error("cannot sync " + path.string());
  close(descriptor);
}

}  // namespace

nlohmann::json boost_in_mapped_file(const adjacency_workload& work) {
  const std::filesystem::path path = file_path(work);
  std::filesystem::remove(path);
  // Room for doubling vectors; the file is sparse until it is used.
  ipc::managed_mapped_file file(ipc::create_only, path.c_str(),
                                work.edges.size() * 96 + (std::size_t{64} << 20));
  const std::uint64_t written_before = bytes_written(work.directory);
  auto* built = file.construct<graph_in_file>("graph")(
      graph::direction::directed, graph_in_file::allocator_type(file.get_segment_manager()));
  nlohmann::json result = build_and_scan(*built, work);
  // `flush` only schedules the writing.
  close_and_weigh(result, work, written_before, [&] {
    file.flush();
    sync_file(path);
  });
  result["disk_bytes"] = disk_bytes(path);
  return result;
}

nlohmann::json attach_boost_in_mapped_file(const adjacency_workload& work) {
  const stopwatch watch;
  ipc::managed_mapped_file file(ipc::open_only, file_path(work).c_str());
  const auto* attached = file.find<graph_in_file>("graph").first;
  if (attached == nullptr) throw std::runtime_error("the file lost its graph");
  use(*attached, work);
  return {{"ready_seconds", watch.wall()}};
}

}  // namespace perdure::bench
