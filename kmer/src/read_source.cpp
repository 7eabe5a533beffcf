// The first file of a pair decides how many records a batch has, and the second one gives as many.
#include <algorithm>
#include <perdure/kmer/read_source.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace perdure::kmer {

std::string_view name_of_pair(std::string_view name) noexcept {
  if (name.size() > 2 && (name.ends_with("/1") || name.ends_with("/2"))) name.remove_suffix(2);
  return name;
}

read_source::read_source(std::vector<std::filesystem::path> files, bool in_pairs, int end_descriptor)
    : files_(std::move(files)), in_pairs_(in_pairs), end_descriptor_(end_descriptor) {
  if (in_pairs_ && files_.size() % 2 != 0)
    throw error(errc::invalid_argument,
                "reads in pairs need an even number of files, not " + std::to_string(files_.size()));
  if (std::count(files_.begin(), files_.end(), "-") > 1)
    throw error(errc::invalid_argument, "standard input can be read only once");
  bool is_known = true;
  for (const std::filesystem::path& file : files_) {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(file, failure);
    if (file != "-" && !std::filesystem::exists(status))
      throw error(errc::not_found, file.string() + ": cannot open: there is no such file");
    is_known &= std::filesystem::is_regular_file(status);
    if (is_known) total_ += std::filesystem::file_size(file);
  }
  if (!is_known) total_ = 0;
}

std::shared_ptr<sequence_reader> read_source::open(std::size_t file) const {
  return std::make_shared<sequence_reader>(workload::open_byte_stream(files_[file], end_descriptor_));
}

bool read_source::next(read_batch& taken, std::size_t least_bytes) {
  const std::lock_guard lock(mutex_);
  const auto end = [this] {
    opened_ = files_.size();
    first_ = nullptr;
    second_ = nullptr;
  };
  try {
    for (;;) {
      if (first_ == nullptr) {
        if (opened_ == files_.size()) return false;
        first_ = open(opened_++);
        if (in_pairs_) second_ = open(opened_++);
      }
      const bool has_reads = first_->next(taken.reads, least_bytes);
      if (second_ != nullptr) {
        // At the end of the first file one record is one too many.
        second_->next(taken.mates, sequence_reader::no_limit, has_reads ? taken.reads.records : 1);
        if (taken.reads.records != taken.mates.records) {
          const bool lacks_mates = taken.mates.records < taken.reads.records;
          const sequence_reader& longer = lacks_mates ? *first_ : *second_;
          const sequence_reader& shorter = lacks_mates ? *second_ : *first_;
          throw longer.error_at(
              lacks_mates ? taken.reads.first_record + taken.mates.records : taken.mates.first_record,
              "it has no mate: " + shorter.name() + " has fewer records");
        }
      }
      if (has_reads) {
        taken.number = batches_++;
        taken.file = (opened_ - 1) / (in_pairs_ ? 2 : 1);
        taken.first_ = first_;
        taken.second_ = second_;
        return true;
      }
      bytes_before_ += first_->progress().done + (second_ != nullptr ? second_->progress().done : 0);
      first_ = nullptr;
      second_ = nullptr;
    }
  } catch (...) {
    end();
    throw;
  }
}

void read_source::parse(read_batch& taken) const {
  taken.first_->parse(taken.reads);
  if (taken.second_ == nullptr) return;
  taken.second_->parse(taken.mates);
  const std::vector<sequence>& reads = taken.reads.sequences;
  const std::vector<sequence>& mates = taken.mates.sequences;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (name_of_pair(reads[i].name) == name_of_pair(mates[i].name)) continue;
    throw taken.second_->error_at(taken.mates.first_record + i,
                                  "its name (" + std::string(mates[i].name) + ") is not that of its mate (" +
                                      std::string(reads[i].name) + ") in " + taken.first_->name());
  }
}

workload::progress read_source::progress() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t done = bytes_before_;
  for (const auto& one : {first_, second_})
    if (one != nullptr) done += one->progress().done;
  return {done, total_, "bytes"};
}

}  // namespace perdure::kmer
