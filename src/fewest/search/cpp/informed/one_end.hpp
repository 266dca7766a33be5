// One of two searches that meet: A* from the start, or from the goals (backward.hpp).
//
// A state has f = g + h and a detour d = g - k, where k is the other search's lower bound: that of the way from where
// this search began. Open states lie by f, d and h; what is asked of them is which pairs of f and d there are.
// What is new in a round of work is looked up among the states of the other search afterwards, so that both may work at
// the same time.
#pragma once

#include <map>

#include "informed/closed_list.hpp"
#include "informed/informed_search.hpp"
#include "informed/open_list.hpp"
#include "informed/successor_generator.hpp"

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
class OneEnd {
 public:
  // `other`: the problem from the other end.
  OneEnd(const PieceProblem& problem, const PieceProblem& other, const Hints& hints, const SearchOptions& options)
      : generator_(problem, hints, *problem.bound, options.expanded_before),
        away_(*other.bound),
        budget_(options.memory),
        closed_(budget_, problem.num_components),
        open_(budget_) {}

  // A state to begin with, wherever the agent may be in it; `true_spots` are all that are true.
  void begin_at(const PieceCube& cube) {
    const PieceStates<P, Q>& states = generator_.states();
    const State<P> rest = state_from<P>(cube.true_spots.data(), cube.true_spots.size());
    if (generator_.pruning().is_forbidden(rest)) return;
    const PlaceSet<Q> open = states.open_places(rest);
    for (PlaceSet<Q> left = open; !is_empty(left);) {
      const PlaceSet<Q> region = states.graph.reach(lowest(left), open);
      left = without(left, region);
      if (cube.place < 0 || contains(region, states.numbers.bit_of[cube.place]))
        add_start(states.key(rest, states.graph.place_of(lowest(region))));
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
    while (at_most > 0 && status_ == Status::running) {
      const Front* const front = smallest_front(most, other);
      if (front == nullptr) return;
      const std::uint64_t count = std::min({at_most, front->count, kAtOnce});
      for (std::uint64_t i = 0; i < count && status_ == Status::running; ++i) expand_next(front->f, front->detour);
      at_most -= count;
    }
  }

  // The cheapest meeting of what was new in the last round, or at the beginning.
  Meeting meet(const OneEnd& other) const {
    Meeting best;
    if (other.closed_.size() == 0) return best;
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      if (i + kAhead < fresh_.size()) other.closed_.prefetch(hash(closed_[fresh_[i + kAhead]]));
      const StateId there = other.closed_.find(closed_[fresh_[i]]);
      if (there == kNoState) continue;
      const PackedCost cost = closed_.cost(fresh_[i]) + other.closed_.cost(there);
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
    for (; node != kNoState; node = closed_.parent(node)) {
      path.states.push_back(closed_[node]);
      path.costs.push_back(closed_.cost(node));
    }
    std::reverse(path.states.begin(), path.states.end());
    std::reverse(path.costs.begin(), path.costs.end());
    return path;
  }

  const SuccessorGenerator<P, Q>& generator() const { return generator_; }
  Status status() const { return status_; }
  PackedCost initial_bound() const { return initial_bound_; }
  std::uint64_t num_states() const { return closed_.size(); }
  std::uint64_t num_expanded() const { return generator_.num_expanded(); }
  std::uint64_t work() const { return generator_.work(); }
  std::size_t bytes() const { return budget_.used(); }
  std::size_t most_bytes() const { return budget_.peak(); }

 private:
  static constexpr std::uint64_t kAtOnce = 64;  // expansions, then fronts are looked at again
  static constexpr std::size_t kAhead = 8;

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  void add_start(const State<P>& stored) {
    const PackedCost h = generator_.bound_at(stored);
    if (h == kInfiniteCost) return;
    if (!closed_.reserve(1)) return stop(Status::memory);
    if (closed_.find(stored) != kNoState) return;
    const auto entry = closed_.insert(stored, hash(stored), 0);
    closed_.open(entry, kNoState);
    initial_bound_ = is_done() ? h : std::min(initial_bound_, h);
    open(entry.node, h, 0, h);
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
    if (!open_.push(f, detour << 32 | h, node)) return stop(Status::memory);
    ++open_counts_[{f, detour}];
  }

  void expand_next(PackedCost f, PackedCost detour) {
    const StateId node = open_.pop(f, detour << 32);
    const auto count = open_counts_.find({f, detour});
    FEWEST_ASSERT(node != kNoState && count != open_counts_.end() && count->second > 0,
                  "a front has as many states as it says");
    if (--count->second == 0) open_counts_.erase(count);
    if (closed_.is_closed(node)) return;
    const State<P> stored = closed_[node];
    closed_.close(node);
    generator_.expand(stored, closed_.cost(node));
    std::vector<Successor<P>>& successors = generator_.successors(closed_);
    if (successors.empty()) return;
    away_.set(generator_.spots(), generator_.place());
    if (!closed_.reserve(successors.size())) return stop(Status::memory);
    for (Successor<P>& next : successors) next.at = closed_.approach(next.hash);
    for (const Successor<P>& next : successors) enter(node, next);
  }

  void enter(StateId parent, const Successor<P>& next) {
    const auto entry = closed_.insert(next.stored, next.hash, next.cost, next.at);
    if (!entry.is_cheaper) return;
    const auto& move = generator_.states().moves[next.row];
    const PackedCost h = generator_.bound_of(next), away = away_.after(move.deleted, move.added, move.to);
    FEWEST_ASSERT(away == kInfiniteCost || away <= next.cost,
                  "the other search's bound is no higher than what was paid");
    if (h == kInfiniteCost || away == kInfiniteCost) {
      closed_.close(entry, parent);
      return generator_.pruning().count_dead();
    }
    closed_.open(entry, parent);
    if (next.cost + h < best_) open(entry.node, next.cost + h, next.cost - away, h);
  }

  SuccessorGenerator<P, Q> generator_;
  PieceBound away_;  // k
  Budget budget_;
  ClosedList<P> closed_;
  OpenList open_;
  Status status_ = Status::running;
  PackedCost initial_bound_ = 0, best_ = kInfiniteCost;
  std::map<std::pair<PackedCost, PackedCost>, std::uint64_t> open_counts_;  // by f and d; open_ has what has become cheaper, too
  std::vector<Front> fronts_;
  std::vector<StateId> fresh_;
};

}  // namespace fewest
