// One of two searches that meet: A* from the start, or from the goals (backward.hpp).
//
// A state has f = g + h and a detour d = g - k, where k is the other search's lower bound: that of the way from where
// this search began. Open states lie by f, d and h; what is asked of them is which pairs of f and d there are.
// What is new in a round of work is looked up among the states of the other search afterwards, so that both may work at
// the same time.
#pragma once

#include <map>

#include "informed/astar_search.hpp"

namespace fewest {

// Open states with one f and one detour.
struct Front {
  PackedCost f, detour;
  std::uint64_t count;
};

// No plan by way of two open states, one of each search, costs less: the detour that one has made is still to be made by
// the other, whose h does not know of it.
inline PackedCost least_through(const Front& a, const Front& b) { return std::max(a.f + b.detour, b.f + a.detour); }

// Where two searches have met.
struct Meeting {
  PackedCost cost = kInfiniteCost;
  StateId here = kNoState, there = kNoState;
};

template <int P, int Q>
class OneEnd : public AStar<P, Q> {
  using Base = AStar<P, Q>;

 public:
  // `other`: the problem from the other end.
  OneEnd(const PieceProblem& problem, const PieceProblem& other, const Hints& hints, const SearchOptions& options)
      : Base(problem, hints, options), away_(*other.bound) {
    this->stops_at_goals_ = false;
  }

  // A state to begin with, wherever the agent may be in it; `true_spots` are all that are true.
  void begin_at(const PieceCube& cube) {
    const State<P> rest = state_from<P>(cube.true_spots.data(), cube.true_spots.size());
    for (const auto& test : this->forbidden_)
      if (in_cube(rest, test.mask, test.value)) return;
    const PlaceSet<Q> open = this->open_places(rest);
    for (PlaceSet<Q> left = open; !is_empty(left);) {
      const PlaceSet<Q> region = this->graph_.reach(lowest(left), open);
      left = without(left, region);
      if (cube.place < 0 || contains(region, this->numbers_.bit_of[cube.place]))
        add_start(rest, this->graph_.place_of(lowest(region)));
    }
  }

  bool is_done() const { return open_counts_.empty(); }

  // The pairs of f and d below which, in both, there is none.
  const std::vector<Front>& find_fronts() {
    fronts_.clear();
    for (const auto& [pair, count] : open_counts_)
      if (fronts_.empty() || pair.second < fronts_.back().detour) fronts_.push_back({pair.first, pair.second, count});
    return fronts_;
  }

  // Expands states that a plan of cost `most` may lead through, as far as the fronts of the other search tell, but no
  // more than so many. A plan that costs `best` is known.
  void expand_pairs(PackedCost most, const std::vector<Front>& other, std::uint64_t at_most, PackedCost best) {
    best_ = best;
    fresh_.clear();
    while (at_most > 0 && this->status_ == Status::running) {
      const Front* const front = smallest_front(most, other);
      if (front == nullptr) return;
      const std::uint64_t count = std::min({at_most, front->count, kAtOnce});
      for (std::uint64_t i = 0; i < count && this->status_ == Status::running; ++i) expand_front(front->f, front->detour);
      at_most -= count;
    }
  }

  // The cheapest meeting of what was new in the last round, or at the beginning.
  Meeting meet(const OneEnd& other) const {
    Meeting best;
    if (other.table_.size() == 0) return best;
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      if (i + kAhead < fresh_.size()) other.table_.prefetch(hash(table_[fresh_[i + kAhead]]));
      const StateId there = other.table_.find(table_[fresh_[i]]);
      if (there == kNoState) continue;
      const PackedCost cost = cost_of(fresh_[i]) + other.cost_of(there);
      if (cost < best.cost) best = {cost, fresh_[i], there};
    }
    return best;
  }

  // From where the search began to a state, both included; what each costs.
  struct Path {
    std::vector<State<P>> states;
    std::vector<PackedCost> costs;
  };
  Path path_to(StateId node) const {
    Path path;
    for (; node != kNoState; node = this->parent_[node]) {
      path.states.push_back(table_[node]);
      path.costs.push_back(cost_of(node));
    }
    std::reverse(path.states.begin(), path.states.end());
    std::reverse(path.costs.begin(), path.costs.end());
    return path;
  }

  // The plan along these states, from the start.
  std::vector<OperatorId> plan(const Path& path) {
    return this->play(
        path.states.size() - 1, [&](std::size_t i) { return path.costs[i] - path.costs[i - 1]; },
        [&](std::size_t i, const auto& now) { return this->canonical_of(now) == path.states[i]; });
  }

