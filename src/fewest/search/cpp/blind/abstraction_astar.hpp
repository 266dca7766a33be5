// A* over the same states and moves as breadth-first search. Its heuristic is the greatest of the exact goal distances
// in several abstractions.
//
// Problem: in metrics that merge moves, heuristics based on single pieces are weak. If the goal distinguishes pieces
// that would otherwise be interchangeable, the state space is many times larger.
// Solution: the abstract spaces (analysis/abstraction.py) are small, so the search computes all goal distances in each
// of them. The heuristic value of a state is the greatest goal distance of any of its images. If some image has no goal
// distance, the state is dead.
// - For a given state, an expander returns all states that cost one unit more. The image of each of these states is the
//   image of the given state, or a state that an expander of the abstraction returns for this image. So the heuristic
//   is consistent, no expanded state is found again at a lower cost, and the first goal state that is removed from the
//   open list is a cheapest goal state.
// - The search stores the distance of each state from the start (4 bytes). Plans are reconstructed backwards, as in
//   breadth-first search.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "blind/goal_distances.hpp"
#include "blind/width.hpp"
#include "expand/images.hpp"
#include "informed/open_list.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

// The distances of one abstraction.
template <int P>
class AbstractDistances {
 public:
  FEWEST_COLD AbstractDistances(const Compiler& compiler, const Abstraction& abstract, const Options& options)
      : invariants_(*abstract.problem),
        layout_(*abstract.problem, invariants_),
        forward_(*abstract.problem, invariants_, layout_),
        backward_(*abstract.reversed, invariants_, layout_),
        moves_(equal_cost_expander<P>(forward_, *abstract.costs)),
        back_(equal_cost_expander<P>(backward_, *abstract.reversed_costs)),
        facts_(both(compiler, abstract)),
        images_(compiler, {2, facts_.data(), false}, layout_),
        distances_(forward_, *abstract.costs, *moves_, *back_, options) {}
  FEWEST_COLD ~AbstractDistances() = default;
  AbstractDistances(const AbstractDistances&) = delete;

  bool measure(const State<P>& initial) { return distances_.run_for_distances(images_.only_image(initial)); }
  // Returns the heuristic value of a state plus one, or 0 if the image of the state has no goal distance.
  std::uint32_t of(const State<P>& s) const { return distances_.distance(images_.only_image(s)); }
  std::size_t used() const { return distances_.used(); }

 private:
  static std::vector<FactId> both(const Compiler& compiler, const Abstraction& abstract) {
    std::vector<FactId> facts(2 * static_cast<std::size_t>(compiler.problem().num_facts));
    std::copy_n(abstract.image, facts.size() / 2, facts.begin() + static_cast<std::ptrdiff_t>(facts.size() / 2));
    return facts;
  }

  Invariants invariants_;
  Layout layout_;
  Compiler forward_, backward_;
  std::unique_ptr<Expander<P, Plain<P>>> moves_, back_;
  std::vector<FactId> facts_;
  Images<P> images_;
  GoalDistances<P> distances_;
};

template <int P>
class AbstractionAstar {
 public:
  FEWEST_COLD AbstractionAstar(const Compiler& compiler, Expander<P, Plain<P>>& moves, const Options& options)
      : compiler_(compiler), moves_(moves), options_(options), quiet_{options.host}, control_(options) {}

  FEWEST_COLD ~AbstractionAstar() = default;

  FEWEST_COLD GuidedOutcome run(const State<P>& initial, const std::vector<Abstraction>& abstractions) {
    measure(initial, abstractions);
    Budget budget(options_.memory - std::min(options_.memory, abstract_bytes_));
    Tables tables(budget);
    if (status_ == Status::running) search(initial, tables);
    return outcome(tables, budget);
  }

 private:
  static constexpr std::uint64_t kExpansionsPerCheck = 1024;
  static constexpr std::uint32_t kClosed = 0x80000000u;
  static constexpr std::size_t kMemoryShare = 2;  // the abstractions may use half of the memory

  struct Tables {
    explicit Tables(Budget& budget) : states(budget), reached(budget), open(budget) {}
    StateTable<P> states;
    PageArray<std::uint32_t> reached;  // the cost of each state; kClosed marks expanded or dead states
    OpenList open;
  };
  // A host that suppresses progress reports, used while the distances of an abstraction are computed.
  struct Quiet final : Host {
    explicit Quiet(Host* host) : host(host) {}
    bool poll(const Snapshot& snapshot, bool) override { return host != nullptr && host->poll(snapshot, false); }
    Host* host;
  };

  // Computes the distances of each abstraction. An abstraction that does not fit into its share of the memory is
  // skipped.
  FEWEST_COLD void measure(const State<P>& initial, const std::vector<Abstraction>& abstractions) {
    for (const Abstraction& abstract : abstractions) {
      Options options = options_;
      options.host = &quiet_;
      options.seconds = options_.seconds - control_.seconds();
      options.memory = options_.memory / kMemoryShare / abstractions.size();
      auto distances = std::make_unique<AbstractDistances<P>>(compiler_, abstract, options);
      if (!distances->measure(initial)) {
        const Status status = control_.check(0, 0, 0, [] { return std::size_t{0}; });
        if (status != Status::running) status_ = status;
        if (status_ != Status::running) return;
        continue;
      }
      abstract_bytes_ += distances->used();
      abstract_.push_back(std::move(distances));
    }
  }

