#include "crash/block/power_cut.hpp"

#include <algorithm>

namespace perdure::crash {

namespace {

constexpr std::size_t sector_bytes = 512;

// Which of the pieces make it, by one of the ways that have found mistakes in file systems.
void choose(power_cut& cut, random_stream& random) {
  std::vector<power_cut::piece>& pieces = cut.survivors;
  if (pieces.empty()) return;
  const auto any = [&] { return pieces.begin() + static_cast<std::ptrdiff_t>(random.below(pieces.size())); };
  switch (random.below(5)) {
    case 0:
      cut.kind = "all but one block";
      pieces.erase(any());
      break;
    case 1:
      cut.kind = "one block only";
      pieces = {*any()};
      break;
    case 2: {
      cut.kind = "whole writes";
      std::vector<bool> lost(cut.received, false);
      for (std::size_t event = cut.flushed; event < cut.received; ++event) lost[event] = random.one_in(2);
      std::erase_if(pieces, [&](const power_cut::piece& one) { return lost[one.event]; });
      break;
    }
    default: {
      cut.kind = "some blocks";
      const std::uint64_t one_in = 2 + random.below(3);
      const bool lost = random.one_in(2);
      std::erase_if(pieces, [&](const power_cut::piece&) { return random.one_in(one_in) == lost; });
      break;
    }
  }
}

void tear(power_cut& cut, random_stream& random) {
  if (cut.survivors.empty()) return;
  const std::size_t which = static_cast<std::size_t>(random.below(cut.survivors.size()));
  const power_cut::piece whole = cut.survivors[which];
  std::vector<power_cut::piece> sectors;
  const bool is_prefix = random.one_in(2);
  const std::uint64_t count = (whole.to - whole.from + sector_bytes - 1) / sector_bytes;
  if (count < 2) return;
  const std::uint64_t kept = 1 + random.below(count - 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (is_prefix ? i >= kept : random.one_in(2)) continue;
    const std::size_t from = whole.from + static_cast<std::size_t>(i) * sector_bytes;
    sectors.push_back({whole.event, from, std::min(whole.to, from + sector_bytes)});
  }
  cut.tears = true;
  const auto at = cut.survivors.erase(cut.survivors.begin() + static_cast<std::ptrdiff_t>(which));
  cut.survivors.insert(at, sectors.begin(), sectors.end());
}

}  // namespace

std::size_t flushed_before(const disk_log& log, std::size_t received) {
  while (received > 0 && !log[received - 1].is_flush) --received;
  return received;
}

power_cut cut_power(const disk_log& log, std::size_t received, survival what, random_stream& random) {
  power_cut cut{.flushed = flushed_before(log, received), .received = received};
  cut.kind = "nothing";
  if (what == survival::nothing) return cut;
  for (std::size_t event = cut.flushed; event < received; ++event) {
    const std::size_t bytes = log[event].data.size();
    for (std::size_t from = 0; from < bytes;) {
      const std::uint64_t within = (log[event].offset + from) % block_image::block_bytes;
      const std::size_t to =
          std::min(bytes, from + static_cast<std::size_t>(block_image::block_bytes - within));
      cut.survivors.push_back({event, from, to});
      from = to;
    }
  }
  if (what == survival::everything) {
    cut.kind = "everything";
    return cut;
  }
  choose(cut, random);
  if (random.one_in(4)) tear(cut, random);
  return cut;
}

block_image after(const power_cut& cut, const disk_log& log, block_image flushed) {
  for (const power_cut::piece& one : cut.survivors) {
    const disk_event& event = log[one.event];
    flushed.write(event.offset + one.from, std::span(event.data).subspan(one.from, one.to - one.from));
  }
  return flushed;
}

std::uint64_t hash(const power_cut& cut) {
  std::uint64_t sum = mix(cut.flushed);
  for (const power_cut::piece& one : cut.survivors)
    sum = mix(sum ^ mix(one.event) ^ (one.from << 32) ^ one.to);
  return sum;
}

std::string describe(const power_cut& cut, const disk_log& log) {
  std::string text = "power cut after event " + std::to_string(cut.received) + " of " +
                     std::to_string(log.size()) + ", the last flush before it at " +
                     std::to_string(cut.flushed) + "; of the writes since: " + cut.kind + ", " +
                     std::to_string(cut.survivors.size()) + " pieces" + (cut.tears ? ", one torn" : "");
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(most, cut.survivors.size()); ++i) {
    const power_cut::piece& one = cut.survivors[i];
    text += "\n    event " + std::to_string(one.event) + ": bytes " +
            std::to_string(log[one.event].offset + one.from) + " to " +
            std::to_string(log[one.event].offset + one.to);
  }
  return text;
}

}  // namespace perdure::crash
