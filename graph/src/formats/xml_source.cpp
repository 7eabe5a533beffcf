#include "xml_source.hpp"

#include <expat.h>

#include <exception>
#include <mutex>
#include <new>
#include <perdure/error.hpp>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "line_scan.hpp"
#include "listed_source.hpp"

namespace perdure::graph::formats {
namespace {

struct parser_closer {
  void operator()(XML_ParserStruct* parser) const noexcept { XML_ParserFree(parser); }
};

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

class xml_source final : public listed_source {
 public:
  xml_source(std::unique_ptr<workload::byte_stream> stream, std::unique_ptr<xml_dialect> dialect,
             const graph_file_options& options)
      : listed_source(std::move(stream), options, order_of_nodes::anywhere),
        dialect_(std::move(dialect)),
        parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_begin, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetEntityDeclHandler(parser_.get(), on_entity);
    read_to_first_edge();
  }

  const graph_file_info& info() const noexcept override { return dialect_->info(); }

 private:
  static constexpr std::size_t longest_text = std::size_t{1} << 20;

  /// Parses a piece. What handlers throw must not pass through expat, and ends the parsing.
  bool read_some() override {
    const std::size_t size = stream().read(piece_.data(), piece_.size());
    const XML_Status status =
        XML_Parse(parser_.get(), piece_.data(), static_cast<int>(size), size == 0 ? XML_TRUE : XML_FALSE);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (status != XML_STATUS_OK) {
      const XML_Error what = XML_GetErrorCode(parser_.get());
      if (what == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
      refuse(std::string("malformed XML: ") + XML_ErrorString(what));
    }
    if (size == 0) require_all_nodes();
    return size != 0;
  }

  template <class Work>
  static void guarded(void* self, Work&& work) {
    auto& source = *static_cast<xml_source*>(self);
    if (source.failure_) return;
    try {
      work(source);
    } catch (...) {
      source.failure_ = std::current_exception();
      XML_StopParser(source.parser_.get(), XML_FALSE);
    }
  }
  static void on_begin(void* self, const char* name, const char** attributes) {
    guarded(self, [&](xml_source& source) {
      source.text_.clear();
      source.dialect_->begin(local_name(name), xml_attributes(attributes), source);
    });
  }
  static void on_end(void* self, const char* name) {
    guarded(self, [&](xml_source& source) {
      source.dialect_->end(local_name(name), source.text_, source);
      source.text_.clear();
    });
  }
  static void on_text(void* self, const char* text, int length) {
    guarded(self, [&](xml_source& source) {
      source.text_.append(text, static_cast<std::size_t>(length));
      if (source.text_.size() > longest_text) source.refuse("more than a megabyte of text in one element");
    });
  }
  // An entity may stand for a file, or grow without end.
  static void on_entity(void* self, const char*, int, const char*, int, const char*, const char*, const char*,
                        const char*) {
    guarded(self, [](xml_source& source) { source.refuse("entities of a file's own are not read"); });
  }

  file_place where() const override {
    return {static_cast<std::uint64_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::uint64_t>(XML_GetCurrentColumnNumber(parser_.get())) + 1};
  }

  std::unique_ptr<xml_dialect> dialect_;
  std::unique_ptr<XML_ParserStruct, parser_closer> parser_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  std::exception_ptr failure_;
  std::string text_;
};

/// The name of the first element of a text; empty where there is none.
std::string_view first_element(std::string_view text) {
  for (;;) {
    const std::size_t open = text.find('<');
    if (open == std::string_view::npos || open + 1 == text.size()) return {};
    text.remove_prefix(open + 1);
    if (text[0] != '?' && text[0] != '!') break;
    const std::string_view close = text.starts_with("!--") ? "-->" : ">";
    const std::size_t end = text.find(close);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + close.size());
  }
  return local_name(text.substr(0, text.find_first_of(" \t\r\n/>")));
}

}  // namespace

const char* xml_attributes::find(std::string_view name) const noexcept {
  for (const char* const* at = given_; *at != nullptr; at += 2)
    if (local_name(*at) == name) return at[1];
  return nullptr;
}

bool is_xml(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && head[at] == '<' && !first_element(head).empty();
}

std::optional<graph_format> xml_format_of(std::string_view head) {
  const std::string_view name = first_element(head);
  if (name == "graphml") return graph_format::graphml;
  if (name == "gexf") return graph_format::gexf;
  return std::nullopt;
}

std::unique_ptr<graph_file> open_xml(std::unique_ptr<workload::byte_stream> stream,
                                     std::unique_ptr<xml_dialect> dialect,
                                     const graph_file_options& options) {
  return std::make_unique<xml_source>(std::move(stream), std::move(dialect), options);
}

}  // namespace perdure::graph::formats
