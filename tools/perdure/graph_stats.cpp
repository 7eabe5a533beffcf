// perdure graph stats: how many neighbours vertices have.
#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "plot.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct stats_options : analysis_options {
  std::filesystem::path plot;
};

struct degree_distribution {
  std::map<std::uint64_t, std::uint64_t> vertices;  // by degree
  std::uint64_t largest = 0;
  double mean = 0;
  double median = 0;

  explicit degree_distribution(const std::vector<std::uint64_t>& degrees) {
    std::uint64_t sum = 0;
    for (const std::uint64_t degree : degrees) {
      ++vertices[degree];
      sum += degree;
    }
    if (degrees.empty()) return;
    largest = vertices.rbegin()->first;
    mean = static_cast<double>(sum) / static_cast<double>(degrees.size());
    const auto at = [&](std::uint64_t rank) {
      for (const auto& [degree, count] : vertices) {
        if (rank < count) return static_cast<double>(degree);
        rank -= count;
      }
      return static_cast<double>(largest);
    };
    median = (at((degrees.size() - 1) / 2) + at(degrees.size() / 2)) / 2;
  }

  struct bin {
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t count;
  };
  /// 0, 1, 2-3, 4-7, …, to the last that has vertices.
  std::vector<bin> bins() const {
    std::vector<bin> all;
    for (const auto& [degree, count] : vertices) {
      const auto index = static_cast<std::size_t>(std::bit_width(degree));
      while (all.size() <= index) {
        const std::size_t width = all.size();
        all.push_back(
            width == 0 ? bin{0, 0, 0}
                       : bin{std::uint64_t{1} << (width - 1), (std::uint64_t{1} << (width - 1)) * 2 - 1, 0});
      }
      all[index].count += count;
    }
    return all;
  }

  json as_json() const {
    json value{{"smallest", vertices.empty() ? 0 : vertices.begin()->first},
               {"largest", largest},
               {"mean", mean},
               {"median", median},
               {"distribution", json::array()}};
    for (const bin& one : bins())
      value["distribution"].push_back({{"from", one.from}, {"to", one.to}, {"vertices", one.count}});
    return value;
  }
  std::string as_text() const {
    std::vector<std::pair<std::string, std::uint64_t>> bars;
    for (const bin& one : bins())
      bars.emplace_back(one.from == one.to ? grouped(one.from) : grouped(one.from) + "-" + grouped(one.to),
                        one.count);
    return bars_of(bars);
  }
  std::vector<std::pair<double, double>> points() const {
    std::vector<std::pair<double, double>> all;
    all.reserve(vertices.size());
    for (const auto& [degree, count] : vertices)
      all.emplace_back(static_cast<double>(degree), static_cast<double>(count));
    return all;
  }
};

void write_plot(const stats_options& given, const degree_distribution& out_degrees,
                const degree_distribution* in_degrees) {
  if (given.plot.empty()) return;
  plot what{"Degrees of " + given.store.filename().string(), "neighbours", "vertices", true, {}};
  what.all.push_back({in_degrees == nullptr ? "degree" : "out-degree", out_degrees.points(), false});
  if (in_degrees != nullptr) what.all.push_back({"in-degree", in_degrees->points(), false});
  output out = output::to(given.plot);
  out.write(svg_of(what));
  out.finish();
}

std::string in_words(const degree_distribution& degrees) {
  return "at most " + grouped(degrees.largest) + ", " + std::to_string(degrees.mean) +
         " on average, median " +
         std::to_string(degrees.median).substr(0, std::to_string(degrees.median).find('.') + 2) + "\n";
}

void show(const stats_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    struct found {
      std::vector<std::uint64_t> out;
      std::vector<std::uint64_t> in;
      std::uint64_t loops = 0;
    };
    const found degrees = run.timed([&] {
      found now;
      now.out.resize(graph.size());
      if (!graph.symmetric()) now.in.resize(graph.size());
      for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto v = static_cast<graph::vertex_handle>(i);
        now.out[v] = graph.degree(v);
        for (const graph::vertex_handle to : graph.neighbours(v)) {
          now.loops += to == v ? 1U : 0U;
          if (!now.in.empty()) ++now.in[to];
        }
      }
      return now;
    });
    std::uint64_t isolated = 0;
    for (std::size_t v = 0; v < degrees.out.size(); ++v)
      isolated += degrees.out[v] == 0 && (degrees.in.empty() || degrees.in[v] == 0) ? 1U : 0U;
    if (graph.symmetric()) {
      run.write_vertices(graph, {{"degree"}},
                         [&](value_line& line, graph::vertex_handle v) { line(degrees.out[v]); });
    } else {
      run.write_vertices(
          graph, {{"out_degree"}, {"in_degree"}},
          [&](value_line& line, graph::vertex_handle v) { line(degrees.out[v], degrees.in[v]); });
    }
    const degree_distribution out_degrees(degrees.out);
    const degree_distribution in_degrees(degrees.in);
    write_plot(given, out_degrees, graph.symmetric() ? nullptr : &in_degrees);
    const std::uint64_t edges = graph.symmetric() ? (graph.arcs() + degrees.loops) / 2 : graph.arcs();
    json findings{{"undirected", graph.symmetric()},
                  {"edges", edges},
                  {"self_loops", degrees.loops},
                  {"isolated", isolated},
                  {"degrees", out_degrees.as_json()}};
    if (!graph.symmetric()) findings["in_degrees"] = in_degrees.as_json();
    run.report(findings, [&](output& out) {
      out.write("graph          " + counted(graph.size(), "vertex", "vertices") + ", " +
                counted(edges, "edge", "edges") + (graph.symmetric() ? ", undirected " : ", directed ") +
                run.times("counting") + "\n");
      out.write("self loops     " + grouped(degrees.loops) + "\n");
      out.write("isolated       " + grouped(isolated) + "\n");
      out.write((graph.symmetric() ? "degrees        " : "out-degrees    ") + in_words(out_degrees) +
                out_degrees.as_text());
      if (!graph.symmetric()) out.write("in-degrees     " + in_words(in_degrees) + in_degrees.as_text());
    });
  });
}

}  // namespace

void add_stats_command(command graph_command) {
  auto given = std::make_shared<stats_options>();
  command stats = add_analysis_command(graph_command, "stats",
                                       "How many neighbours vertices have, and how many have as many",
                                       "id and degree, of a directed graph out-degree and in-degree", *given);
  stats.add_path("--plot", given->plot, "Draw the distribution into this file, as SVG with logarithmic axes");
  stats.callback([given] { show(*given); });
}

}  // namespace perdure::cli
