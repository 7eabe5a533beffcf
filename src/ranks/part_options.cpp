#include "ranks/part_options.hpp"

#include <perdure/error.hpp>
#include <string>

#include "store/backing/backings.hpp"

namespace perdure::detail {

void require_part_options(const set_options& options, bool is_written) {
  if (options.store.last_decided)
    throw error(errc::invalid_argument,
                "what was decided on in a set its manifest says: leave last_decided out");
  if (is_written && !options.stage_directory.empty())
    throw error(errc::invalid_argument,
                "a set that is open for writing is written where it lies: open it for reading, or leave "
                "stage_directory out");
  const store::backing_row& chosen = store::chosen_backing(options.store);
  if (is_written && !chosen.prepares)
    throw error(errc::unsupported,
                "parts of a set cannot be written with the backing " + std::string(chosen.name) +
                    ", which cannot prepare a checkpoint that is decided on elsewhere: open it "
                    "with the backing " +
                    store::names_of_those_with(&store::backing_row::prepares));
}

}  // namespace perdure::detail