  std::uint32_t bound(const State<P>& s) const {
    std::uint32_t most = 1;
    for (const auto& distances : abstract_) {
      const std::uint32_t next = distances->of(s);
      if (next == 0) return 0;
      most = std::max(most, next);
    }
    return most;
  }

  void search(const State<P>& initial, Tables& tables) {
    Plain<P> extra{};
    insert(moves_.start(initial, extra), hash(initial), 0, tables);
    initial_bound_ = tables.open.empty() ? 0 : tables.open.least_f();
    while (status_ == Status::running) {
      if (tables.open.empty()) {
        status_ = Status::exhausted;
        return;
      }
      FEWEST_ASSERT(tables.open.least_f() >= least_f_, "if the heuristic is consistent, the least f never decreases");
      least_f_ = tables.open.least_f();
      const StateId id = tables.open.pop();
      const std::uint32_t cost = tables.reached[id];
      if (cost & kClosed) continue;
      const State<P> s = tables.states[id];
      FEWEST_ASSERT(bound(s) != 0 && cost + bound(s) - 1 == least_f_,
                    "a state that is removed from the open list has the least f");
      if (moves_.is_goal(s)) {
        FEWEST_ASSERT(bound(s) == 1, "the heuristic value of a goal state is zero");
        status_ = Status::goal;
        goal_ = s;
        return;
      }
      tables.reached[id] |= kClosed;
      expand(s, cost, tables);
    }
  }

  void expand(const State<P>& s, std::uint32_t cost, Tables& tables) {
    if (num_expanded_++ % kExpansionsPerCheck == 0) {
      const Status status = control_.check(least_f_, tables.states.size(), num_expanded_, [&] {
        return abstract_bytes_ + tables.reached.budget().used();
      });
      if (status != Status::running) status_ = status;
    }
    moves_.expand(s, successors_.cleared());
    hashes_.resize(std::max(hashes_.size(), successors_.size()));
    Word* h = hashes_.data();
    for (const auto& next : successors_) {
      *h = hash(next.state);
      tables.states.prefetch(*h++);
    }
    num_generated_ += successors_.size();
    if constexpr (kHasAssertions) {
      const std::uint32_t own = bound(s);
      for (const auto& next : successors_) {
        const std::uint32_t theirs = bound(next.state);
        FEWEST_ASSERT(theirs == 0 || own <= theirs + 1, "a move decreases the heuristic value by at most one");
      }
    }
    h = hashes_.data();
    for (const auto& next : successors_) {
      insert(next.state, *h++, cost + 1, tables);
      if (status_ != Status::running) return;
    }
  }

  void insert(const State<P>& s, Word h, std::uint32_t cost, Tables& tables) {
    if (!tables.states.reserve(1) || !tables.reached.reserve(tables.states.size() + 1)) return stop();
    const auto [id, is_new] = tables.states.insert(s, h);
    std::uint32_t& known = tables.reached[id];
    if (!is_new && (known & ~kClosed) <= cost) return;
    const std::uint32_t bound_and_one = bound(s);
    FEWEST_ASSERT(is_new || bound_and_one == 0 || (known & kClosed) == 0,
                  "a state that has been expanded is not found at less cost");
    known = bound_and_one == 0 ? cost | kClosed : cost;
    if (bound_and_one == 0) return;
    if (!tables.open.push(cost + bound_and_one - 1, bound_and_one - 1, id)) stop();
  }

  void stop() { status_ = Status::memory; }

  FEWEST_COLD GuidedOutcome outcome(const Tables& tables, const Budget& budget) {
    GuidedOutcome result;
    result.status = status_;
    result.lower_bound = least_f_;
    if (goal_) {
      result.cost = least_f_;
      const Layers<P> layers{[&](const State<P>& s, std::size_t near) -> std::size_t {
                               const StateId id = tables.states.find(s);
                               return id == kNoState ? near + 1 : tables.reached[id] & ~kClosed;
                             },
                             [](std::size_t, const std::function<void(const State<P>&)>&) {}};
      result.plan = moves_.plan(layers, *goal_, least_f_);
      result.num_goal_states = 1;
    }
    result.num_states = tables.states.size();
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.seconds = control_.seconds();
    result.bytes = abstract_bytes_ + budget.peak();
    result.algorithm = "A* over abstractions";
    result.initial_bound = initial_bound_;
    result.num_abstractions = abstract_.size();
    result.abstract_bytes = abstract_bytes_;
    return result;
  }

  const Compiler& compiler_;
  Expander<P, Plain<P>>& moves_;
  Options options_;
  Quiet quiet_;
  Control control_;
  std::vector<std::unique_ptr<AbstractDistances<P>>> abstract_;
  std::size_t abstract_bytes_ = 0;
  Successors<P, Plain<P>> successors_;
  std::vector<Word> hashes_;
  std::optional<State<P>> goal_;
  PackedCost least_f_ = 0, initial_bound_ = 0;
  std::uint64_t num_expanded_ = 0, num_generated_ = 0;
  Status status_ = Status::running;
};

}  // namespace fewest
