// Iterative deepening (Korf, 1985) over a stored tree of pushes with a transposition table.
//
// Problem: iterative deepening from the root generates everything again for each limit, and a table that
// closes a position when it is first seen loses the minimum.
// Solution: a node of the tree is the position right after a move that is no walk: the spots and the exact
// place of the agent. An edge is a walk and one move, and costs both. g is the cost from the root, h a lower
// bound of the rest (piece_bound.hpp).
// - The tree is kept. Each limit L extends the leaves with g + h <= L, depth first, from where the
//   iteration before stopped; leaves beyond L wait. The next L is the least g + h of those.
// - The transposition table has one node for each position, with the least g seen: a way that is not cheaper
//   is cut off. A cheaper one moves the node below its new parent, and if it has been expanded it is a
//   leaf again, so that the lower cost goes through all that hangs on it, also through what had been cut
//   off there. Nothing is closed when it is generated.
// - Dead spots, freezing and `forbid` as in A*; no sets that are lost together, symmetries,
//   corrals or balance of walks.
// Why it is right: let a plan cost C, and let the iteration of L >= C be over without a goal. Its first
// position is the root; if position i has a node whose g is at most what the plan has paid there, then
// g + h <= C <= L, so it has been expanded at that g, and position i + 1 has such a node too. So the goal had
// one, and would have been found. So no plan costs less than the limit at work, and a goal within it is
// minimal. That needs an admissible h, no consistent one, and costs of at least zero: it holds in every
// metric in which runs are moves (run_moves.hpp).
// With a consistent h no node is ever expanded twice: g + h does not fall along a way, so whatever could make
// a node of g + h = L cheaper has been expanded at its least cost within lower limits. Then this is A* with
// ties broken depth first, and what A* does beyond it is what the two differ in.
// A node takes what a state of A* takes: words, a slot, four bytes of cost and four of its parent; leaves
// and the stack four more.
// The tree can be kept between two expansions (kept_parts.hpp), unless the memory has ended in the middle of one.
#pragma once

#include "informed/freezing.hpp"
#include "informed/iterative_deepening.hpp"
#include "informed/open_list.hpp"
#include "informed/piece_problem.hpp"
#include "state/state_table.hpp"
#include "store/kept_parts.hpp"

namespace fewest {

// `Bound`: has `set` and `after` of PieceBound, and is admissible.
template <int P, int Q, class Bound = PieceBound>
class IterativeDeepening : PieceStates<P, Q> {
 public:
  IterativeDeepening(const PieceProblem& prepared, Bound& bound, const Options& options)
      : States(*prepared.pieces, *prepared.bound, prepared.numbers, prepared.num_components),
        bound_(bound),
        options_(options),
        freezing_(pieces_),
        budget_(options.memory),
        table_(budget_),
        cost_(budget_),
        parent_(budget_),
        stack_(budget_),
        waiting_(budget_),
        kept_(options.file, options.keep_every) {}

  DeepeningOutcome run() {
    Control control(options_);
    if (begin()) {
      search(control);
      if (status_ == Status::goal || status_ == Status::exhausted) (void)keep();  // it is an answer all the same
    }
    return outcome(control);
  }

 private:
  using States = PieceStates<P, Q>;
  using typename States::Concrete, typename States::Move, typename States::Test;
  using States::kClosed;
  using States::forbidden_, States::goals_, States::moves_, States::moves_at_, States::num_anywhere_;
  using States::numbers_, States::pieces_, States::steps_to_;
  using States::initial, States::key, States::large, States::measure, States::open_places;
  using States::place_of, States::rest_of, States::small;

  static constexpr std::uint64_t kExpansionsPerCheck = 256;
  static constexpr Word kFormat = 0xde'e9'e4'00'00'00;  // counts up when what is kept changes

  // A leaf within the limit, still to be put on the stack.
  struct Child {
    PackedCost f, h;
    StateId node;
  };

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  // From what was kept, else from the root. False: that is all there is to do.
  bool begin() {
    const bool is_kept = kept_.read(key_of_search(), [this](KeptParts::In& in) {
      if (!take_back(in)) stop(Status::memory);
    });
    if (!is_kept) plant();
    return status_ == Status::running;
  }

