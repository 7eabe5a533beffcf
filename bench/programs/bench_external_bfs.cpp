// Breadth-first search of a graph of which only a part fits in memory: graph and working arrays in one region
// of the pager (fully external) or the graph only (semi-external), with a budget of all, a half, a quarter …
// of their size; in ordinary memory; and in the kernel's mapping of the same file, for a control group with
// little memory.
//
// One budget a run. Makes the file of an R-MAT graph where there is none yet, with the levels that the search
// in memory of graph/ finds. Prints JSON.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/pager.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.hpp"
#include "paging_counters.hpp"

namespace perdure::bench {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr unsigned format = 2;  // of the file: another one is made anew

struct settings {
  std::filesystem::path file;
  unsigned scale = 22;
  std::uint64_t edge_factor = 16;
  unsigned share = 1;  // 0: ordinary memory
  bool semi_external = false;
  bool kernel_mapping = false;
  unsigned threads = 1;
  unsigned searches = 3;
};

/// Where the arrays lie in the file, each at a page.
struct layout {
  layout(std::uint64_t vertex_count, std::uint64_t arc_count) : vertices(vertex_count), arcs(arc_count) {
    offsets = take((vertices + 1) * sizeof(std::uint64_t));
    targets = take(arcs * sizeof(graph::vertex_handle));
    levels = take(vertices * sizeof(std::uint32_t));
    scratch = take(graph::bfs_arrays::scratch_bytes(vertices));
  }

  std::uint64_t vertices;
  std::uint64_t arcs;
  std::uint64_t offsets, targets, levels, scratch;
  std::uint64_t bytes = 0;

 private:
  std::uint64_t take(std::uint64_t size) {
    const std::uint64_t at = bytes;
    bytes += (size + page_bytes - 1) / page_bytes * page_bytes;
    return at;
  }
};

template <class T>
std::span<T> array_at(std::byte* base, std::uint64_t offset, std::uint64_t count) {
  return {reinterpret_cast<T*>(base + offset), count};
}

graph::csr_view graph_in(std::byte* base, const layout& at) {
  return {array_at<const std::uint64_t>(base, at.offsets, at.vertices + 1),
          array_at<const graph::vertex_handle>(base, at.targets, at.arcs)};
}

/// The kernel's mapping of a whole file, which the kernel writes back.
class kernel_mapping {
 public:
  kernel_mapping(const std::filesystem::path& file, std::uint64_t bytes) : bytes_(bytes) {
    const int opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) throw std::runtime_error("cannot open " + file.string());
    void* const got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    ::close(opened);
    if (got == MAP_FAILED) throw std::runtime_error("cannot map " + file.string());
    data_ = static_cast<std::byte*>(got);
  }
  kernel_mapping(const kernel_mapping&) = delete;
  kernel_mapping& operator=(const kernel_mapping&) = delete;
  ~kernel_mapping() { ::munmap(data_, bytes_); }
  std::byte* data() const noexcept { return data_; }

 private:
  std::uint64_t bytes_;
  std::byte* data_;
};

graph::bfs_arrays arrays_in(std::byte* base, const layout& at) {
  return {array_at<std::uint32_t>(base, at.levels, at.vertices),
          {},
          array_at<std::byte>(base, at.scratch, graph::bfs_arrays::scratch_bytes(at.vertices))};
}

std::filesystem::path description_of(const settings& wanted) {
  return wanted.file.string() + ".json";
}

/// Searches from vertices that reach most others, with what a search in memory finds, which is verified.
nlohmann::json reference_searches(const settings& wanted, const graph::csr_view& made) {
  nlohmann::json searches = nlohmann::json::array();
  for (std::uint64_t i = 1; searches.size() < 8 && i < 1000; ++i) {
    const auto start = static_cast<graph::vertex_handle>(i * 0x9e3779b97f4a7c15U % made.size());
    const graph::bfs_result found = graph::bfs(made, start, wanted.threads);
    if (found.summary.reached <= made.size() / 2) continue;
    if (const auto wrong = graph::verify_bfs(made, start, found.levels, found.parents))
      throw std::runtime_error("the search in memory is wrong: " + *wrong);
    searches.push_back({{"source", start}, {"histogram", found.summary.histogram}});
  }
  return searches;
}

void make(const settings& wanted) {
  const graph::rmat_parameters parameters{.scale = wanted.scale, .edge_factor = wanted.edge_factor};
  graph::rmat_source source(parameters);
  graph::memory_csr built;
  graph::build_csr(built, source,
                   {.kind = graph::direction::undirected,
                    .drop_loops = true,
                    .drop_duplicates = true,
                    .order = graph::vertex_order::by_degree,
                    .threads = wanted.threads});
  const graph::csr_view made = built.view();
  const layout at(made.size(), made.arcs());
  {
    std::ofstream file(wanted.file, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(made.offsets.data()),
               static_cast<std::streamsize>(made.offsets.size() * sizeof made.offsets[0]));
    file.seekp(static_cast<std::streamoff>(at.targets));
    file.write(reinterpret_cast<const char*>(made.targets.data()),
               static_cast<std::streamsize>(made.targets.size() * sizeof made.targets[0]));
    // Written rather than left as a hole, which would be read faster than what is there.
    file.seekp(static_cast<std::streamoff>(at.levels));
    const std::vector<char> zeros(at.bytes - at.levels);
    file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + wanted.file.string());
  }
  std::ofstream(description_of(wanted)) << nlohmann::json{
      {"format", format},        {"scale", wanted.scale}, {"edge_factor", wanted.edge_factor},
      {"vertices", made.size()}, {"arcs", made.arcs()},   {"searches", reference_searches(wanted, made)}};
}

