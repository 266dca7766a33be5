// Dijkstra's algorithm (1959) over nodes (state, tokens), for all costs that breadth-first search does not support:
// unequal weights, lexicographic pairs, and merged moves in tasks with free operators.
//
// A node is a row across several arrays: the index of its state, its tokens (as one number), its least cost so far, and
// its parent. If no operator continues a merged move, tokens do not matter, and each node is a state. Otherwise a
// second table maps the pair (state index, tokens) to its node. A lexicographic pair is stored as one number, with the
// first part in the high half. So the same operations add and compare pairs and single costs. All nodes of the least
// cost are final, so the successors of several nodes can be inserted in one batch, even though free operators append
// nodes to the current list. The search counts a state when it closes the first node of the state; the cost of this
// node is the least cost of the state. The search can be saved between two expansions (checkpoint_sections.hpp), and a
// resumed search continues exactly as the saved one would have. The search can also pause between two expansions
// (TimeSlice in control.hpp). Successors in the batch are saved, too. If memory is exhausted during an expansion, the
// node does not count as expanded, and a resumed search expands it again.
#pragma once

#include <stdexcept>

#include "state/compiler_attributes.hpp"
#include "blind/buckets.hpp"
#include "blind/stepped_search.hpp"
#include "state/control.hpp"
#include "state/costs.hpp"
#include "expand/generator.hpp"
#include "expand/effect_fixpoint.hpp"
#include "state/state_table.hpp"
#include "expand/tokens.hpp"
#include "store/checkpoint_sections.hpp"

namespace fewest {

template <int P>
class Dijkstra final : public LayeredSearch {
 public:
  FEWEST_COLD Dijkstra(const Compiler& compiler, const CostTable& costs, const State<P>& initial, const Options& options)
      : initial_(initial),
        options_(options),
        layout_(compiler.layout()),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        fixpoint_(compiler),
        intermediate_(fixpoint_.scratch()),
        goals_(compiler, compiler.problem().goals),
        forbidden_(compiler, compiler.problem().forbidden),
        tokens_(compiler.problem(), costs),
        control_(options),
        budget_(options.memory),
        states_(budget_, Growth::generous, [this] { return check_limits(); }),
        nodes_(budget_, Growth::generous, [this] { return check_limits(); }),
        cost_(budget_),
        parent_(budget_),
        is_settled_(budget_),
        buckets_(budget_),
        checkpoint_(options.file, options.save_every) {}

  FEWEST_COLD ~Dijkstra() override = default;

  Status advance(const TimeSlice& slice) override {
    if (status_ == Status::paused) status_ = Status::running;
    if (status_ != Status::running) return status_;
    control_.begin_slice(slice, num_expanded_);
    if (!is_begun_) begin();
    search();
    if (status_ != Status::paused && is_begun_ && checkpoint_.is_wanted() && !save_checkpoint() && status_ != Status::goal &&
        status_ != Status::exhausted)
      status_ = Status::disk;
    control_.end_slice();
    return status_;
  }

  PackedCost bound() const override { return goal_ != kNoState ? cost_[goal_] : current_; }
  std::uint64_t num_expanded() const override { return num_expanded_; }
  std::size_t bytes() const override { return budget_.used(); }

 private:
  static constexpr unsigned kBatch = 64;
  static constexpr std::uint64_t kExpansionsPerCheck = 1024;

  struct Generated {
    State<P> state;
    Word hash;
    PackedCost cost;
    TokenId token;
    StateId parent;
  };

  // Checks the limits and budgets. Returns whether the search is still running.
  bool check() {
    stop(control_.check(current_, num_closed_, num_expanded_, [this] { return budget_.used(); }));
    return status_ == Status::running;
  }
  FEWEST_COLD bool check_limits() {
    stop(control_.check_limits(current_, num_closed_, num_expanded_, [this] { return budget_.used(); }));
    return status_ == Status::running;
  }