  Status status() const { return this->status_; }
  std::uint64_t num_states() const { return table_.size(); }
  std::uint64_t num_expanded() const { return this->num_expanded_; }
  using Base::counts;

 private:
  using Base::cost_, Base::open_, Base::pending_, Base::table_, Base::true_spots_;

  static constexpr std::uint64_t kAtOnce = 64;  // expansions, then fronts are looked at again
  static constexpr std::size_t kAhead = 8;

  PackedCost cost_of(StateId node) const { return this->large(cost_[node]); }

  void add_start(const State<P>& rest, int place) {
    true_spots_.clear();
    for_each_in<P>(rest, [&](int spot) { true_spots_.push_back(spot); });
    const PackedCost h = this->bound_.set(true_spots_, place);
    if (h == kInfiniteCost) return;
    const State<P> s = this->key(rest, place);
    if (!table_.reserve(1) || !cost_.reserve(table_.size() + 1) || !this->parent_.reserve(table_.size() + 1))
      return this->stop(Status::memory);
    const auto [node, is_new] = table_.insert(s, hash(s));
    if (!is_new) return;
    cost_[node] = 0;
    this->parent_[node] = kNoState;
    this->initial_bound_ = is_done() ? h : std::min(this->initial_bound_, h);
    open(node, h, 0, h);
  }

  const Front* smallest_front(PackedCost most, const std::vector<Front>& other) {
    const Front* best = nullptr;
    find_fronts();
    for (const Front& front : fronts_)
      if ((best == nullptr || front.count < best->count) &&
          std::any_of(other.begin(), other.end(), [&](const Front& o) { return least_through(front, o) <= most; }))
        best = &front;
    return best;
  }

  void open(StateId node, PackedCost f, PackedCost detour, PackedCost h) {
    fresh_.push_back(node);
    if (!open_.push(f, detour << 32 | h, node)) return this->stop(Status::memory);
    ++open_counts_[{f, detour}];
  }

  void expand_front(PackedCost f, PackedCost detour) {
    const StateId node = open_.pop(f, detour << 32);
    const auto count = open_counts_.find({f, detour});
    FEWEST_ASSERT(node != kNoState && count != open_counts_.end() && count->second > 0,
                  "a front has as many states as it says");
    if (--count->second == 0) open_counts_.erase(count);
    if (cost_[node] & Base::kClosed) return;
    const State<P> s = table_[node];
    const PackedCost g = cost_of(node);
    cost_[node] |= Base::kClosed;
    this->find_successors(node, s, g);
    if (pending_.empty()) return;
    away_.set(true_spots_, this->place_of(s));
    const std::size_t rows = table_.size() + pending_.size();
    if (!table_.reserve(pending_.size()) || !cost_.reserve(rows) || !this->parent_.reserve(rows))
      return this->stop(Status::memory);
    for (auto& next : pending_) {
      next.at = table_.approach(next.hash);
      if (const StateId there = table_.at(next.at); there != kNoState) __builtin_prefetch(&cost_[there]);
    }
    for (const auto& next : pending_) settle_new(node, s, next);
  }

  void settle_new(StateId parent, const State<P>& s, const typename Base::Pending& next) {
    const auto [node, is_new] = table_.insert(next.stored, next.hash, next.at);
    const std::uint32_t packed = this->small(next.cost);
    if (!is_new && (cost_[node] & ~Base::kClosed) <= packed) return;
    const auto& move = this->moves_[next.row];
    const PackedCost h = this->bound_of(s, next.row), away = away_.after(move.deleted, move.added, move.to);
    FEWEST_ASSERT(away == kInfiniteCost || away <= next.cost,
                  "the other search's bound is no higher than what was paid");
    this->parent_[node] = parent;
    cost_[node] = packed;
    if (h == kInfiniteCost || away == kInfiniteCost) {
      cost_[node] |= Base::kClosed;
      ++this->num_dead_;
    } else if (next.cost + h < best_) {
      open(node, next.cost + h, next.cost - away, h);
    }
  }

  PieceBound away_;  // k
  PackedCost best_ = kInfiniteCost;
  std::map<std::pair<PackedCost, PackedCost>, std::uint64_t> open_counts_;  // by f and d; open_ has what has become cheaper, too
  std::vector<Front> fronts_;
  std::vector<StateId> fresh_;
};

}  // namespace fewest
