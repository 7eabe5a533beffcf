#include "crash/crash_point.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace perdure::crash {

namespace {

void tear(random_stream& random, const logged_call& call, std::vector<line_mask>& persisted) {
  for (line_mask& mask : persisted) mask = call.is_store ? random.next() : lines_of_sectors(random.next());
}

}  // namespace

void crash_point::apply(const logged_call& call, const std::vector<line_mask>& persisted, disk_image& to) {
  switch (call.what) {
    case logged::write:
      for (std::size_t i = 0; i < call.pieces.size(); ++i) {
        if (persisted[i] != 0) to.write(call.target, call.pieces[i], persisted[i]);
      }
      break;
    case logged::create:
      // The file itself is there from the beginning, without a name.
      if (persisted[0] != 0) to.link(call.target, call.name, call.other);
      break;
    default:
      if (persisted[0] != 0) apply_whole(call, to);
      break;
  }
}

void crash_point::make_durable(const logged_call& call) {
  apply(call, std::vector<line_mask>(std::max<std::size_t>(1, call.pieces.size()), all_lines), durable_);
  // What was written before and lost lies under this now, or was cut off by it.
  const auto covers = [&call](const page_write& piece) {
    const std::uint64_t begin = piece.page * disk_page;
    switch (call.what) {
      case logged::write:
        return std::any_of(call.pieces.begin(), call.pieces.end(),
                           [&piece](const page_write& over) { return over.page == piece.page; });
      case logged::resize:
        return begin >= call.bytes;
      case logged::punch:
        return begin >= call.offset && begin < call.offset + call.bytes;
      default:
        return false;
    }
  };
  for (pending_call& lost : pending_) {
    if (lost.is_lost && lost.call.target == call.target) std::erase_if(lost.call.pieces, covers);
  }
}

void crash_point::lose(const logged_call& call) {
  const auto is_lost = [&call](const page_write& piece) {
    return std::any_of(call.pieces.begin(), call.pieces.end(),
                       [&piece](const page_write& one) { return one.page == piece.page; });
  };
  for (pending_call& now : pending_)
    if (now.call.target == call.target) std::erase_if(now.call.pieces, is_lost);
  std::erase_if(pending_, [](const pending_call& now) {
    return now.call.what == logged::write && now.call.pieces.empty();
  });
}

void crash_point::persist(const logged_call& call) {
  const auto lines_within = [&call](const page_write& piece) {
    line_mask lines = 0;
    for (std::size_t i = 0; i < lines_per_page; ++i) {
      const std::uint64_t begin = piece.page * disk_page + i * line;
      if (begin < call.offset + call.bytes && begin + line > call.offset) lines |= line_mask{1} << i;
    }
    return lines & piece.lines;
  };
  for (pending_call& now : pending_) {
    if (now.call.target != call.target || now.is_lost) continue;
    if (now.call.what == logged::resize) make_durable(now.call);
    if (now.call.what != logged::write) continue;
    for (page_write& piece : now.call.pieces) {
      const line_mask lines = lines_within(piece);
      if (lines == 0) continue;
      durable_.write(call.target, piece, lines);
      piece.lines &= ~lines;
    }
    std::erase_if(now.call.pieces, [](const page_write& piece) { return piece.lines == 0; });
  }
  std::erase_if(pending_, [&call](const pending_call& now) {
    return now.call.target == call.target && !now.is_lost &&
           (now.call.what == logged::resize || (now.call.what == logged::write && now.call.pieces.empty()));
  });
}

std::optional<inode_number> crash_point::one_written(random_stream& random) const {
  std::set<inode_number> files;
  for (const pending_call& now : pending_)
    if (now.call.what == logged::write) files.insert(now.call.target);
  if (files.empty()) return std::nullopt;
  return *std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
}

logged_call crash_point::loss_of(inode_number file) const {
  logged_call loss{.what = logged::lost, .target = file};
  std::set<std::uint64_t> pages;
  for (const pending_call& now : pending_) {
    if (now.call.what != logged::write || now.call.target != file) continue;
    for (const page_write& piece : now.call.pieces) pages.insert(piece.page);
  }
  for (const std::uint64_t page : pages) loss.pieces.push_back({page, 0, 0, nullptr});
  return loss;
}

void crash_point::step(const logged_call& call, std::size_t index) {
  switch (call.what) {
    case logged::persist:
      persist(call);
      break;
    case logged::create:
      durable_.make(call.other, call.is_directory);
      pending_.push_back({index, call});
      break;
    case logged::write:
    case logged::resize:
    case logged::punch:
    case logged::rename:
    case logged::remove:
      pending_.push_back({index, call});
      break;
    case logged::sync_ended:
      for (const pending_call& now : pending_) {
        if (now.call.target == call.target && now.index < call.begun && !now.is_lost) make_durable(now.call);
      }
      std::erase_if(pending_, [&](const pending_call& now) {
        return now.call.target == call.target && now.index < call.begun && !now.is_lost;
      });
      std::erase_if(pending_, [](const pending_call& now) { return now.is_lost && now.call.pieces.empty(); });
      break;
    case logged::lost:
      lose(call);
      break;
    case logged::sync_failed:
      for (pending_call& now : pending_) {
        if (now.call.target == call.target && now.index < call.begun && now.call.what == logged::write) {
          now.is_lost = true;
        }
      }
      break;
    default:
      break;
  }
}

