// For metrics in which every move, single or merged, costs the same: computes the goal distance of every reachable
// state, and the number of optimal plans.
//
// Problem: moves may be irreversible, so the states from which the goal can be reached must be found backwards. But a
// backward search also finds unreachable states, and these sometimes far outnumber the reachable ones.
// Solution: the set of reachable states is computed first. Then a breadth-first search starts from all goal states of
// this set, uses the inverses of all operators and merged moves, and ignores states outside the set. An array stores
// the distance of each state, so no second table of states is needed. A merged move between two reachable states leads
// through reachable states only.
// - Memory per state: 8 bytes for each word of the packed state, 4 to 8 bytes for the slots of the table, 4 bytes for
//   the distance, and 4 bytes for the order in which distances were found.
// - A plan is identified by the positions after each of its moves (space/plans.py explains why). Every move costs one
//   here. A move of an optimal plan never continues the previous merged move, since one merged move would cost less
//   than two. So the optimal plans are the paths from the start along which each move decreases the distance by one.
//   Only the last move must be examined step by step, because a plan ends at its first goal state, which may be within
//   this move.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "blind/width.hpp"
#include "expand/closure_index.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"
#include "expand/single_steps.hpp"
#include "state/compiler_attributes.hpp"
#include "state/control.hpp"
#include "state/costs.hpp"
#include "state/layout.hpp"
#include "state/state_table.hpp"

namespace fewest {

template <int P>
class GoalDistances final : private ExpansionLimit {
 public:
  // `moves` expands states forwards by one unit of cost, and `back` expands them backwards.
  FEWEST_COLD GoalDistances(const Compiler& compiler, const CostTable& costs, Expander<P, Plain<P>>& moves,
                            Expander<P, Plain<P>>& back, const Options& options)
      : layout_(compiler.layout()),
        costs_(costs),
        has_runs_(has_runs(compiler.problem(), costs)),
        steps_(compiler),
        moves_(moves),
        back_(back),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        goals_(compiler, compiler.problem().goals),
        forbidden_(compiler, compiler.problem().forbidden),
        control_(options),
        budget_(options.memory),
        reached_(budget_),
        distance_(budget_),
        order_(budget_),
        on_plans_(budget_) {}

  FEWEST_COLD ~GoalDistances() override = default;

  // Computes only the distances that `distance` returns. Returns false if the search was stopped.
  FEWEST_COLD bool run_for_distances(const State<P>& initial) {
    std::vector<std::pair<PackedCost, std::uint64_t>> layers;
    const bool is_done = find_distances(initial, layers);
    order_.release();
    return is_done;
  }

  // The goal distance of a reachable state plus one; 0: the state is dead.
  std::uint32_t distance(const State<P>& s) const {
    const StateId id = reached_.find(s);
    FEWEST_ASSERT(id != kNoState, "the image of a reachable state is reachable");
    return id == kNoState ? 1 : distance_[id];
  }
  std::size_t used() const { return budget_.used(); }

  FEWEST_COLD GoalDistanceResult run(const State<P>& initial, bool counts_plans, bool lists_states) {
    GoalDistanceResult result;
    if (find_distances(initial, result.layers)) {
      status_ = Status::exhausted;
      result.num_states = reached_.size();
      if (distance_[0] != 0) result.from_start = distance_[0] - 1;
      find_hardest(result);
      if (counts_plans) {
        lists_states_ = lists_states;
        std::size_t limbs = 1;
        try {
          const LimitedExpansions limited(moves_, *this);
          while (status_ == Status::exhausted && !count_plans(limbs, result.num_plans)) limbs *= 2;
        } catch (const ExpansionStopped&) {
        }
        if (status_ == Status::exhausted) list_states(result.plan_states);
        if (status_ != Status::exhausted) result.num_plans.clear();
      }
    }
    result.status = status_;
    result.seconds = control_.seconds();
    result.bytes = budget_.peak();
    return result;
  }

 private:
  static constexpr std::size_t kExpansionsPerCheck = 1024;
  struct Generated {
    Successors<P, Plain<P>> successors;
    std::vector<Word> hashes;
  };

  bool may_expand(PackedCost distance) {
    current_ = distance;
    return ++num_expanded_ % kExpansionsPerCheck != 0 || may_continue(0);
  }
  FEWEST_COLD bool may_continue(std::size_t bytes) override {
    if (!has(bytes <= budget_.left())) return false;
    const Status status = control_.check(current_, reached_.size(), num_expanded_,
                                         [&] { return budget_.used() + bytes; });
    if (status == Status::running) return true;
    status_ = status;
    return false;
  }
  bool has(bool room) {
    if (!room) status_ = Status::memory;
    return room;
  }

  void fetch(Generated& generated) {
    if (generated.hashes.size() < generated.successors.size())
      generated.hashes.resize(2 * generated.successors.size());
    Word* h = generated.hashes.data();
    for (const auto& next : generated.successors) {
      *h = hash(next.state);
      reached_.prefetch(*h++);
    }
  }

