// Reading edge lists: each thread that asks parses a block of whole lines.
#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <mutex>
#include <perdure/graph/edge_list.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/line_reader.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::graph {
namespace {

std::string quoted(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return std::string("'") + c + "'";
  constexpr char digits[] = "0123456789abcdef";
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}
constexpr bool is_digit(char c) noexcept {
  return static_cast<unsigned char>(c - '0') < 10;
}

/// What is wrong with a line, and where.
struct flaw {
  const char* at = nullptr;
  std::string what;
};

/// Parses the lines of one block. Every line, the last too, ends in a line feed, which stops all scans.
class line_parser {
 public:
  line_parser(const char* end, bool keep_values) : end_(end), keep_values_(keep_values) {}

  /// The line at `p`: appends its edge, if it has one, to `batch` and returns the next line's begin.
  /// Null when the line is malformed; `flaw()` says how, and `batch` is unchanged.
  const char* parse(const char* p, edge_batch& batch) {
    while (is_blank(*p)) ++p;
    if (!is_digit(*p)) {
      if (*p == '\n') return p + 1;
      if (*p == '#' || *p == '%') return after_line(p);
      if (*p == '\r') {
        const char* q = p;
        while (*q == '\r') ++q;
        if (*q == '\n') return q + 1;
      }
      return not_an_id(p);
    }
    edge e;
    p = number(p, e.source);
    if (p == nullptr) return nullptr;
    const char* gap = p;
    while (is_blank(*p)) ++p;
    if (*p == ',') {
      ++p;
      while (is_blank(*p)) ++p;
    } else if (p == gap && *p != '\n' && *p != '\r') {
      return wrong(p, "unexpected " + quoted(*p) + " after the first vertex id");
    }
    if (*p == '\n' || *p == '\r') return wrong(p, "the second vertex id is missing");
    if (!is_digit(*p)) return not_an_id(p);
    p = number(p, e.target);
    if (p == nullptr) return nullptr;

    double value = 0;
    if (*p != '\n') {
      const char* rest = p;
      p = end_of_line(rest, value);
      if (p == nullptr) return nullptr;
    } else {
      ++p;
    }
    batch.edges.push_back(e);
    if (keep_values_) batch.values.push_back(value);
    return p;
  }

  const flaw& problem() const noexcept { return flaw_; }
  /// Of the first line that has columns which are not kept.
  unsigned ignored_columns() const noexcept { return ignored_columns_; }

  const char* after_line(const char* p) const noexcept {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p))) + 1;
  }

 private:
  const char* wrong(const char* at, std::string what) {
    flaw_ = {at, std::move(what)};
    return nullptr;
  }

  const char* not_an_id(const char* p) {
    if (*p == '-' && is_digit(p[1])) return wrong(p, "a vertex id must not be negative");
    if (*p == '\0')
      return wrong(p, "byte 0x00 is not text; a binary edge list needs a name in .bin or the binary format");
    return wrong(p, "expected a vertex id (a decimal number), found " + quoted(*p));
  }

  const char* number(const char* p, std::uint64_t& value) {
    const char* begin = p;
    std::uint64_t v = 0;
    while (is_digit(*p)) v = v * 10 + static_cast<unsigned char>(*p++ - '0');
    // Nineteen digits always fit.
    if (p - begin > 19) {
      const auto result = std::from_chars(begin, p, v);
      if (result.ec != std::errc{}) return wrong(begin, "the vertex id does not fit 64 bits");
    }
    value = v;
    return p;
  }

  // What follows the second id: line end, or further columns.
  const char* end_of_line(const char* p, double& value) {
    if (*p != '\r' && *p != ',' && !is_blank(*p))
      return wrong(p, "unexpected " + quoted(*p) + " after the second vertex id");
    const char* end = after_line(p) - 1;
    const char* next = end + 1;
    while (end != p && end[-1] == '\r') --end;
    // A carriage return inside the line is a line end of another system: going on would lose edges.
    if (const void* cr = std::memchr(p, '\r', static_cast<std::size_t>(end - p)))
      return wrong(static_cast<const char*>(cr), "carriage return inside a line (convert the line ends)");
    if (const void* zero = std::memchr(p, '\0', static_cast<std::size_t>(end - p)))
      return wrong(static_cast<const char*>(zero), "byte 0x00 is not text");
    if (keep_values_) {
      while (p != end && is_gap(*p)) ++p;
      if (p != end) {
        const auto result = std::from_chars(p, end, value);
        if (result.ec != std::errc{} || (result.ptr != end && !is_gap(*result.ptr)))
          return wrong(p, "the third column is not a number");
        p = result.ptr;
      }
    }
    if (ignored_columns_ == 0) ignored_columns_ = columns(p, end);
    return next;
  }

  static bool is_gap(char c) noexcept { return is_blank(c) || c == ','; }
  static unsigned columns(const char* p, const char* end) noexcept {
    unsigned found = 0;
    for (bool in_gap = true; p != end; ++p) {
      found += in_gap && !is_gap(*p) ? 1U : 0U;
      in_gap = is_gap(*p);
    }
    return found;
  }

  const char* end_;
  bool keep_values_;
  unsigned ignored_columns_ = 0;
  flaw flaw_;
};