  void plant() {
    const Concrete start = initial();
    for_each_in<P>(start.rest, [&](int spot) { true_spots_.push_back(spot); });
    PackedCost h = pieces_.goals.empty() ? kInfiniteCost : bound_.set(true_spots_, start.place);
    if (freezing_.is_dead(start.rest)) h = kInfiniteCost;
    if (h == kInfiniteCost) return stop(Status::exhausted);
    initial_bound_ = limit_ = h;
    if (!table_.reserve(1) || !cost_.reserve(1) || !parent_.reserve(1)) return stop(Status::memory);
    const State<P> root = key(start.rest, start.place);
    table_.insert(root, hash(root));
    cost_[0] = 0;
    parent_[0] = kNoState;
    if (!waiting_.push(h, 0, 0)) return stop(Status::memory);
  }

  void search(Control& control) {
    while (status_ == Status::running) {
      if (depth_ == 0) {  // else an iteration goes on
        if (waiting_.empty()) return stop(finish_ == kNoState ? Status::exhausted : Status::goal);
        limit_ = std::max(limit_, waiting_.least_f());
      }
      // The agent's last walk, to where the goal wants it, is not in h: its end is known, and waits.
      if (finish_ != kNoState && limit_ >= finish_cost_) {
        limit_ = finish_cost_;
        return stop(Status::goal);
      }
      deepen(control);
      const bool is_cut = status_ == Status::time || status_ == Status::interrupted;
      if (is_cut && kept_.is_wanted() && !keep()) status_ = Status::disk;
      iterations_.push_back({limit_, table_.size(), num_expanded_});
    }
  }

  // One iteration: all leaves with f <= limit_.
  void deepen(Control& control) {
    while (status_ == Status::running) {
      if (depth_ == 0) {
        if (waiting_.empty() || waiting_.least_f() > limit_) return;
        push(waiting_.pop());
        continue;
      }
      if (cost_[stack_[depth_ - 1]] & kClosed) {
        --depth_;
        continue;
      }
      if (num_expanded_ % kExpansionsPerCheck == 0) {
        stop(control.check(limit_, table_.size(), num_expanded_, [this] { return budget_.used(); }));
        if (status_ == Status::running && kept_.is_due() && !keep()) stop(Status::disk);
      }
      if (status_ == Status::running) expand(stack_[--depth_]);
    }
  }

  void push(StateId node) {
    if (!stack_.reserve(depth_ + 1)) return stop(Status::memory);
    stack_[depth_++] = node;
  }

  void expand(StateId node) {
    const State<P> s = table_[node];
    const State<P> rest = rest_of(s);
    const int place = place_of(s);
    const PackedCost g = large(cost_[node]);
    FEWEST_ASSERT((cost_[node] & kClosed) == 0, "a leaf has not been expanded at its cost");
    cost_[node] |= kClosed;
    ++num_expanded_;
    PlaceSet<Q> open = zero_state<Q>(), wanted = zero_state<Q>();
    if (pieces_.has_agent()) open = open_places(rest);
    if (is_finished(node, rest, place, open, g)) return;

    true_spots_.clear();
    for_each_in<P>(rest, [&](int spot) { true_spots_.push_back(spot); });
    bound_.set(true_spots_, place);
    candidates_.clear();
    const auto collect = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        const Move& move = moves_[i];
        if (!in_cube(rest, move.mask, move.value)) continue;
        candidates_.push_back(i);
        if (move.from_bit >= 0) insert(wanted, move.from_bit);
      }
    };
    collect(0, num_anywhere_);
    for (int spot : true_spots_) collect(moves_at_[spot].begin, moves_at_[spot].end);
    if (pieces_.has_agent()) measure(place, open, wanted);