nlohmann::json description(const settings& wanted) {
  std::ifstream file(description_of(wanted));
  if (!file) return nullptr;
  return nlohmann::json::parse(file, nullptr, false);
}

void drop_from_page_cache(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error("cannot open " + path.string());
  ::fdatasync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

nlohmann::json run(const settings& wanted) {
  nlohmann::json about = description(wanted);
  if (!about.is_object() || about.value("format", 0U) != format || about["scale"] != wanted.scale ||
      about["edge_factor"] != wanted.edge_factor) {
    make(wanted);
    about = description(wanted);
  }
  const layout at(about["vertices"], about["arcs"]);
  drop_from_page_cache(wanted.file);
  std::optional<pager::region> region;
  std::optional<kernel_mapping> mapping;
  std::vector<std::byte> memory;
  std::byte* base = nullptr;
  // What is external: the arrays of the search come last in the file.
  const std::uint64_t bytes = wanted.semi_external ? at.levels : at.bytes;
  double load_seconds = 0;
  if (wanted.kernel_mapping) {
    mapping.emplace(wanted.file, at.bytes);
    base = mapping->data();
  } else if (wanted.share == 0) {
    const stopwatch watch;
    memory.resize(at.bytes);
    std::ifstream file(wanted.file, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(memory.data()), static_cast<std::streamsize>(at.bytes)))
      throw std::runtime_error("cannot read " + wanted.file.string());
    base = memory.data();
    load_seconds = watch.wall();
  } else {
    pager::options o;
    o.budget = (bytes + page_bytes) / wanted.share;
    o.mode = wanted.semi_external ? pager::mode::read_only : pager::mode::write_back;
    o.bytes = bytes;
    region = pager::map(wanted.file, o);
    base = region->data();
  }
  std::vector<std::uint32_t> levels(wanted.semi_external ? at.vertices : 0);
  std::vector<std::byte> scratch(wanted.semi_external ? graph::bfs_arrays::scratch_bytes(at.vertices) : 0);
  const graph::bfs_arrays arrays =
      wanted.semi_external ? graph::bfs_arrays{levels, {}, scratch} : arrays_in(base, at);
  nlohmann::json seconds = nlohmann::json::array();
  for (unsigned i = 0; i < wanted.searches; ++i) {
    const nlohmann::json& one = about["searches"].at(i % about["searches"].size());
    const stopwatch watch;
    const graph::bfs_summary found =
        graph::bfs(graph_in(base, at), one["source"].get<graph::vertex_handle>(), arrays, wanted.threads);
    seconds.push_back(watch.wall());
    if (one["histogram"] != found.histogram)
      throw std::runtime_error("the levels are not those that the search in memory found");
  }
  nlohmann::json result{
      {"share", wanted.share},      {"threads", wanted.threads}, {"bytes", bytes},
      {"vertices", at.vertices},    {"arcs", at.arcs},           {"load_seconds", load_seconds},
      {"first_seconds", seconds[0]}};
  double later = 0;
  for (std::size_t i = 1; i < seconds.size(); ++i) later += seconds[i].get<double>();
  result["later_seconds"] = seconds.size() > 1 ? later / static_cast<double>(seconds.size() - 1) : 0.0;
  // Traversed edges a second, as Graph500 counts them: the edges of the whole graph, each once.
  result["first_teps"] = static_cast<double>(at.arcs) / 2 / seconds[0].get<double>();
  result["seconds"] = std::move(seconds);
  if (region) result["pager"] = paging_counters(*region);
  return result;
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  CLI::App app{"Searches a graph of which only a part fits in memory"};
  perdure::bench::settings wanted;
  app.add_option("--file", wanted.file, "the graph's; made if it is not there or has another scale")
      ->required();
  app.add_option("--scale", wanted.scale, "2^scale vertex ids")->check(CLI::Range(1, 31));
  app.add_option("--edge-factor", wanted.edge_factor)->check(CLI::Range(1, 1024));
  app.add_option("--share", wanted.share,
                 "the budget is the size divided by this; 0: ordinary memory, no pager");
  app.add_flag("--semi-external", wanted.semi_external, "the arrays of the search in ordinary memory");
  app.add_flag("--kernel-mapping", wanted.kernel_mapping, "no pager, but the kernel's mapping of the file");
  app.add_option("--threads", wanted.threads)->check(CLI::Range(1, 1024));
  app.add_option("--searches", wanted.searches)->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << perdure::bench::run(wanted).dump() << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_external_bfs: " << e.what() << '\n';
    return 1;
  }
}