  bool find_distances(const State<P>& initial, std::vector<std::pair<PackedCost, std::uint64_t>>& layers) {
    try {
      const LimitedExpansions limited(back_, *this);
      if (!reach(initial) || !measure(layers)) return false;
    } catch (const ExpansionStopped&) {
      return false;
    }
    FEWEST_ASSERT(are_distances(), "each distance is one more than the least of the successors");
    return true;
  }

  // Computes the set of reachable states. For each state, the function first prefetches the slots of its successors and
  // then inserts the successors of the previous state.
  bool reach(const State<P>& initial) {
    if (!has(reached_.reserve(1))) return false;
    reached_.insert(initial, hash(initial));
    Generated generated[2];
    const auto insert = [&](Generated& found) {
      if (!has(reached_.reserve(found.successors.size()))) return false;
      const Word* h = found.hashes.data();
      for (const auto& [state, extra] : found.successors) reached_.insert(state, *h++);
      found.successors.cleared();
      return true;
    };
    for (std::size_t begin = 0; begin < reached_.size();) {
      for (const std::size_t end = reached_.size(); begin < end; ++begin) {
        if (!may_expand(0)) return false;
        Generated& now = generated[begin % 2];
        steps_.expand(State<P>(reached_[begin]), now.successors);
        fetch(now);
        if (!insert(generated[1 - begin % 2])) return false;
      }
      if (!insert(generated[1 - begin % 2])) return false;
    }
    return true;
  }

  // Computes the distances. distance_ stores the distance plus one, or 0 if no distance is known yet.
  bool measure(std::vector<std::pair<PackedCost, std::uint64_t>>& layers) {
    const std::size_t size = reached_.size();
    if (!has(distance_.grow(size) && order_.grow(size))) return false;
    std::size_t end = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (!goals_.contain(reached_[i])) continue;
      distance_[i] = 1;
      order_[end++] = static_cast<StateId>(i);
    }
    Generated generated[2];
    for (std::size_t begin = 0; begin < end;) {
      const std::uint32_t next = distance_[order_[begin]] + 1;
      FEWEST_ASSERT(layers.empty() || layers.back().first + 1 == next - 2, "the distances of layers are ascending");
      layers.emplace_back(next - 2, end - begin);
      const std::size_t layer_end = end;
      const auto close_nodes = [&](Generated& found) {
        for (const auto& [state, extra] : found.successors) {
          const StateId id = reached_.find(state);
          if (id == kNoState || distance_[id] != 0) continue;
          distance_[id] = next;
          FEWEST_ASSERT(end < size, "each state is found once");
          order_[end++] = id;
        }
        found.successors.cleared();
      };
      for (; begin < layer_end; ++begin) {
        if (!may_expand(next - 1)) return false;
        Generated& now = generated[begin % 2];
        back_.expand(State<P>(reached_[order_[begin]]), now.successors);
        fetch(now);
        close_nodes(generated[1 - begin % 2]);
      }
      close_nodes(generated[0]);
      close_nodes(generated[1]);
    }
    return true;
  }

  // Checks up to 256 states: the distance of a goal state must be 0, and the distance of any other state must be one
  // more than that of its nearest successor.
  bool are_distances() {
    const std::size_t step = reached_.size() / 256 + 1;
    Successors<P, Plain<P>> next;
    for (std::size_t i = 0; i < reached_.size(); i += step) {
      if (goals_.contain(reached_[i]) != (distance_[i] == 1)) return false;
      if (distance_[i] == 1) continue;
      std::uint32_t nearest = 0;
      moves_.expand(State<P>(reached_[i]), next.cleared());
      for (const auto& [state, extra] : next) {
        const StateId id = reached_.find(state);
        if (id == kNoState) return false;
        if (distance_[id] != 0 && (nearest == 0 || distance_[id] < nearest)) nearest = distance_[id];
      }
      if (distance_[i] != (nearest == 0 ? 0 : nearest + 1)) return false;
    }
    return true;
  }

  // Counts the solvable states and the goal states, and finds the smallest of the farthest states. States are compared
  // as binary numbers, in the order of the facts of the task.
  void find_hardest(GoalDistanceResult& result) const {
    result.num_solvable = 0;
    for (const auto& layer : result.layers) result.num_solvable += layer.second;
    if (result.layers.empty()) return;
    result.num_goal_states = result.layers.front().second;
    std::vector<Word> least;
    for (std::size_t at = result.num_solvable - result.layers.back().second;
         at < result.num_solvable; ++at) {
      const FactSet facts = layout_.unpack(reached_[order_[at]].w);
      std::vector<Word> words(facts.begin(), facts.end());
      if (least.empty() || std::lexicographical_compare(words.rbegin(), words.rend(), least.rbegin(),
                                                        least.rend()))
        least = std::move(words);
    }
    result.hardest = std::move(least);
  }

