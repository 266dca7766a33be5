// Dijkstra's algorithm (1959) in both directions, for all costs that breadth-first search does not support.
//
// Each side closes nodes in order of distance. A node is a state with guessed tokens (backward_run_tokens.hpp). Every
// node that has a distance on both sides yields a plan. The cheapest known plan is optimal as soon as its cost is at
// most the sum of the least open distances of both sides (Nicholson, Finding the shortest route between two points in a
// network, 1966; Pohl, 1971). Proof: on a cheaper plan, the first node that is not closed forwards would be closed
// backwards. So both distances of this node would be known, and the search would already know the cheaper plan. It is
// not sufficient to stop at the first meeting. As in bidirectional.hpp, the initial state is expanded first, since it
// may be forbidden. Both sides share the tables of states and nodes. Each side stores distances plus one; 0 means that
// the node has no distance. The search can be saved (checkpoint_sections.hpp) and can pause between two expansions, as
// in dijkstra.hpp.
#pragma once

#include "state/compiler_attributes.hpp"
#include "blind/bidirectional.hpp"
#include "blind/buckets.hpp"
#include "expand/backward_run_tokens.hpp"

namespace fewest {

template <int P>
class BidirectionalDijkstra final : public SteppedSearch<Meeting> {
 public:
  FEWEST_COLD BidirectionalDijkstra(const Compiler& forward, const Compiler& backward, const CostTable& costs,
                        const CostTable& reversed, const State<P>& initial, std::vector<State<P>> goals,
                        const Options& options)
      : initial_(initial),
        goals_(std::move(goals)),
        control_(options),
        budget_(options.memory),
        states_(budget_),
        nodes_(budget_),
        forward_(forward, costs, Direction::forward, budget_),
        backward_(backward, reversed, Direction::backward, budget_),
        matter_(forward_.guesses.matter()),
        checkpoint_(options.file, options.save_every),
        key_(forward.layout().fingerprint(fold_multiply(P, kFormat + matter_))) {}

  FEWEST_COLD ~BidirectionalDijkstra() override = default;

  Status advance(const TimeSlice& slice) override {
    if (status_ == Status::paused) status_ = Status::running;
    if (status_ != Status::running) return status_;
    control_.begin_slice(slice, num_expanded_);
    if (!is_begun_) begin();
    if (status_ == Status::running) {
      search();
      const bool is_answered = status_ == Status::goal || status_ == Status::exhausted;
      if (status_ != Status::paused && checkpoint_.is_wanted() && !save_checkpoint() && !is_answered) status_ = Status::disk;
    }
    control_.end_slice();
    return status_;
  }

  PackedCost bound() const override { return met_ == kNoState ? sum_of_tops() : std::min(best_, sum_of_tops()); }
  std::uint64_t num_expanded() const override { return num_expanded_; }
  std::size_t bytes() const override { return budget_.used(); }

 private:
  static constexpr std::uint64_t kExpansionsPerCheck = 1024;
  static constexpr Word kFormat = 0xb1'd1'd1'6b'00'00;  // incremented when the format changes

  struct Side {
    FEWEST_COLD Side(const Compiler& compiler, const CostTable& costs, Direction direction, Budget& budget)
        : problem(compiler.problem()),
          generator(compiler, Direction::forward),  // the backward side has the reversed problem
          scratch(generator.scratch()),
          forbidden(compiler, compiler.problem().forbidden),
          guesses(compiler.problem(), costs, direction),
          cost(budget),
          parent(budget),
          is_expanded(budget),
          buckets(budget) {}

    FEWEST_COLD ~Side() = default;
    bool reserve(std::size_t rows) {
      return cost.reserve(rows) && parent.reserve(rows) && is_expanded.reserve(rows);
    }

    const Problem& problem;
    Generator<P> generator;
    Scratch scratch;
    CubeList<P> forbidden;
    BackwardRunTokens guesses;
    PageArray<PackedCost> cost;  // the distance of each node plus one; 0: none
    PageArray<StateId> parent;
    PageArray<std::uint8_t> is_expanded;
    Buckets buckets;
    std::uint64_t num_nodes = 0, num_open = 0;
    PackedCost top = 0;  // the least distance of the open nodes
  };

  FEWEST_COLD void begin() {
    is_begun_ = true;
    const bool is_loaded = checkpoint_.read(key_, [this](CheckpointSections::In& in) {
      if (!take_back(in)) stop(Status::memory);
    });
    if (is_loaded || status_ != Status::running) return;
    label(forward_, backward_, initial_, 0, 0, kNoState);
    for (const State<P>& goal : goals_) {
      label(backward_, forward_, goal, 0, 0, kNoState);
      if (status_ != Status::running) return;
    }
  }

