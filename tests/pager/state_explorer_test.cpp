// Every interleaving of a few threads on one page: loads, stores, evictions, flushes, checkpoints, step by
// step.
//
// The steps are those of budgeted_mapping.cpp, each as much as happens at one instant: a compare-and-swap of
// the page's word, or a change that only its owner may make. The model has what the word does not tell:
// whether the page is mapped and writable, the newest value, and that on disk.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "pager/page_states.hpp"

namespace perdure::pager::detail {
namespace {

enum class step : std::uint8_t {
  start,
  wait,
  load_read,
  load_expect,
  load_note,
  load_install,
  load_settle,
  store_note,
  store_unprotect,
  store_settle,
  write_protect,
  write_out,
  write_decide,
  evict_drop,
  evict_settle,
  flush_settle,
  part_take,
  part_look,
  beside_protect,
  beside_settle,
  done,
};

// `load_writable` is a load of a page that a store is expected to; `protect` is that of pages beside, which
// has the kernel protect this one too, if it is not writable. `checkpoint` is a flush that looks at the page
// only where its part is noted to have dirty ones.
enum class task : std::uint8_t { load, load_writable, store, evict, flush, checkpoint, protect };

struct actor {
  task what;
  std::uint8_t times;  // left
  step next = step::start;
  std::uint8_t buffer = 0;  // what was read, or is to be written; the state before `protect` took it
  std::uint8_t owed = 0;    // the newest value when a flush or a checkpoint began
  auto operator<=>(const actor&) const = default;
};

struct world {
  page_state state = page_state::absent;
  bool waiters = false;
  bool mapped = false;
  bool writable = false;
  std::uint8_t memory = 0;  // value of the mapped page
  std::uint8_t disk = 0;
  std::uint8_t newest = 0;  // stores that were made
  bool part_noted = false;
  std::array<actor, 4> actors;
  auto operator<=>(const world&) const = default;
};

struct planted_mistakes {
  bool writes_before_protecting = false;
  bool evicts_dirty_without_writing = false;
  bool evicts_although_awaited_as_clean = false;
  bool forgets_to_wake = false;
  bool protects_what_is_not_taken = false;
  bool is_writable_unannounced = false;
  bool notes_part_when_settled = false;
  bool takes_note_after_looking = false;
};

class explorer {
 public:
  explicit explorer(planted_mistakes mistakes = {}) : mistakes_(mistakes) {}

  /// The first thing that goes wrong in any interleaving; "" if nothing can.
  std::string explore(const std::array<actor, 4>& actors) {
    world first;
    first.actors = actors;
    std::set<world> seen{first};
    std::vector<world> open{first};
    while (!open.empty()) {
      const world now = open.back();
      open.pop_back();
      bool all_done = true;
      bool moved = false;
      for (std::size_t i = 0; i < now.actors.size(); ++i) {
        if (now.actors[i].next == step::done) continue;
        all_done = false;
        world next = now;
        if (!advance(next, next.actors[i])) continue;
        moved = true;
        if (!wrong_.empty()) return wrong_;
        if (next.mapped && next.memory != next.newest && is_settled(next)) return "a store is lost in memory";
        if (!next.mapped && next.disk != next.newest && next.state == page_state::absent)
          return "a store is lost on disk";
        if (next.state == page_state::dirty && !next.writable) return "a dirty page is protected";
        if (next.state == page_state::clean && next.writable) return "a clean page is writable";
        if (seen.insert(next).second) open.push_back(next);
      }
      if (!all_done && !moved) return "threads wait for ever";
      states_ = seen.size();
    }
    return "";
  }
  std::size_t states() const { return states_; }

 private:
  static bool is_settled(const world& w) {
    return w.state == page_state::clean || w.state == page_state::dirty || w.state == page_state::absent;
  }

  void settle(world& w, page_state state) const {
    w.state = state;
    w.waiters = false;
    if (mistakes_.forgets_to_wake) return;
    for (actor& a : w.actors) {
      if (a.next != step::wait) continue;
      a.next = a.what == task::flush || a.what == task::checkpoint ? step::part_look : step::start;
    }
  }

  void finish(const world& w, actor& a) {
    const bool writes_all = a.what == task::flush || a.what == task::checkpoint;
    if (writes_all && w.disk < a.owed) wrong_ = "a store is left out";
    --a.times;
    a.next = a.times == 0 ? step::done : step::start;
  }

