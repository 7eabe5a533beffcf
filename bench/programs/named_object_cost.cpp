// Opening a store of many named objects and finding them, beside Boost.Interprocess doing the same.
#include <boost/interprocess/managed_mapped_file.hpp>
#include <cstdio>
#include <perdure/manager.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.hpp"
#include "store_cost.hpp"

namespace perdure::bench {
namespace {

namespace ipc = boost::interprocess;

std::filesystem::path store_path(const store_workload& work) {
  return work.directory / "objects";
}
std::filesystem::path file_path(const store_workload& work) {
  return work.directory / "objects.boost";
}

std::string object_name(std::size_t number) {
  return "object/" + std::to_string(number);
}

// The names to look up, made beforehand: the look-ups alone are measured.
std::vector<std::string> sampled_names(std::size_t objects) {
  std::mt19937_64 random(7);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 200'000; ++i) names.push_back(object_name(random() % objects));
  return names;
}

template <class Manager, class Find>
nlohmann::json open_and_find(const store_workload& work, double opened, Manager& manager, Find&& find) {
  const std::vector<std::string> names = sampled_names(work.objects);
  const stopwatch first_watch;
  if (find(manager, names.front()) == nullptr)
    throw std::runtime_error("an object is missing: " + names.front());
  const double first = first_watch.wall();
  const stopwatch watch;
  for (const std::string& name : names) {
    if (find(manager, name) == nullptr) throw std::runtime_error("an object is missing: " + name);
  }
  return {{"objects", work.objects},
          {"open_seconds", opened},
          {"first_find_seconds", first},
          {"find_ns", watch.wall() * 1e9 / static_cast<double>(names.size())}};
}

}  // namespace

nlohmann::json prepare_objects(const store_workload& work) {
  std::filesystem::remove_all(store_path(work));
  const stopwatch watch;
  manager objects(create_only, store_path(work));
  for (std::size_t i = 0; i < work.objects; ++i) objects.construct<std::uint64_t>(object_name(i).c_str())(i);
  const double made = watch.wall();
  objects.close();
  return {{"construct_seconds", made}, {"close_seconds", watch.wall() - made}};
}

nlohmann::json find_objects(const store_workload& work) {
  const stopwatch watch;
  manager objects(open_only, store_path(work));
  const double opened = watch.wall();
  nlohmann::json result = open_and_find(work, opened, objects, [](manager& in, const std::string& name) {
    return in.find<std::uint64_t>(name.c_str()).first;
  });
  const stopwatch closing;
  objects.close();
  result["close_seconds"] = closing.wall();
  return result;
}

nlohmann::json prepare_objects_boost(const store_workload& work) {
  std::filesystem::remove(file_path(work));
  const stopwatch watch;
  ipc::managed_mapped_file objects(ipc::create_only, file_path(work).c_str(),
                                   work.objects * 256 + (1U << 20));
  for (std::size_t i = 0; i < work.objects; ++i) objects.construct<std::uint64_t>(object_name(i).c_str())(i);
  return {{"construct_seconds", watch.wall()}};
}

nlohmann::json find_objects_boost(const store_workload& work) {
  const stopwatch watch;
  ipc::managed_mapped_file objects(ipc::open_only, file_path(work).c_str());
  const double opened = watch.wall();
  return open_and_find(work, opened, objects, [](ipc::managed_mapped_file& in, const std::string& name) {
    return in.find<std::uint64_t>(name.c_str()).first;
  });
}

}  // namespace perdure::bench