  // Counts the plans, using numbers of `limbs` words. Returns false if a number did not fit, or if the search was
  // stopped.
  bool count_plans(std::size_t limbs, std::vector<Word>& total) {
    total.assign(limbs, 0);
    num_on_plans_ = 0;
    if (distance_[0] == 0) return true;
    std::vector<StateId> layer = {0}, next;
    std::vector<Word> counts(limbs, 0), sums;
    counts[0] = 1;
    // The order is no longer needed. From here on, order_ stores the index of each state in the next layer, plus one.
    std::fill(order_.data(), order_.data() + reached_.size(), 0);
    Successors<P, Plain<P>> ends;
    for (std::uint32_t left = distance_[0]; left > 1; --left) {
      next.clear();
      sums.clear();
      if (!keep(layer)) return false;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (!may_expand(left)) return false;
        const State<P> s = reached_[layer[i]];
        if (left == 2 && has_runs_)
          run_to_goals(s, ends.cleared());
        else
          moves_.expand(s, ends.cleared());
        found_.clear();
        for (const auto& [state, extra] : ends) {
          const StateId id = reached_.find(state);
          if (id != kNoState && distance_[id] == left - 1) found_.push_back(id);
        }
        std::sort(found_.begin(), found_.end());
        found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        for (const StateId id : found_) {
          if (order_[id] == 0) {
            next.push_back(id);
            order_[id] = static_cast<StateId>(next.size());
            sums.resize(sums.size() + limbs, 0);
          }
          if (!add(sums.data() + (order_[id] - 1) * limbs, counts.data() + i * limbs, limbs))
            return false;
        }
      }
      for (const StateId id : next) order_[id] = 0;
      std::swap(layer, next);
      std::swap(counts, sums);
    }
    for (std::size_t i = 0; i < layer.size(); ++i)
      if (!add(total.data(), counts.data() + i * limbs, limbs)) return false;
    return keep(layer);
  }

  // Stores the states of one layer of the plans if the result contains these states (`lists_states_`).
  bool keep(const std::vector<StateId>& layer) {
    if (!lists_states_) return true;
    if (!has(on_plans_.reserve(num_on_plans_ + layer.size()))) return false;
    std::copy(layer.begin(), layer.end(), on_plans_.data() + num_on_plans_);
    num_on_plans_ += layer.size();
    return true;
  }

  // Lists the stored states, each as the set of its facts.
  void list_states(std::vector<Word>& out) {
    const std::size_t words = layout_.unpack(reached_[0].w).size();
    if (!has(num_on_plans_ * words * sizeof(Word) <= budget_.left())) return;
    out.reserve(num_on_plans_ * words);
    for (std::size_t i = 0; i < num_on_plans_; ++i) {
      const FactSet facts = layout_.unpack(reached_[on_plans_[i]].w);
      out.insert(out.end(), facts.begin(), facts.end());
    }
  }

  static bool add(Word* sum, const Word* more, std::size_t limbs) {
    Word carry = 0;
    for (std::size_t i = 0; i < limbs; ++i) {
      const Word with_carry = sum[i] + carry;
      carry = with_carry < carry;
      sum[i] = with_carry + more[i];
      carry += sum[i] < more[i];
    }
    return carry == 0;
  }

  // Appends the goal states to which a single or merged move leads from s without passing through another goal state.
  void run_to_goals(const State<P>& s, Successors<P, Plain<P>>& out) {
    struct Node {
      State<P> state;
      RunKey key;
    };
    std::vector<Node> nodes;
    closure_index_.clear();
    const auto step = [&](const State<P>& from, std::uint32_t row) {
      const State<P> to = from ^ generator_.table().flip(row);
      if (forbidden_.contain(to)) return;
      if (goals_.contain(to)) return out.push(to, {});
      const RunKey key = costs_.run_out[generator_.table().id(row)];
      if (key == kNoRun) return;
      if (closure_index_.contains(nodes, nodes.size(), to, key)) return;
      nodes.push_back({to, key});
    };
    for (const std::uint32_t row : generator_.applicable(s, scratch_)) step(s, row);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node node = nodes[i];
      for (const std::uint32_t row : generator_.applicable(node.state, scratch_))
        if (fewest::may_continue(node.key, costs_.run_in[generator_.table().id(row)]))
          step(node.state, row);
    }
  }

  const Layout& layout_;
  const CostTable& costs_;
  bool has_runs_;
  SingleSteps<P> steps_;  // reachability does not depend on costs
  Expander<P, Plain<P>>&moves_, &back_;
  Generator<P> generator_;
  Scratch scratch_;
  CubeList<P> goals_, forbidden_;
  Control control_;
  Budget budget_;
  StateTable<P> reached_;
  PageArray<std::uint32_t> distance_;
  PageArray<StateId> order_;
  PageArray<StateId> on_plans_;  // the states of the optimal plans, layer by layer
  std::size_t num_on_plans_ = 0;
  bool lists_states_ = false;
  std::vector<StateId> found_;
  std::uint64_t num_expanded_ = 0;
  PackedCost current_ = 0;  // the distance of the state that is being expanded
  ClosureIndex<P> closure_index_;
  Status status_ = Status::running;
};

}  // namespace fewest
