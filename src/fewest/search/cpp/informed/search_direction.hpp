// One direction of bidirectional A*: from the start or from the goals (backward.hpp).
//
// A state has f = g + h and a detour d = g - k. Here, k is the heuristic of the other search: a lower bound on the cost
// between the origin of this search and the state. The open list has a bucket for each triple (f, d, h); queries need
// only the set of pairs (f, d). After a round, its new states are looked up among the states of the other search, so
// both searches can work at the same time.
#pragma once

#include <map>

#include "informed/open_list.hpp"
#include "informed/search_space.hpp"

namespace fewest {

// The open states that share one f and one detour.
struct OpenGroup {
  PackedCost f, detour;
  std::uint64_t count;
};

// A lower bound on the cost of a plan through two open states, one of each search. The heuristic of each search ignores
// the detours of the other search, so these detours are added.
inline PackedCost least_through(const OpenGroup& a, const OpenGroup& b) {
  return std::max(a.f + b.detour, b.f + a.detour);
}

class SearchDirection {
 public:
  // `space` must contain the heuristic of the other search.
  explicit SearchDirection(std::unique_ptr<SearchSpace> space)
      : space_(std::move(space)), costs_(space_->costs()), open_(space_->budget()) {}

  // Adds the states of a cube as initial states, one for each region of the agent that the cube allows. The field
  // `true_spots` of the cube must contain all true spots.
  void begin_at(const PieceCube& cube) {
    opened_.clear();
    const bool is_all = space_->insert_starts(cube, opened_);
    for (const Opened& start : opened_) {
      initial_bound_ = is_done() ? start.bound : std::min(initial_bound_, start.bound);
      open(start);
    }
    if (!is_all) stop(Status::memory);
  }

  bool is_done() const { return open_counts_.empty(); }

  // Returns the pairs (f, d) of open states that no other pair dominates.
  const std::vector<OpenGroup>& find_groups() {
    groups_.clear();
    for (const auto& [pair, count] : open_counts_)
      if (groups_.empty() || pair.second < groups_.back().detour) groups_.push_back({pair.first, pair.second, count});
    return groups_;
  }

  // Expands at most `at_most` states that may be on a plan of cost `most`, given the groups of the other search.
  // `best`: the cost of the best known plan.
  void expand_pairs(PackedCost most, const std::vector<OpenGroup>& other, std::uint64_t at_most, PackedCost best) {
    best_ = best;
    fresh_.clear();
    while (at_most > 0 && status_ == Status::running) {
      const OpenGroup* const group = smallest_group(most, other);
      if (group == nullptr) return;
      const std::uint64_t count = std::min({at_most, group->count, kAtOnce});
      for (std::uint64_t i = 0; i < count && status_ == Status::running; ++i) expand_next(group->f, group->detour);
      at_most -= count;
    }
  }

  // Returns the cheapest meeting point among the new states of the last round or, before the first round, among the
  // initial states.
  MeetingPoint meet(const SearchDirection& other) const { return space_->meet(fresh_, *other.space_); }

  const SearchSpace& space() const { return *space_; }
  Status status() const { return status_; }
  PackedCost initial_bound() const { return initial_bound_; }

 private:
  static constexpr std::uint64_t kAtOnce = 64;  // the greatest number of expansions before the groups are recomputed

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  const OpenGroup* smallest_group(PackedCost most, const std::vector<OpenGroup>& other) {
    const OpenGroup* best = nullptr;
    find_groups();
    for (const OpenGroup& group : groups_)
      if ((best == nullptr || group.count < best->count) &&
          std::any_of(other.begin(), other.end(), [&](const OpenGroup& o) { return least_through(group, o) <= most; }))
        best = &group;
    return best;
  }

  void open(const Opened& state) {
    const PackedCost f = state.cost + state.bound, detour = state.cost - state.away;
    fresh_.push_back(state.node);
    if (!open_.push(f, detour << 32 | state.bound, state.node)) return stop(Status::memory);
    ++open_counts_[{f, detour}];
  }

  void expand_next(PackedCost f, PackedCost detour) {
    const StateId node = open_.pop(f, detour << 32);
    const auto count = open_counts_.find({f, detour});
    FEWEST_ASSERT(node != kNoState && count != open_counts_.end() && count->second > 0,
                  "the open list contains every state that is counted");
    if (--count->second == 0) open_counts_.erase(count);
    if (costs_.is_closed(node)) return;
    space_->expand(node);
    if (!space_->open_successors(opened_)) return stop(Status::memory);
    for (const Opened& next : opened_)
      if (next.cost + next.bound < best_) open(next);
  }

  std::unique_ptr<SearchSpace> space_;
  NodeCosts& costs_;
  OpenList open_;
  std::vector<Opened> opened_;
  Status status_ = Status::running;
  PackedCost initial_bound_ = 0, best_ = kInfiniteCost;
  // The number of entries of `open_` for each pair (f, d). A state that has become cheaper has several entries.
  std::map<std::pair<PackedCost, PackedCost>, std::uint64_t> open_counts_;
  std::vector<OpenGroup> groups_;
  std::vector<StateId> fresh_;
};

}  // namespace fewest
