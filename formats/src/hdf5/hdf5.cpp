// Reads HDF5 files by their own library: all datasets, by their paths without the first "/", and attributes
// of groups. Links are not followed: what they lead to is read where it is, if it is in this file.

#include <algorithm>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hdf5/hdf5_attributes.hpp"
#include "hdf5/hdf5_dataset.hpp"
#include "hdf5/hdf5_writer.hpp"
#include "module/format.hpp"

namespace perdure::formats {
namespace {

constexpr std::size_t deepest_group = 64;
constexpr std::size_t most_datasets = std::size_t{1} << 20;

struct named_link {
  std::string name;
  H5L_type_t type;
};

/// Finds the datasets of a file. What cannot be read is a loss, and the rest is read.
class hdf5_walk {
 public:
  hdf5_walk(std::shared_ptr<const hdf5_file> file, const opening& how) : file_(std::move(file)), how_(how) {}

  void all() {
    const hdf5_handle root(H5Gopen2(file_->file.get(), "/", H5P_DEFAULT), H5Gclose, file_->path.string());
    H5O_info_t info{};
    if (H5Oget_info1(root.get(), &info) >= 0) seen_.insert(info.addr);
    visit_group(root.get(), "", 0);
  }

  void one() {
    how_.before_array();
    const std::string& name = how_.member;
    hdf5_handle object(H5Oopen(file_->file.get(), name.c_str(), H5P_DEFAULT), H5Oclose, "the object");
    H5O_info_t info{};
    if (H5Oget_info1(object.get(), &info) < 0 || info.type != H5O_TYPE_DATASET)
      throw error(errc::unsupported, "it is no dataset");
    found_.sources.push_back(open_dataset(file_, std::move(object), name, found_.losses));
  }

  opened_arrays take() { return std::move(found_); }

 private:
  void lose(const std::string& name, const std::string& why) {
    found_.losses.push_back({name, "is skipped: " + why});
  }

  void visit_group(hid_t group, const std::string& path, std::size_t depth) {
    how_.before_array();
    const std::size_t before = found_.sources.size();
    const std::string prefix = path.empty() ? "" : path + '/';
    const std::vector<named_link> links = links_of(group, path);
    for (const named_link& one : links) visit_link(group, prefix + one.name, one, depth);
    hdf5_attributes attributes = read_attributes(*file_, group, 0);
    const std::string own = name_of_group_attributes(path);
    for (std::string& one : attributes.losses) found_.losses.push_back({own, std::move(one)});
    const bool is_empty = links.empty() && depth != 0;
    if (!attributes.kept.empty() || (is_empty && found_.sources.size() == before))
      found_.sources.push_back(group_attributes(path, std::move(attributes.kept)));
  }

  std::vector<named_link> links_of(hid_t group, const std::string& path) const {
    std::vector<named_link> links;
    hsize_t at = 0;
    const herr_t walked = H5Literate(
        group, H5_INDEX_NAME, H5_ITER_INC, &at,
        [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
          static_cast<std::vector<named_link>*>(out)->push_back({name, info->type});
          return 0;
        },
        &links);
    if (walked < 0) file_->refuse("the group /" + path + " cannot be read");
    return links;
  }

  void visit_link(hid_t group, const std::string& name, const named_link& link, std::size_t depth) {
    if (link.type == H5L_TYPE_SOFT) return lose(name, "it is a link to another name in this file");
    if (link.type != H5L_TYPE_HARD) return lose(name, "it is a link to another file");
    how_.before_array();
    try {
      hdf5_handle object(H5Oopen(group, link.name.c_str(), H5P_DEFAULT), H5Oclose, "the object");
      visit_object(std::move(object), name, depth);
    } catch (const error& failure) {
      // The caller's own function may throw what is no error of the file.
      lose(name, failure.what());
    }
  }

  void visit_object(hdf5_handle object, const std::string& name, std::size_t depth) {
    H5O_info_t info{};
    if (H5Oget_info1(object.get(), &info) < 0) return lose(name, "HDF5 cannot read it: " + hdf5_complaint());
    if (info.type == H5O_TYPE_DATASET) {
      if (found_.sources.size() >= most_datasets) return lose(name, "its file has too many datasets");
      if (name == group_attributes_name || name.ends_with('/' + std::string(group_attributes_name)))
        return lose(name, "the attributes of its group have this name here");
      found_.sources.push_back(open_dataset(file_, std::move(object), name, found_.losses));
    } else if (info.type == H5O_TYPE_GROUP) {
      if (depth == deepest_group) return lose(name, "groups are read 64 deep");
      // A link may lead to a group above.
      if (!seen_.insert(info.addr).second) return lose(name, "it is another name of a group that is read");
      visit_group(object.get(), name, depth + 1);
    } else {
      lose(name, "it is a type, and no dataset");
    }
  }

  std::shared_ptr<const hdf5_file> file_;
  const opening& how_;
  opened_arrays found_;
  std::set<haddr_t> seen_;
};

opened_arrays open_hdf5(const std::filesystem::path& path, const opening& how) {
  silence_hdf5();
  auto file = std::make_shared<hdf5_file>();
  file->path = path;
  std::error_code problem;
  file->bytes = std::filesystem::file_size(path, problem);
  const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened < 0) file->refuse("HDF5 cannot open it");
  file->file = hdf5_handle(opened, H5Fclose, path.string());
  hdf5_walk walk(file, how);
  if (how.member.empty()) {
    walk.all();
    return walk.take();
  }
  if (H5Lexists(opened, how.member.c_str(), H5P_DEFAULT) <= 0) return {};
  try {
    walk.one();
  } catch (const error& failure) {
    throw error(failure.code(), path.string() + ": " + how.member + ": " + failure.what());
  }
  return walk.take();
}

}  // namespace

namespace modules {

opened_arrays open_file(const std::filesystem::path& path, const opening& how) {
  return open_hdf5(path, how);
}

void write_file(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report) {
  write_hdf5(path, arrays, compressed, report);
}

}  // namespace modules
}  // namespace perdure::formats