choice crash_point::uniform(line_mask persisted) const {
  choice result;
  result.reserve(pending_.size());
  for (const pending_call& now : pending_) {
    result.emplace_back(std::max<std::size_t>(1, now.call.pieces.size()), persisted);
  }
  return result;
}

void crash_point::obey_rules(choice& persisted) const {
  std::set<inode_number> stopped;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].call.what == logged::write) continue;
    if (stopped.contains(pending_[i].call.target)) persisted[i][0] = 0;
    if (persisted[i][0] == 0) stopped.insert(pending_[i].call.target);
  }
}

disk_image crash_point::state(const choice& persisted) const {
  disk_image result = durable_;
  for (std::size_t i = 0; i < pending_.size(); ++i) apply(pending_[i].call, persisted[i], result);
  return result;
}

void crash_point::for_each_choice(random_stream& random, std::size_t extra,
                                  const std::function<bool(const choice&)>& visit) const {
  const auto offer = [&](choice persisted) {
    obey_rules(persisted);
    return visit(persisted);
  };
  const auto set = [](std::vector<line_mask>& one, line_mask to) { std::fill(one.begin(), one.end(), to); };
  const std::size_t count = pending_.size();
  const choice nothing = uniform(0);
  const choice everything = this->everything();
  if (!offer(nothing) || !offer(everything)) return;
  constexpr std::size_t few = 4;
  if (count <= few) {
    for (std::size_t subset = 1; subset + 1 < (std::size_t{1} << count); ++subset) {
      choice some = nothing;
      for (std::size_t i = 0; i < count; ++i) {
        if ((subset >> i & 1) != 0) set(some[i], all_lines);
      }
      if (!offer(std::move(some))) return;
    }
  } else {
    choice prefix = nothing;
    for (std::size_t i = 0; i < count; ++i) {
      set(prefix[i], all_lines);
      choice without = everything;
      set(without[i], 0);
      choice alone = nothing;
      set(alone[i], all_lines);
      if (!offer(prefix) || !offer(std::move(without)) || !offer(std::move(alone))) return;
    }
  }
  // Tears of one of the most recent writes, with everything or nothing else.
  constexpr std::size_t recent = 2;
  std::size_t torn = 0;
  for (std::size_t i = count; i-- > 0 && torn < recent;) {
    if (pending_[i].call.what != logged::write || pending_[i].call.pieces.empty()) continue;
    ++torn;
    const std::size_t piece = static_cast<std::size_t>(random.below(pending_[i].call.pieces.size()));
    for (std::size_t sectors = 1; sectors < sectors_per_page; ++sectors) {
      const line_mask head = lines_of_sectors((1u << sectors) - 1);
      for (const line_mask mask : {head, ~head}) {
        choice one = random.one_in(2) ? everything : nothing;
        one[i] = everything[i];
        one[i][piece] = mask;
        if (!offer(std::move(one))) return;
      }
    }
  }
  for (std::size_t i = 0; i < extra; ++i) {
    choice any = nothing;
    for (std::size_t call = 0; call < count; ++call) {
      switch (random.below(3)) {
        case 0:
          break;
        case 1:
          set(any[call], all_lines);
          break;
        default:
          if (pending_[call].call.what == logged::write) tear(random, pending_[call].call, any[call]);
          break;
      }
    }
    if (!offer(std::move(any))) return;
  }
}

choice crash_point::one_by_file(random_stream& random) const {
  enum class fate { nothing, everything, first_calls, some_calls, some_sectors };
  struct file_fate {
    fate what = fate::nothing;
    std::size_t calls = 0;
    std::size_t first = 0;  // so many of them
  };
  std::map<inode_number, file_fate> fates;
  for (const pending_call& now : pending_) ++fates[now.call.target].calls;
  for (auto& [file, own] : fates) {
    own.what = static_cast<fate>(random.below(5));
    own.first = static_cast<std::size_t>(random.below(own.calls + 1));
  }
  choice result = uniform(0);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    file_fate& own = fates[pending_[i].call.target];
    std::vector<line_mask>& persisted = result[i];
    const bool is_first = own.first != 0;
    if (is_first) --own.first;
    if (own.what == fate::everything || (own.what == fate::first_calls && is_first) ||
        (own.what >= fate::some_calls && random.one_in(2))) {
      std::fill(persisted.begin(), persisted.end(), all_lines);
    } else if (own.what == fate::some_sectors && pending_[i].call.what == logged::write) {
      tear(random, pending_[i].call, persisted);
    }
  }
  obey_rules(result);
  return result;
}

std::string crash_point::describe(const choice& persisted) const {
  std::string text;
  file_names names{{root_inode, "."}};
  for (const auto& [path, number] : durable_.listing()) names[number] = path.substr(path.rfind('/') + 1);
  for (const pending_call& pending : pending_) learn_names(pending.call, names);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    text +=
        "    " + std::to_string(pending_[i].index) + " " + crash::describe(pending_[i].call, names) + ": ";
    const auto is = [&](line_mask mask) {
      return std::all_of(persisted[i].begin(), persisted[i].end(), [mask](line_mask m) { return m == mask; });
    };
    text += is(0) ? "lost\n" : is(all_lines) ? "on disk\n" : "torn\n";
  }
  return text;
}

}  // namespace perdure::crash