  // False: the actor sleeps.
  bool advance(world& w, actor& a) {
    switch (a.next) {
      case step::done:
      case step::wait:
        return false;
      case step::start:
        start(w, a);
        return true;
      case step::load_read:
        a.buffer = w.disk;
        a.next = a.what == task::load || mistakes_.is_writable_unannounced ? step::load_install
                                                                           : step::load_expect;
        return true;
      case step::load_expect:
        w.state = page_state::dirtying;
        a.next = mistakes_.notes_part_when_settled ? step::load_install : step::load_note;
        return true;
      case step::load_note:
        w.part_noted = true;
        a.next = step::load_install;
        return true;
      case step::load_install:
        if (w.mapped) wrong_ = "a page is installed where one is";
        w.mapped = true;
        w.memory = a.buffer;
        w.writable = a.what != task::load;
        a.next = step::load_settle;
        return true;
      case step::load_settle:
        if (a.what != task::load) w.part_noted = true;
        settle(w, a.what != task::load ? page_state::dirty : page_state::clean);
        a.next = step::start;  // the instruction is repeated
        return true;
      case step::store_note:
        w.part_noted = true;
        a.next = step::store_unprotect;
        return true;
      case step::store_unprotect:
        if (!w.mapped) wrong_ = "an absent page is made writable";
        w.writable = true;
        a.next = step::store_settle;
        return true;
      case step::store_settle:
        if (mistakes_.notes_part_when_settled) w.part_noted = true;
        settle(w, page_state::dirty);
        a.next = step::start;
        return true;
      case step::write_protect:
        w.writable = false;
        a.buffer = w.memory;
        a.next = step::write_out;
        return true;
      case step::write_out:
        w.disk = mistakes_.writes_before_protecting ? a.buffer : w.memory;
        if (mistakes_.writes_before_protecting) w.writable = false;
        a.next = a.what == task::evict ? step::write_decide : step::flush_settle;
        return true;
      case step::flush_settle:
        settle(w, page_state::clean);
        finish(w, a);
        return true;
      case step::part_take:
        w.part_noted = false;
        if (mistakes_.takes_note_after_looking) {
          finish(w, a);
        } else {
          a.next = step::part_look;
        }
        return true;
      case step::part_look:
        look(w, a);
        return true;
      case step::beside_protect:
        if (w.mapped) w.writable = false;
        if (mistakes_.protects_what_is_not_taken) {
          finish(w, a);
        } else {
          a.next = step::beside_settle;
        }
        return true;
      case step::beside_settle:
        settle(w, static_cast<page_state>(a.buffer));
        finish(w, a);
        return true;
      case step::write_decide:
        if (w.waiters && !mistakes_.evicts_although_awaited_as_clean) {
          settle(w, page_state::clean);
          finish(w, a);
        } else {
          w.state = page_state::evicting;
          a.next = step::evict_drop;
        }
        return true;
      case step::evict_drop:
        if (w.writable) wrong_ = "a writable page is dropped";
        w.mapped = false;
        a.next = step::evict_settle;
        return true;
      case step::evict_settle:
        settle(w, page_state::absent);
        finish(w, a);
        return true;
    }
    return false;
  }

  void start(world& w, actor& a) {
    if (a.what == task::protect) {
      if (w.state != page_state::clean && w.state != page_state::absent) return finish(w, a);
      a.buffer = static_cast<std::uint8_t>(w.state);
      if (!mistakes_.protects_what_is_not_taken) w.state = page_state::loading;
      a.next = step::beside_protect;
      return;
    }
    if (a.what == task::flush || a.what == task::checkpoint) {
      a.owed = w.newest;
      if (a.what == task::checkpoint && !w.part_noted) return finish(w, a);
      a.next =
          a.what == task::flush || mistakes_.takes_note_after_looking ? step::part_look : step::part_take;
      return;
    }
    if (a.what == task::evict) {
      if (w.state == page_state::dirty && mistakes_.evicts_dirty_without_writing) {
        w.state = page_state::evicting;
        w.writable = false;
        a.next = step::evict_drop;
      } else if (w.state == page_state::dirty) {
        take_to_write(w, a);
      } else if (w.state == page_state::clean) {
        w.state = page_state::evicting;
        a.next = step::evict_drop;
      } else {
        finish(w, a);
      }
      return;
    }
    // The instruction itself, where the hardware lets it.
    const bool stores = a.what == task::store;
    if (w.mapped && (!stores || w.writable)) {
      if (w.memory != w.newest) wrong_ = "an old value is read";
      if (stores) w.memory = w.newest = static_cast<std::uint8_t>(w.newest + 1);
      finish(w, a);
      return;
    }
    // The handler.
    switch (w.state) {
      case page_state::absent:
        w.state = page_state::loading;
        a.next = step::load_read;
        return;
      case page_state::loading:
      case page_state::dirtying:
      case page_state::evicting:
        wait(w, a);
        return;
      case page_state::writing:
        if (stores) wait(w, a);
        return;
      case page_state::clean:
        if (!stores) return;
        w.state = mistakes_.is_writable_unannounced ? page_state::loading : page_state::dirtying;
        a.next = mistakes_.notes_part_when_settled ? step::store_unprotect : step::store_note;
        return;
      case page_state::dirty:
        return;
    }
  }

