// A random geometric graph made by comparing all pairs of points, as generators without cells do. The points
// are those of rgg_generator. Prints JSON.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <perdure/graph/rgg.hpp>
#include <vector>

#include "programs/measure.hpp"

int main(int argc, char** argv) {
  using perdure::graph::rgg_generator;
  CLI::App app("Time to find the edges of a random geometric graph by comparing all pairs of points");
  perdure::graph::rgg_parameters parameters;
  app.add_option("--vertices", parameters.vertices);
  app.add_option("--seed", parameters.seed);
  CLI11_PARSE(app, argc, argv);

  const rgg_generator generator(parameters);
  const std::vector<rgg_generator::point> points = generator.points();
  const double reach = generator.radius() * generator.radius();
  std::vector<perdure::graph::edge> edges;
  const perdure::bench::stopwatch watch;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double x = points[i].x - points[j].x;
      const double y = points[i].y - points[j].y;
      if (x * x + y * y <= reach) edges.push_back({i, j});
    }
  std::cout << nlohmann::json{{"vertices", parameters.vertices},
                              {"edges", edges.size()},
                              {"generate_seconds", watch.wall()}}
            << '\n';
}
