// Base of the readers of texts: each thread that asks parses a block of whole lines.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "line_scan.hpp"

namespace perdure::graph::formats {

/// Where a header has a number.
struct place {
  std::uint64_t line = 1;
  std::uint64_t column = 1;
};

/// A broken promise of the header, known when all lines have been read.
struct broken_promise {
  place where;
  std::string what;
};

/// Counts of lines, of a block or of all blocks.
struct line_counts {
  std::uint64_t entries = 0;
  std::uint64_t upward = 0;    // entries of which the second id is larger
  std::uint64_t downward = 0;  // or smaller
  unsigned ignored_columns = 0;
  bool has_lines_of_vertices = false;  // that are left out

  line_counts& operator+=(const line_counts& more) noexcept {
    entries += more.entries;
    upward += more.upward;
    downward += more.downward;
    if (ignored_columns == 0) ignored_columns = more.ignored_columns;
    has_lines_of_vertices |= more.has_lines_of_vertices;
    return *this;
  }
};

/// `Format` has
///
///     static constexpr bool in_order;                  // lines are parsed one after the other
///     bool head(begin, feed, number, flaw&);           // a line from the first; true where it is the
///     header's.
///                                                      // Null: the file has ended, in the header
///     const char* parse(begin, end, batch, counts&, flaw&);   // a line's edges; the next line, or null
///     std::optional<broken_promise> judge(counts) const;      // all
///     id_range declared() const;
///     const place& declared_at() const;   // where that costs a file no more than a number; else not there
///     const graph_file_info& info() const;
///     bool take_vertices(std::vector<vertex_id>&);   // where edges do not name all: before the first edge
///     const std::vector<std::string>& left_out() const;
///     std::vector<vertex_attribute> take_attributes();
///     attributed_edges take_edge_attributes();
///
/// of which the last four may be left out, and are only there if lines are parsed in order.
///
/// `parse` leaves the batch as it was where a line is malformed.
template <class Format>
class text_source final : public graph_file {
 public:
  /// Reads the header. Throws `line_error`.
  text_source(std::unique_ptr<workload::byte_stream> stream, std::size_t longest_line,
              const graph_file_options& options, Format format)
      : lines_(std::move(stream), longest_line),
        skip_bad_lines_(options.skip_bad_lines),
        has_names_(options.names != nullptr),
        max_vertices_(options.max_vertices),
        format_(std::move(format)) {
    while (lines_.next(first_)) {
      if (first_.first_line == 1 &&
          std::string_view(first_.text.data(), first_.text.size()).starts_with(byte_order_mark))
        first_.text.erase(first_.text.begin(), first_.text.begin() + byte_order_mark.size());
      const char* const begin = first_.text.data();
      const char* const end = begin + first_.text.size();
      std::uint64_t line = first_.first_line;
      for (const char* p = begin; p != end; ++line) {
        const char* const feed = line_feed(p, end);
        flaw problem;
        const bool of_header = format_.head(p, feed, line, problem);
        if (problem.at != nullptr) fail(line, p, problem);
        if (!of_header) {
          first_.text.erase(first_.text.begin(), first_.text.begin() + (p - begin));
          first_.first_line = line;
          has_first_ = true;
          return;
        }
        p = feed + 1;
      }
      last_line_ = line;
    }
    flaw problem;
    format_.head(nullptr, nullptr, last_line_, problem);
    if (!problem.what.empty()) throw lines_.error_at(last_line_, 1, problem.what);
  }

  bool next(edge_batch& batch) override {
    batch.clear();
    // Kept by the thread: a fresh megabyte for each block would cost more than parsing it.
    thread_local workload::line_reader::block block;
    std::unique_lock turn(turn_, std::defer_lock);
    if constexpr (Format::in_order) turn.lock();
    if constexpr (requires { format_.take_vertices(batch.vertices); }) {
      if (take_vertices(batch)) return true;
    }
    if (!take(block)) return false;
    line_counts found;
    try {
      parse(block, batch, found);
    } catch (...) {
      stop();
      finish(found);
      throw;
    }
    finish(found);
    return true;
  }