  FEWEST_COLD void begin() {
    const bool is_loaded = checkpoint_.read(key(), [this](CheckpointSections::In& in) {
      if (!take_back(in)) stop(Status::memory);
    });
    if (status_ != Status::running) return;
    is_begun_ = true;
    if (!is_loaded) put({initial_, hash(initial_), 0, tokens_.none(), kNoState});
    flush();
    if (goal_ != kNoState && !options_.exhaust) stop(Status::goal);
  }

  void search() {
    while (status_ == Status::running) {
      if (buckets_.empty()) return stop(Status::exhausted);
      FEWEST_ASSERT(buckets_.cheapest() >= current_, "nodes are closed in the order of their cost");
      current_ = buckets_.cheapest();
      const std::vector<StateId>& list = buckets_.cheapest_list();
      for (std::size_t& i = next_in_list_; i < list.size(); ++i) {
        const StateId node = list[i];
        if (cost_[node] == current_ && !is_expanded(node)) {
          close(node);
          if (num_expanded_ % kExpansionsPerCheck == 0) pause();
          if (status_ != Status::running) return;
          expand(node);
        }
        if (i + 1 == list.size()) flush();  // this call may append to the list
        if (status_ != Status::running) return;
      }
      buckets_.remove_cheapest();
      next_in_list_ = 0;
    }
  }

  FEWEST_COLD void pause() {
    check();
    if (status_ == Status::running && checkpoint_.is_due() && !save_checkpoint()) stop(Status::disk);
  }

  void expand(StateId node) {
    const std::uint64_t generated_before = num_generated_;
    ++num_expanded_;
    is_settled_[node] |= kExpanded;
    const State<P> s = states_[state_of(node)];
    const TokenId token = token_of(node);
    for (std::uint32_t row : generator_.applicable(s, scratch_)) {
      State<P> successor = s ^ generator_.table().flip(row);
      if (!settles(s, successor, row)) continue;
      if (!forbidden_.empty() && forbidden_.contain(successor)) continue;
      const auto [cost, after] = tokens_.apply(current_, token, generator_.table().id(row));
      ++num_generated_;
      put({successor, hash(successor), cost, after, node});
    }
    if (status_ == Status::running) [[likely]] return;
    is_settled_[node] &= static_cast<std::uint8_t>(~kExpanded);  // the node will be expanded again
    --num_expanded_;
    num_generated_ = generated_before;
  }

  // Completes a move: applies effects to the intermediate state that an operator has reached. Returns false if the
  // effects never end.
  bool settles(const State<P>& s, State<P>& successor, std::uint32_t row) {
    return fixpoint_.empty() ||
           fixpoint_.apply(s, successor, generator_.table().id(row), intermediate_);
  }

  void put(const Generated& generated) {
    if (batch_size_ == kBatch) flush();
    if (batch_size_ == kBatch) return;  // the search was stopped
    if (states_.size() > 0) states_.prefetch(generated.hash);
    batch_[batch_size_++] = generated;
  }

  // Inserts the batch. If memory is exhausted, the remaining successors stay in the batch.
  void flush() {
    const unsigned size = batch_size_;
    if (status_ != Status::running) return;
    const std::size_t rows = num_nodes() + size;
    if (!states_.reserve(size) || (tokens_.matter() && !nodes_.reserve(size)) ||
        !cost_.reserve(rows) || !parent_.reserve(rows) ||
        !is_settled_.reserve(std::max(rows, states_.size() + size)))
      return stop(Status::memory);
    for (unsigned i = 0; i < size; ++i) {
      const Generated& g = batch_[i];
      auto [node, is_new] = states_.insert(g.state, g.hash);
      if (tokens_.matter()) {
        const State<1> key{{Word{node} << 32 | g.token}};
        const auto inserted = nodes_.insert(key, fewest::hash(key));
        node = inserted.index;
        is_new = inserted.is_new;
      }
      FEWEST_ASSERT(tokens_.matter() || node < states_.size(), "without tokens, each node is a state");
      FEWEST_ASSERT(is_new || is_waiting(node) || parent_[node] == kNoState || cost_[node] >= cost_[parent_[node]],
                    "a node costs no less than its parent");
      if (!is_new && cost_[node] <= g.cost) continue;
      FEWEST_ASSERT(g.cost >= current_ || num_resumed_ > 0, "no operator leads back to a smaller cost");
      FEWEST_ASSERT(is_new || !is_expanded(node), "a node that has been expanded has its least cost");
      if (!buckets_.push(g.cost, node)) {
        if (is_new) cost_[node] = kNoCost;
        std::move(batch_ + i, batch_ + size, batch_);
        batch_size_ = size - i;
        return stop(Status::memory);
      }
      cost_[node] = g.cost;
      parent_[node] = g.parent;
    }
    batch_size_ = 0;
  }