  void search() {
    while (status_ == Status::running) {
      if (closing_ != nullptr) {  // this side has not closed all nodes at its least distance yet
        close(*closing_, closing_ == &forward_ ? backward_ : forward_);
        continue;
      }
      if (forward_.buckets.empty() || backward_.buckets.empty()) return finish();
      FEWEST_ASSERT(forward_.buckets.cheapest() >= forward_.top && backward_.buckets.cheapest() >= backward_.top,
                    "nodes are closed in the order of their distance");
      forward_.top = forward_.buckets.cheapest();
      backward_.top = backward_.buckets.cheapest();
      if (met_ != kNoState && best_ <= sum_of_tops()) return finish();
      const bool is_forward = num_expanded_ == 0 || forward_.num_open <= backward_.num_open;
      closing_ = is_forward ? &forward_ : &backward_;
    }
  }

  void finish() {
    FEWEST_ASSERT(met_ == kNoState || forward_.buckets.empty() || backward_.buckets.empty() || best_ <= sum_of_tops(),
                  "no plan that has not been found is cheaper");
    stop(met_ == kNoState ? Status::exhausted : Status::goal);
  }

  PackedCost sum_of_tops() const { return forward_.guesses.sum(forward_.top, backward_.top); }

  // Closes all nodes at the least distance. After a pause, closes the remaining nodes.
  void close(Side& side, Side& other) {
    const std::vector<StateId>& list = side.buckets.cheapest_list();
    for (std::size_t& i = next_in_list_; i < list.size(); ++i) {  // the list may grow
      const StateId node = list[i];
      if (side.is_expanded[node] || side.cost[node] - 1 != side.top) continue;
      if (num_expanded_ % kExpansionsPerCheck == 0) {
        stop(control_.check(sum_of_tops(), num_labels(), num_expanded_,
                           [this] { return budget_.used(); }));
        if (status_ == Status::running && checkpoint_.is_due() && !save_checkpoint()) stop(Status::disk);
      }
      if (status_ != Status::running) return;
      FEWEST_ASSERT(side.num_open > 0, "a node that is expanded was open");
      side.is_expanded[node] = 1;
      --side.num_open;
      expand(side, other, node);
    }
    side.buckets.remove_cheapest();
    closing_ = nullptr;
    next_in_list_ = 0;
  }

  void expand(Side& side, Side& other, StateId node) {
    const std::uint64_t generated_before = num_generated_;
    ++num_expanded_;
    const State<P> s = states_[state_of(node)];
    const TokenId token = token_of(node);
    for (std::uint32_t row : side.generator.applicable(s, side.scratch)) {
      const State<P> next = s ^ side.generator.table().flip(row);
      if (!side.forbidden.empty() && side.forbidden.contain(next)) continue;
      const OperatorId op = side.generator.table().id(row);
      side.guesses.for_each(side.top, token, op, flip(side, op),
                            [&](PackedCost cost, TokenId after) {
                              ++num_generated_;
                              label(side, other, next, after, cost, node);
                            });
      if (status_ == Status::running) continue;
      side.is_expanded[node] = 0;  // the node will be expanded again
      ++side.num_open;
      --num_expanded_;
      num_generated_ = generated_before;
      return;
    }
  }

  static const Word* flip(const Side& side, OperatorId op) {
    return side.problem.flip + static_cast<std::size_t>(op) * side.problem.words;
  }

  void label(Side& side, Side& other, const State<P>& s, TokenId token, PackedCost cost,
             StateId parent) {
    if (met_ != kNoState && cost >= best_) return;
    if (!states_.reserve(1) || (matter_ && !nodes_.reserve(1))) return stop(Status::memory);
    StateId node = states_.insert(s, hash(s)).index;
    if (matter_) {
      const State<1> key{{Word{node} << 32 | token}};
      node = nodes_.insert(key, fewest::hash(key)).index;
    }
    if (!side.reserve(std::size_t{node} + 1) || !other.reserve(std::size_t{node} + 1))
      return stop(Status::memory);
    num_rows_ = std::max(num_rows_, std::size_t{node} + 1);
    if (side.cost[node] != 0 && side.cost[node] - 1 <= cost) return;
    FEWEST_ASSERT(cost >= side.top, "no step leads back to a smaller distance");
    FEWEST_ASSERT(side.is_expanded[node] == 0, "a node that has been expanded has its least distance");
    if (!side.buckets.push(cost, node)) return stop(Status::memory);
    if (side.cost[node] == 0) {
      ++side.num_nodes;
      ++side.num_open;
    }
    side.cost[node] = cost + 1;
    side.parent[node] = parent;
    if (other.cost[node] == 0) return;
    const PackedCost whole = side.guesses.sum(cost, other.cost[node] - 1);
    if (met_ != kNoState && best_ <= whole) return;
    FEWEST_ASSERT(met_ == kNoState || whole < best_, "each plan that is kept is cheaper than the one before");
    met_ = node;
    best_ = whole;
  }

  // Returns false if the disk is full.
  [[nodiscard]] FEWEST_COLD bool save_checkpoint() {
    return checkpoint_.write(key_, [this](CheckpointSections::Out& out) {
      out.value(Counts{states_.size(), nodes_.size(), num_rows_, met_, best_, num_expanded_, num_generated_});
      out.rows(states_.data(), states_.size());
      out.rows(nodes_.data(), nodes_.size());
      for (const Side* side : {&forward_, &backward_}) {
        out.value(side->top);
        out.rows(side->cost.data(), num_rows_);
        out.rows(side->parent.data(), num_rows_);
        out.rows(side->is_expanded.data(), num_rows_);
        side->buckets.write(out);
      }
    });
  }