  workload::progress progress() const noexcept override { return lines_.progress(); }
  std::uint64_t skipped_lines() const noexcept override { return skipped_.load(std::memory_order_relaxed); }
  unsigned ignored_columns() const noexcept override {
    const std::lock_guard lock(mutex_);
    return all_.ignored_columns;
  }
  std::vector<std::string> left_out() const override {
    std::vector<std::string> names;
    if constexpr (requires { format_.left_out(); }) {
      const std::lock_guard lock(turn_);
      names = format_.left_out();
    }
    const std::lock_guard lock(mutex_);
    if (all_.has_lines_of_vertices) names.emplace_back("lines of vertices");
    return names;
  }
  std::vector<vertex_attribute> take_vertex_attributes() override {
    if constexpr (requires { format_.take_attributes(); }) {
      const std::lock_guard lock(turn_);
      return format_.take_attributes();
    }
    return {};
  }
  attributed_edges take_edge_attributes() override {
    if constexpr (requires { format_.take_edge_attributes(); }) {
      const std::lock_guard lock(turn_);
      return format_.take_edge_attributes();
    }
    return {};
  }
  id_range declared_vertices() const noexcept override { return format_.declared(); }
  const graph_file_info& info() const noexcept override { return format_.info(); }
  bool keep_share(const source_share& share) override {
    if constexpr (requires { Format::lines_stand_alone; }) {
      if (has_names_ || !lines_.is_plain()) return false;
      share_ = share;
      return true;
    }
    return false;
  }

 private:
  [[noreturn]] void fail(std::uint64_t line, const char* begin, const flaw& problem) {
    stop();
    const std::string& taken_for = format_.info().description;
    throw lines_.error_at(line, static_cast<std::uint64_t>(problem.at - begin) + 1,
                          taken_for.empty() ? problem.what : problem.what + " (read as " + taken_for + ")");
  }

  /// Hands out nothing more.
  void stop() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
    has_first_ = false;
    lines_.stop();
  }

  bool take_vertices(edge_batch& batch) {
    {
      const std::lock_guard lock(mutex_);
      if (has_failed_) return false;
    }
    try {
      return format_.take_vertices(batch.vertices);
    } catch (...) {
      stop();
      throw;
    }
  }

  /// The next block. Whoever finds that there is none, and that nobody is at work any more, judges the whole.
  bool take(workload::line_reader::block& block) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_first_, false)) {
      std::swap(block, first_);
      if (is_of_share()) return true;
    }
    try {
      while (lines_.next(block))
        if (is_of_share()) return true;
    } catch (...) {
      has_failed_ = true;
      throw;
    }
    if (at_work_ == 0 && !std::exchange(is_judged_, true) && !has_failed_) judge();
    return false;
  }

  /// Blocks are dealt to the parts in turn.
  bool is_of_share() {
    if (blocks_++ % share_.parts != share_.part) return false;
    ++at_work_;
    return true;
  }

  /// Holds the header to what all lines have said.
  void judge() {
    if constexpr (requires { format_.declared_at(); }) {
      const std::uint64_t most = max_vertices_ != 0 ? max_vertices_ : 1'000'000 + 16 * all_.entries;
      if (format_.declared().count > most)
        throw lines_.error_at(format_.declared_at().line, format_.declared_at().column,
                              "the header says " + std::to_string(format_.declared().count) +
                                  " vertices, and there are " + std::to_string(all_.entries) +
                                  " edges: more than " + std::to_string(most) +
                                  " vertices are only made if --max-vertices allows them");
    }
    if (skip_bad_lines_) return;
    if (const auto broken = format_.judge(all_))
      throw lines_.error_at(broken->where.line, broken->where.column, broken->what);
  }

  void finish(const line_counts& found) {
    const std::lock_guard lock(mutex_);
    all_ += found;
    --at_work_;
  }

  void parse(const workload::line_reader::block& block, edge_batch& batch, line_counts& found) {
    std::uint64_t line = block.first_line;
    const char* p = block.text.data();
    const char* const end = p + block.text.size();
    flaw problem;
    for (; p != end; ++line) {
      const char* const begin = p;
      p = format_.parse(begin, end, batch, found, problem);
      if (p != nullptr) continue;
      if (!skip_bad_lines_) fail(line, begin, problem);
      skipped_.fetch_add(1, std::memory_order_relaxed);
      p = line_feed(begin, end) + 1;
    }
  }

  workload::line_reader lines_;
  const bool skip_bad_lines_;
  const bool has_names_;
  const std::uint64_t max_vertices_;
  Format format_;
  mutable std::mutex turn_;
  mutable std::mutex mutex_;  // of what follows
  workload::line_reader::block first_;
  bool has_first_ = false;
  source_share share_;
  std::uint64_t blocks_ = 0;  // that were taken
  std::uint64_t last_line_ = 1;
  unsigned at_work_ = 0;
  bool has_failed_ = false;
  bool is_judged_ = false;
  line_counts all_;
  std::atomic<std::uint64_t> skipped_{0};
};

}  // namespace perdure::graph::formats