  // Returns false if the disk is full.
  [[nodiscard]] FEWEST_COLD bool save_checkpoint() {
    return checkpoint_.write(key(), [this](CheckpointSections::Out& out) {
      out.value(Counts{states_.size(), nodes_.size(), batch_size_, current_, goal_, num_closed_, num_goals_,
                       num_expanded_, num_generated_});
      out.value(static_cast<Word>(layers_.size()));
      for (const auto& [cost, count] : layers_) out.value(cost), out.value(count);
      out.rows(batch_, batch_size_);
      out.rows(states_.data(), states_.size());
      out.rows(nodes_.data(), nodes_.size());
      out.rows(cost_.data(), num_nodes());
      out.rows(parent_.data(), num_nodes());
      out.rows(is_settled_.data(), num_rows());
      buckets_.write(out);
    });
  }

  // Returns false if memory is exhausted.
  FEWEST_COLD bool take_back(CheckpointSections::In& in) {
    Counts counts;
    in.value(counts);
    Word num_layers;
    in.value(num_layers);
    layers_.resize(num_layers);
    for (auto& [cost, count] : layers_) in.value(cost), in.value(count);
    in.rows(batch_, counts.num_waiting);
    const auto read = [&](auto* rows, std::size_t count) { in.rows(rows, count); };
    if (!states_.refill(counts.num_states, read) || !nodes_.refill(counts.num_nodes, read) ||
        !cost_.reserve(num_nodes()) || !parent_.reserve(num_nodes()) || !is_settled_.reserve(num_rows()))
      return false;
    in.rows(cost_.data(), num_nodes());
    in.rows(parent_.data(), num_nodes());
    in.rows(is_settled_.data(), num_rows());
    if (!buckets_.read(in)) return false;
    batch_size_ = static_cast<unsigned>(counts.num_waiting);
    current_ = counts.current;
    goal_ = static_cast<StateId>(counts.goal);
    num_closed_ = num_resumed_ = counts.num_settled;
    num_goals_ = counts.num_goals;
    num_expanded_ = counts.num_expanded;
    num_generated_ = counts.num_generated;
    return true;
  }

  struct Counts {
    Word num_states, num_nodes, num_waiting, current, goal, num_settled, num_goals, num_expanded, num_generated;
  };

  Word key() const { return layout_.fingerprint(fold_multiply(P, kFormat + tokens_.matter())); }