    const std::size_t rows = table_.size() + candidates_.size();
    if (!table_.reserve(candidates_.size()) || !cost_.reserve(rows) || !parent_.reserve(rows))
      return stop(Status::memory);
    children_.clear();
    for (std::uint32_t row : candidates_) {
      const Move& move = moves_[row];
      PackedCost cost = g + move.cost;
      if (move.from_bit >= 0) {
        if (steps_to_[move.from_bit] < 0) continue;
        cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[move.from_bit]);
      }
      generate(node, rest, place, move, cost);
    }
    // The most promising child on top; of equal ones that with the least left to do.
    std::sort(children_.begin(), children_.end(), [](const Child& a, const Child& b) {
      return a.f != b.f ? a.f > b.f : a.h > b.h;
    });
    for (const Child& child : children_) push(child.node);
  }

  void generate(StateId parent, const State<P>& rest, int place, const Move& move, PackedCost cost) {
    const State<P> next = rest ^ move.flip;
    for (const Test& test : forbidden_)
      if (in_cube(next, test.mask, test.value)) return;
    ++num_generated_;
    if (move.added >= 0 ? freezing_.freezes_badly(next, move.added) : freezing_.is_dead(next)) {
      ++num_dead_;
      return;
    }
    const State<P> stored = key(next, move.to);
    const auto [node, is_new] = table_.insert(stored, hash(stored));
    const std::uint32_t packed = small(cost);
    if (!is_new && (cost_[node] & ~kClosed) <= packed) {
      ++num_cut_;
      return;
    }
    PackedCost h;
    if (move.added >= 0) {
      h = bound_.after(move.deleted, move.added, move.to);
    } else {
      successor_spots_.clear();
      for_each_in<P>(next, [&](int spot) { successor_spots_.push_back(spot); });
      h = bound_.set(successor_spots_, move.to);
      bound_.set(true_spots_, place);
    }
    FEWEST_ASSERT_SAMPLED((!std::is_same_v<Bound, PieceBound> || is_bound_of(next, move.to, h)),
                          "a bound that is kept up to date is that of the state");
    parent_[node] = parent;
    if (h == kInfiniteCost) {  // cost zero: every way to it is cut off from now on
      cost_[node] = kClosed;
      ++num_dead_;
      return;
    }
    if (!is_new && (cost_[node] & kClosed)) ++num_reopened_;
    cost_[node] = packed;
    if (cost + h <= limit_) {
      children_.push_back({cost + h, h, node});
    } else if (!waiting_.push(cost + h, 0, node)) {
      stop(Status::memory);
    }
  }

  bool is_bound_of(const State<P>& rest, int place, PackedCost h) const {
    std::vector<int> spots;
    for_each_in<P>(rest, [&](int spot) { spots.push_back(spot); });
    Bound own = bound_;
    return own.set(spots, place) == h;
  }

  // Whether the search is over: a goal whose cost is within the limit.
  bool is_finished(StateId node, const State<P>& rest, int place, const PlaceSet<Q>& open,
                   PackedCost g) {
    for (const Test& goal : goals_) {
      if (!in_cube(rest, goal.mask, goal.value)) continue;
      PackedCost cost = g;
      if (goal.place >= 0) {
        const int bit = numbers_.bit_of[goal.place];
        PlaceSet<Q> wanted = zero_state<Q>();
        insert(wanted, bit);
        measure(place, open, wanted);
        if (steps_to_[bit] < 0) continue;
        cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[bit]);
      }
      if (finish_ == kNoState || cost < finish_cost_) finish_ = node, finish_cost_ = cost;
    }
    if (finish_ == kNoState || finish_cost_ > limit_) return false;
    FEWEST_ASSERT(initial_bound_ <= finish_cost_, "no plan costs less than the bound of the start");
    stop(Status::goal);
    return true;
  }

  // Of what must be the same for the tree to mean the same.
  Word key_of_search() const {
    Word key = fold_multiply(P, kFormat + Q);
    for (std::size_t count : {moves_.size(), goals_.size(), forbidden_.size(), std::size_t{pieces_.has_agent()}})
      key = fold_multiply(key ^ count, 0xd6e8feb86659fd93u) + count;
    return key;
  }

  // False: the disk is full.
  [[nodiscard]] FEWEST_COLD bool keep() {
    if (!kept_.is_wanted()) return true;
    return kept_.write(key_of_search(), [this](KeptParts::Out& out) {
      const std::size_t rows = table_.size();
      out.value(Counts{rows, depth_, static_cast<Word>(status_), limit_, initial_bound_, finish_, finish_cost_,
                       num_expanded_, num_generated_, num_dead_, num_cut_, num_reopened_});
      out.list(iterations_);
      out.rows(table_.data(), rows);
      out.rows(cost_.data(), rows);
      out.rows(parent_.data(), rows);
      out.rows(stack_.data(), depth_);
      waiting_.write(out);
    });
  }

  // False: no memory.
  FEWEST_COLD bool take_back(KeptParts::In& in) {
    Counts counts;
    in.value(counts);
    in.list(iterations_);
    const std::size_t rows = counts.num_states;
    const auto read = [&](State<P>* to, std::size_t count) { in.rows(to, count); };
    if (!table_.refill(rows, read) || !cost_.reserve(rows) || !parent_.reserve(rows) || !stack_.reserve(counts.depth))
      return false;
    in.rows(cost_.data(), rows);
    in.rows(parent_.data(), rows);
    in.rows(stack_.data(), counts.depth);
    if (!waiting_.read(in)) return false;
    num_resumed_ = rows;
    depth_ = counts.depth;
    limit_ = counts.limit;
    initial_bound_ = counts.initial_bound;
    finish_ = static_cast<StateId>(counts.finish);
    finish_cost_ = counts.finish_cost;
    num_expanded_ = counts.num_expanded;
    num_generated_ = counts.num_generated;
    num_dead_ = counts.num_dead;
    num_cut_ = counts.num_cut;
    num_reopened_ = counts.num_reopened;
    const auto status = static_cast<Status>(counts.status);
    if (status == Status::goal || status == Status::exhausted) stop(status);
    return true;
  }

  struct Counts {
    Word num_states, depth, status, limit, initial_bound, finish, finish_cost, num_expanded, num_generated, num_dead,
        num_cut, num_reopened;
  };

  std::vector<OperatorId> plan() {
    std::vector<StateId> chain;
    for (StateId node = finish_; node != kNoState; node = parent_[node]) chain.push_back(node);
    std::reverse(chain.begin(), chain.end());
    return States::play(
        chain.size() - 1,
        [&](std::size_t i) { return large(cost_[chain[i]]) - large(cost_[chain[i - 1]]); },
        [&](std::size_t i, const Concrete& now) { return key(now.rest, now.place) == table_[chain[i]]; });
  }

  DeepeningOutcome outcome(const Control& control) {
    DeepeningOutcome result;
    FEWEST_ASSERT((!std::is_same_v<Bound, PieceBound> || num_reopened_ == 0),
                  "with a consistent bound no node is expanded twice");
    result.status = status_;
    result.lower_bound = limit_;
    if (status_ == Status::goal) {
      result.cost = result.lower_bound = finish_cost_;
      result.plan = plan();
    }
    result.num_states = table_.size();
    result.num_goal_states = finish_ != kNoState;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.num_resumed = num_resumed_;
    result.num_dead = num_dead_;
    result.num_cut = num_cut_;
    result.num_reopened = num_reopened_;
    result.initial_bound = initial_bound_;
    result.has_agent = pieces_.has_agent();
    result.iterations = std::move(iterations_);
    result.seconds = control.seconds();
    result.bytes = budget_.peak();
    result.algorithm = "iterative deepening";
    return result;
  }

  Bound& bound_;
  Options options_;
  Freezing<P> freezing_;
  // The tree.
  Budget budget_;
  StateTable<P> table_;            // a node for each position
  PageArray<std::uint32_t> cost_;  // g, with kClosed: expanded at it
  PageArray<StateId> parent_;
  PageArray<StateId> stack_;       // leaves within the limit
  std::size_t depth_ = 0;          // of the stack
  OpenList waiting_;               // leaves beyond the limit, by f
  KeptParts kept_;
  Status status_ = Status::running;
  PackedCost limit_ = 0, initial_bound_ = 0, finish_cost_ = 0;
  StateId finish_ = kNoState;
  std::uint64_t num_expanded_ = 0, num_generated_ = 0, num_dead_ = 0, num_cut_ = 0, num_reopened_ = 0;
  std::uint64_t num_resumed_ = 0;
  std::vector<Iteration> iterations_;
  // Of the node being expanded.
  std::vector<int> true_spots_, successor_spots_;
  std::vector<std::uint32_t> candidates_;
  std::vector<Child> children_;
};

}  // namespace fewest