  // Returns false if memory is exhausted.
  FEWEST_COLD bool take_back(CheckpointSections::In& in) {
    Counts counts;
    in.value(counts);
    const auto read = [&](auto* rows, std::size_t count) { in.rows(rows, count); };
    if (!states_.refill(counts.num_states, read) || !nodes_.refill(counts.num_nodes, read)) return false;
    num_rows_ = counts.num_rows;
    for (Side* side : {&forward_, &backward_}) {
      if (!side->reserve(num_rows_)) return false;
      in.value(side->top);
      in.rows(side->cost.data(), num_rows_);
      in.rows(side->parent.data(), num_rows_);
      in.rows(side->is_expanded.data(), num_rows_);
      for (StateId node = 0; node < num_rows_; ++node) {
        side->num_nodes += side->cost[node] != 0;
        side->num_open += side->cost[node] != 0 && !side->is_expanded[node];
      }
      if (!side->buckets.read(in)) return false;
    }
    met_ = static_cast<StateId>(counts.met);
    best_ = counts.best;
    num_expanded_ = counts.num_expanded;
    num_generated_ = counts.num_generated;
    num_resumed_ = num_labels();
    return true;
  }

  struct Counts {
    Word num_states, num_nodes, num_rows, met, best, num_expanded, num_generated;
  };

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  std::uint64_t num_labels() const { return forward_.num_nodes + backward_.num_nodes; }
  StateId state_of(StateId node) const {
    return matter_ ? static_cast<StateId>(nodes_[node].w[0] >> 32) : node;
  }
  TokenId token_of(StateId node) const {
    return matter_ ? static_cast<TokenId>(nodes_[node].w[0]) : 0;
  }

  // The operators from the meeting node back to the start of the side.
  FEWEST_COLD std::vector<OperatorId> back(Side& side) {
    std::vector<OperatorId> operators;
    for (StateId node = met_; side.parent[node] != kNoState; node = side.parent[node]) {
      const StateId parent = side.parent[node];
      const State<P> s = states_[state_of(parent)], next = states_[state_of(node)];
      OperatorId used = -1;
      for (std::uint32_t row : side.generator.applicable(s, side.scratch)) {
        if (!((s ^ side.generator.table().flip(row)) == next)) continue;
        const OperatorId op = side.generator.table().id(row);
        side.guesses.for_each(side.cost[parent] - 1, token_of(parent), op, flip(side, op),
                              [&](PackedCost cost, TokenId after) {
                                if (cost == side.cost[node] - 1 && after == token_of(node))
                                  used = op;
                              });
        if (used >= 0) break;
      }
      FEWEST_ASSERT(used >= 0, "an operator leads from each node to the next, at the difference of their costs");
      operators.push_back(used);
    }
    return operators;
  }

  FEWEST_COLD Meeting outcome() override {
    Meeting meeting;
    Outcome& outcome = meeting;
    outcome.status = status_;
    outcome.lower_bound = bound();
    const bool is_ended = status_ != Status::running && status_ != Status::exhausted;
    if (is_ended && met_ != kNoState) {  // only the status "goal" proves that the plan is optimal
      outcome.cost = best_;
      if (status_ == Status::goal) outcome.lower_bound = best_;
      outcome.plan = back(forward_);
      std::reverse(outcome.plan.begin(), outcome.plan.end());
      meeting.backward_plan = back(backward_);
    }
    meeting.forward_cost = forward_.top;
    meeting.backward_cost = backward_.top;
    meeting.forward_states = forward_.num_nodes;
    meeting.backward_states = backward_.num_nodes;
    outcome.num_states = num_labels();
    outcome.num_expanded = num_expanded_;
    outcome.num_generated = num_generated_;
    outcome.num_resumed = num_resumed_;
    outcome.seconds = control_.seconds();
    outcome.bytes = budget_.peak();
    outcome.algorithm = "dijkstra";
    return meeting;
  }

  State<P> initial_;
  std::vector<State<P>> goals_;
  Control control_;
  Budget budget_;
  StateTable<P> states_;
  StateTable<1> nodes_;  // (state index << 32 | tokens), only if tokens matter
  Side forward_, backward_;
  bool matter_;
  CheckpointSections checkpoint_;
  Word key_;
  std::size_t num_rows_ = 0;  // the number of rows in the arrays of each side
  Status status_ = Status::running;
  bool is_begun_ = false;
  Side* closing_ = nullptr;      // the side that is closing its nodes at the least distance
  std::size_t next_in_list_ = 0;  // the next of these nodes
  PackedCost best_ = 0;
  StateId met_ = kNoState;
  std::uint64_t num_expanded_ = 0, num_generated_ = 0, num_resumed_ = 0;
};

}  // namespace fewest