  void take_to_write(world& w, actor& a) const {
    w.state = page_state::writing;
    if (mistakes_.writes_before_protecting) {
      a.buffer = w.memory;
      a.next = step::write_out;
    } else {
      a.next = step::write_protect;
    }
  }

  // What a flush or a checkpoint makes of the page.
  void look(world& w, actor& a) {
    if (w.state == page_state::dirty) {
      take_to_write(w, a);
    } else if (w.state == page_state::writing || w.state == page_state::dirtying) {
      wait(w, a);
    } else if (a.what == task::checkpoint && mistakes_.takes_note_after_looking) {
      a.next = step::part_take;
    } else {
      finish(w, a);
    }
  }

  static void wait(world& w, actor& a) {
    w.waiters = true;
    a.next = step::wait;
  }

  planted_mistakes mistakes_;
  std::string wrong_;
  std::size_t states_ = 0;
};

constexpr std::array<actor, 4> all_kinds{
    {{task::store, 2}, {task::store, 2}, {task::evict, 3}, {task::flush, 2}}};
constexpr std::array<actor, 4> two_evictors{
    {{task::store, 3}, {task::load, 2}, {task::evict, 2}, {task::evict, 2}}};

constexpr std::array<actor, 4> expecting_stores{
    {{task::load_writable, 2}, {task::store, 2}, {task::evict, 3}, {task::flush, 2}}};
constexpr std::array<actor, 4> checkpoints{
    {{task::store, 2}, {task::store, 2}, {task::evict, 2}, {task::checkpoint, 3}}};
constexpr std::array<actor, 4> checkpoints_expecting_stores{
    {{task::load_writable, 2}, {task::store, 2}, {task::evict, 2}, {task::checkpoint, 3}}};
constexpr std::array<actor, 4> beside_others{
    {{task::store, 2}, {task::load, 2}, {task::evict, 2}, {task::protect, 3}}};
constexpr std::array<actor, 4> beside_others_expecting_stores{
    {{task::load_writable, 2}, {task::store, 2}, {task::evict, 3}, {task::protect, 3}}};

TEST(the_states_of_a_page, lose_no_store_and_let_nobody_wait_for_ever) {
  for (const auto& actors : {all_kinds, two_evictors, expecting_stores, checkpoints,
                             checkpoints_expecting_stores, beside_others, beside_others_expecting_stores}) {
    explorer e;
    EXPECT_EQ(e.explore(actors), "");
    EXPECT_GT(e.states(), 500u);
  }
}

TEST(the_states_of_a_page, show_planted_mistakes) {
  EXPECT_NE(explorer({.writes_before_protecting = true}).explore(all_kinds), "");
  EXPECT_NE(explorer({.evicts_dirty_without_writing = true}).explore(all_kinds), "");
  EXPECT_EQ(explorer({.forgets_to_wake = true}).explore(all_kinds), "threads wait for ever");
  EXPECT_EQ(explorer({.protects_what_is_not_taken = true}).explore(beside_others),
            "a dirty page is protected");
  for (const auto& actors : {all_kinds, expecting_stores, checkpoints, checkpoints_expecting_stores})
    EXPECT_EQ(explorer({.is_writable_unannounced = true}).explore(actors), "a store is left out");
  for (const auto& actors : {checkpoints, checkpoints_expecting_stores}) {
    EXPECT_EQ(explorer({.notes_part_when_settled = true}).explore(actors), "a store is left out");
    EXPECT_EQ(explorer({.takes_note_after_looking = true}).explore(actors), "a store is left out");
  }
  // Only slower: a thread that waits loads the page again.
  EXPECT_EQ(explorer({.evicts_although_awaited_as_clean = true}).explore(all_kinds), "");
}

}  // namespace
}  // namespace perdure::pager::detail