  void close(StateId node) {
    const StateId state = state_of(node);
    if (is_settled_[state] & kSettled) return;
    FEWEST_ASSERT(layers_.empty() || layers_.back().first <= current_, "states are closed in the order of their cost");
    is_settled_[state] |= kSettled;
    ++num_closed_;
    if (layers_.empty() || layers_.back().first != current_) layers_.emplace_back(current_, 0);
    ++layers_.back().second;
    if (!goals_.contain(states_[state])) return;
    ++num_goals_;
    if (goal_ != kNoState) return;
    goal_ = node;
    if (!options_.exhaust) stop(Status::goal);
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  bool is_waiting(StateId node) const { return cost_[node] == kNoCost; }
  bool is_expanded(StateId node) const { return is_settled_[node] & kExpanded; }
  std::size_t num_nodes() const { return tokens_.matter() ? nodes_.size() : states_.size(); }
  std::size_t num_rows() const { return std::max(num_nodes(), states_.size()); }
  StateId state_of(StateId node) const {
    return tokens_.matter() ? static_cast<StateId>(nodes_[node].w[0] >> 32) : node;
  }
  TokenId token_of(StateId node) const {
    return tokens_.matter() ? static_cast<TokenId>(nodes_[node].w[0]) : tokens_.none();
  }

  // A node stores its parent, but no operator. To find the operator that leads from one node to the next, the function
  // tries the operators that apply in the state of the first node.
  FEWEST_COLD std::vector<OperatorId> plan() {
    std::vector<OperatorId> plan;
    for (StateId node = goal_; parent_[node] != kNoState; node = parent_[node]) {
      const std::size_t length = plan.size();
      const StateId parent = parent_[node];
      const State<P> s = states_[state_of(parent)], successor = states_[state_of(node)];
      for (std::uint32_t row : generator_.applicable(s, scratch_)) {
        State<P> next = s ^ generator_.table().flip(row);
        if (!settles(s, next, row) || !(next == successor)) continue;
        const OperatorId op = generator_.table().id(row);
        const auto [cost, after] = tokens_.apply(cost_[parent], token_of(parent), op);
        if (cost != cost_[node] || after != token_of(node)) continue;
        plan.push_back(op);
        break;
      }
      FEWEST_ASSERT(plan.size() == length + 1,
                    "an operator leads from each node to the next, at the difference of their costs");
    }
    std::reverse(plan.begin(), plan.end());
    return plan;
  }

  FEWEST_COLD Outcome outcome() override {
    Outcome result;
    result.status = status_;
    result.layers = layers_;
    result.lower_bound = current_;
    if (goal_ != kNoState) {
      result.cost = result.lower_bound = cost_[goal_];
      result.plan = plan();
    }
    result.num_states = num_closed_;
    result.num_goal_states = num_goals_;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.num_resumed = num_resumed_;
    result.seconds = control_.seconds();
    result.bytes = budget_.peak();
    result.algorithm = "dijkstra";
    result.endless = endless_of(fixpoint_, layout_);
    return result;
  }

  // Flags of row i: kSettled belongs to state i, and kExpanded to node i.
  static constexpr std::uint8_t kSettled = 1, kExpanded = 2;
  static constexpr PackedCost kNoCost = ~PackedCost{0};
  static constexpr Word kFormat = 0xd1'6b'57'12'a3'00;  // incremented when the format changes

  State<P> initial_;
  Options options_;
  const Layout& layout_;
  Generator<P> generator_;
  Scratch scratch_;
  EffectFixpoint<P> fixpoint_;
  typename EffectFixpoint<P>::Scratch intermediate_;
  CubeList<P> goals_, forbidden_;
  Tokens tokens_;
  Control control_;
  Budget budget_;
  StateTable<P> states_;
  StateTable<1> nodes_;  // (state index << 32 | tokens), only if tokens matter
  PageArray<PackedCost> cost_;
  PageArray<StateId> parent_;
  PageArray<std::uint8_t> is_settled_;
  Buckets buckets_;
  CheckpointSections checkpoint_;
  bool is_begun_ = false;  // whether `begin` has succeeded
  Status status_ = Status::running;
  PackedCost current_ = 0;
  std::size_t next_in_list_ = 0;  // the next node to expand in the cheapest list
  StateId goal_ = kNoState;
  std::vector<std::pair<PackedCost, std::uint64_t>> layers_;
  std::uint64_t num_closed_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0, num_resumed_ = 0;
  unsigned batch_size_ = 0;
  Generated batch_[kBatch];
};

}  // namespace fewest