class text_source final : public edge_source {
 public:
  text_source(std::unique_ptr<workload::byte_stream> stream, const edge_list_options& options)
      : lines_(std::move(stream)), options_(options) {}

  bool next(edge_batch& batch) override {
    batch.clear();
    // Kept by the thread: a fresh megabyte for each block would cost more than parsing it.
    thread_local workload::line_reader::block block;
    if (!lines_.next(block)) return false;

    std::uint64_t line = block.first_line;
    const char* p = block.text.data();
    const char* const end = p + block.text.size();
    line_parser parser(end, options_.keep_values);
    if (line == 1) p = skip_file_head(p, end);
    for (; p != end; ++line) {
      const char* begin = p;
      p = parser.parse(begin, batch);
      if (p != nullptr) continue;
      if (!options_.skip_bad_lines) {
        lines_.stop();
        const flaw& f = parser.problem();
        throw lines_.error_at(line, static_cast<std::uint64_t>(f.at - begin) + 1, f.what);
      }
      skipped_.fetch_add(1, std::memory_order_relaxed);
      p = parser.after_line(begin);
    }
    if (unsigned none = 0; parser.ignored_columns() != 0)
      ignored_columns_.compare_exchange_strong(none, parser.ignored_columns(), std::memory_order_relaxed);
    return true;
  }

  workload::progress progress() const noexcept override { return lines_.progress(); }
  std::uint64_t skipped_lines() const noexcept override { return skipped_.load(std::memory_order_relaxed); }
  unsigned ignored_columns() const noexcept override {
    return ignored_columns_.load(std::memory_order_relaxed);
  }

 private:
  const char* skip_file_head(const char* p, const char* end) {
    const std::string_view text(p, static_cast<std::size_t>(end - p));
    if (text.starts_with("\xEF\xBB\xBF")) return p + 3;
    // Its size line would be taken for an edge.
    if (text.starts_with("%%MatrixMarket")) {
      lines_.stop();
      throw lines_.error_at(1, 1, "this is a Matrix Market file, not an edge list");
    }
    return p;
  }

  workload::line_reader lines_;
  edge_list_options options_;
  std::atomic<std::uint64_t> skipped_{0};
  std::atomic<unsigned> ignored_columns_{0};
};

class binary_source final : public edge_source {
 public:
  explicit binary_source(std::unique_ptr<workload::byte_stream> stream) : stream_(std::move(stream)) {}

  bool next(edge_batch& batch) override {
    batch.clear();
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    ended_ = true;  // stays so when anything below throws
    batch.edges.resize(batch_edges);
    auto* bytes = reinterpret_cast<char*>(batch.edges.data());
    std::size_t size = 0;
    bool more = true;
    while (more && size < batch_edges * sizeof(edge)) {
      const std::size_t got = stream_->read(bytes + size, batch_edges * sizeof(edge) - size);
      size += got;
      more = got != 0;
    }
    edges_ += size / sizeof(edge);
    if (size % sizeof(edge) != 0)
      throw workload::line_error(stream_->name() + ": the length is not a multiple of 16 bytes; edge " +
                                     std::to_string(edges_ + 1) +
                                     " is cut off (truncated file, or not binary?)",
                                 edges_ + 1, 0);
    batch.edges.resize(size / sizeof(edge));
    if constexpr (std::endian::native == std::endian::big)
      for (edge& e : batch.edges) e = {__builtin_bswap64(e.source), __builtin_bswap64(e.target)};
    ended_ = !more;
    return !batch.edges.empty();
  }
  workload::progress progress() const noexcept override { return stream_->progress(); }

 private:
  static constexpr std::size_t batch_edges = std::size_t{1} << 15;

  std::mutex mutex_;
  std::unique_ptr<workload::byte_stream> stream_;
  std::uint64_t edges_ = 0;
  bool ended_ = false;
};

}  // namespace

edge_list_format format_of(const std::filesystem::path& path, edge_list_format asked) {
  if (asked != edge_list_format::automatic) return asked;
  return workload::uncompressed_name(path).extension() == ".bin" ? edge_list_format::binary
                                                                 : edge_list_format::text;
}

std::unique_ptr<edge_source> open_edge_list(const std::filesystem::path& path,
                                            const edge_list_options& options) {
  auto stream = workload::open_byte_stream(path, options.end_descriptor);
  if (format_of(path, options.format) == edge_list_format::binary)
    return std::make_unique<binary_source>(std::move(stream));
  return std::make_unique<text_source>(std::move(stream), options);
}

void append_edges(std::string& out, std::span<const edge> edges, edge_list_format format) {
  if (format == edge_list_format::binary) {
    static_assert(sizeof(edge) == 16);
    for (edge e : edges) {
      if constexpr (std::endian::native == std::endian::big)
        e = {__builtin_bswap64(e.source), __builtin_bswap64(e.target)};
      out.append(reinterpret_cast<const char*>(&e), sizeof e);
    }
    return;
  }
  for (const edge& e : edges) {
    char line[48];
    char* p = std::to_chars(line, line + 20, e.source).ptr;
    *p++ = '\t';
    p = std::to_chars(p, p + 20, e.target).ptr;
    *p++ = '\n';
    out.append(line, static_cast<std::size_t>(p - line));
  }
}

}  // namespace perdure::graph
