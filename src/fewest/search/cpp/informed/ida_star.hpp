// Iterative deepening A* (Korf, 1985): what goes on where the memory of A* ends.
//
// Problem: A* keeps every state, so a memory limit ends it.
// Solution: depth-first search of everything with f = g + h up to a limit, from the start, for growing
// limits; successors, bounds and reductions are those of A*. It keeps one path and what branches off it.
// - What memory there is holds states with the least cost at which they were ever seen (a transposition table:
//   Reinefeld and Marsland, 1994): one that is met at a higher cost is left, and so is one met at the same
//   cost again under the same limit. So most states are expanded once under each limit, though first ways
//   are seldom the cheapest. Where the table is full, states give way: those not seen under this limit
//   first, then those farthest from the start.
// - The next limit is the least f that was cut off or, where that would let in too few (costs of many values,
//   pairs), a greater one, so that the work about doubles (after Sarkar, Chakrabarti, Ghose and De Sarkar,
//   1991). Within a limit that may be too large, a plan found cuts off all that is not cheaper.
// Why it is right: let a plan cost C, with g* the least costs along it. The start is seen at g*. If the last of
// its states that is seen at g* under the limit is not the goal, the next one has been cut off with f <= C:
// nothing is ever seen below its g*, and what the table or the path turn away at g* has been seen at g*. So the least f that was
// cut off is a lower bound, and where nothing cheaper than the plan was cut off it is minimal. That needs
// an admissible h, no consistent one. That a state's moves may be reduced (corrals.hpp) depends on the state
// alone. Sound in every metric in which runs are moves (run_moves.hpp).
// Without a plan it ends only when no limit cuts anything off, which can take longer than it takes A* to
// see every state.
#pragma once

#include <map>

#include "informed/astar_search.hpp"

namespace fewest {

template <int P, int Q>
class IdaStar final : public AStar<P, Q> {
 public:
  IdaStar(const PieceProblem& prepared, const Hints& hints, const SearchOptions& options)
      : Base(prepared, hints, options), seen_(this->budget_) {}

  Status advance(Control& control, const Quota& quota) override {
    if (!is_begun_) begin();
    while (status_ == Status::running && num_expanded_ < quota.work) {
      if (levels_.empty()) begin_limit();
      deepen(control, quota.work);
      if (status_ == Status::running && levels_.empty()) end_limit();
    }
    return status_;
  }
  std::uint64_t work() const override { return num_expanded_; }
  PackedCost bound() const override { return status_ == Status::goal ? best_ : std::min(least_f_, best_); }
  std::vector<PieceCube> samples(std::size_t) override { return {}; }

 private:
  InformedOutcome found() override {
    InformedOutcome result = this->counts();
    result.num_states = num_expanded_;
    result.algorithm = "ida*";
    result.iterations = iterations_;
    if (is_in_limit_) result.iterations.push_back({limit_, num_expanded_ - expanded_before_});
    if (status_ == Status::goal) {
      FEWEST_ASSERT(best_ != kInfiniteCost && !best_path_.empty(), "a goal that was found has a path");
      result.cost = result.lower_bound = best_;
      result.plan = this->play(
          best_path_.size() - 1,
          [&](std::size_t i) { return best_path_[i].cost - best_path_[i - 1].cost; },
          [&](std::size_t i, const Concrete& now) {
            return this->canonical_of(now) == best_path_[i].stored;
          });
    }
    return result;
  }

  using Base = AStar<P, Q>;
  using Base::status_, Base::least_f_, Base::num_expanded_, Base::finish_, Base::finish_cost_;
  using typename Base::Concrete, typename Base::Pending;

  static constexpr std::size_t kInBucket = 4;
  static constexpr std::size_t kMaxCutValues = 256;
  static constexpr std::size_t kFilter = 1 << 14;

  struct Seen {
    State<P> state;
    std::uint32_t cost;
    std::uint32_t limit_number;  // 0: empty
  };
  struct Step {
    State<P> stored;
    Word hash;
    PackedCost cost, h;
  };
  struct Level {
    std::size_t begin, next;  // in steps_
    std::size_t filter;
  };
  struct Reached {
    State<P> stored;
    PackedCost cost;
  };

  void begin() {
    is_begun_ = true;
    const PackedCost h = this->bound_at_start();
    if (h == kInfiniteCost) return this->stop(Status::exhausted);
    this->initial_bound_ = h;
    limit_ = least_f_ = std::max(h, this->options_.at_least);
    const std::size_t all = this->options_.memory - this->options_.memory / 8;
    const std::size_t bytes = std::min(all, this->options_.most_in_table);
    // On what is small whole pages are asked for: try with less.
    for (std::size_t part = bytes; part >= 4096 && num_buckets_ == 0; part /= 2) {
      const std::size_t buckets = part / (kInBucket * sizeof(Seen));
      if (seen_.grow(buckets * kInBucket)) num_buckets_ = buckets;
    }
    on_path_.assign(kFilter, 0);
  }

  void begin_limit() {
    expanded_before_ = num_expanded_;
    is_in_limit_ = true;
    ++limit_number_;
    cut_.clear();
    last_cut_ = cut_.end();
    steps_.clear();
    levels_.clear();
    path_.clear();
    std::fill(on_path_.begin(), on_path_.end(), 0);
    const State<P> start = this->canonical_of(this->initial());
    enter({start, hash(start), 0, 0});
  }

  // Everything up to limit_.
  void deepen(Control& control, std::uint64_t most_expanded) {
    while (!levels_.empty()) {
      if (num_expanded_ % Base::kExpansionsPerCheck == 0)
        this->stop(control.check(least_f_, num_expanded_, num_expanded_, [this] { return this->bytes(); }));
      if (status_ != Status::running || num_expanded_ >= most_expanded) return;
      Level& level = levels_.back();
      if (level.next == steps_.size()) {
        FEWEST_ASSERT(on_path_[level.filter] > 0 && path_.size() == levels_.size(),
                      "each level has a state of the path");
        --on_path_[level.filter];
        steps_.resize(level.begin);
        levels_.pop_back();
        path_.pop_back();
        continue;
      }
      const Step step = steps_[level.next++];
      if (step.cost + step.h < best_) enter(step);
    }
  }

  // The limit at work is done: what follows from it.
  void end_limit() {
    iterations_.push_back({limit_, num_expanded_ - expanded_before_});
    is_in_limit_ = false;
    if (cut_.empty() || cut_.begin()->first >= best_)
      return this->stop(best_ == kInfiniteCost ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, cut_.begin()->first);
    std::uint64_t let_in = 0;
    for (const auto& [f, count] : cut_) {
      limit_ = std::max(f, least_f_);
      let_in += count;
      if (2 * let_in >= num_expanded_ - expanded_before_) break;
    }
  }

  // The last on the path from now on, unless it need not be looked at.
  void enter(const Step& step) {
    if (is_seen(step) || is_on_path(step)) return;
    path_.push_back({step.stored, step.cost});
    const bool goes_on = this->find_successors(0, step.stored, step.cost);
    if (finish_ != kNoState && finish_cost_ < best_) {
      best_ = finish_cost_;
      best_path_ = path_;
      if (best_ <= least_f_) return this->stop(Status::goal);
    }
    if (!goes_on) {
      status_ = Status::running;  // there may be a cheaper one
      path_.pop_back();
      return;
    }
    const std::size_t begin = steps_.size();
    for (const Pending& next : this->pending_) {
      const PackedCost h = this->bound_of(step.stored, next.row);
      if (h == kInfiniteCost) {
        ++this->num_dead_;
        continue;
      }
      const PackedCost f = next.cost + h;
      FEWEST_ASSERT(f >= next.cost, "a sum of costs does not overflow");
      if (f >= best_) continue;
      if (f > limit_) {
        count_cut(f);
        continue;
      }
      if (num_buckets_ > 0) __builtin_prefetch(bucket(next.hash));
      steps_.push_back({next.stored, next.hash, next.cost, h});
    }
    std::stable_sort(steps_.begin() + static_cast<std::ptrdiff_t>(begin), steps_.end(),
                     [](const Step& a, const Step& b) { return a.h < b.h; });
    const std::size_t filter = step.hash % kFilter;
    ++on_path_[filter];
    levels_.push_back({begin, begin, filter});
  }

  void count_cut(PackedCost f) {
    if (last_cut_ == cut_.end() || last_cut_->first != f) {
      last_cut_ = cut_.try_emplace(f, 0).first;
      if (cut_.size() > kMaxCutValues) {
        cut_.erase(std::prev(cut_.end()));
        last_cut_ = cut_.end();
        return;
      }
    }
    ++last_cut_->second;
  }

  Seen* bucket(Word h) { return &seen_[scale_to(h, num_buckets_) * kInBucket]; }

  // Whether the state has been seen at a lower cost, or at this one under this limit; from now on it has.
  bool is_seen(const Step& step) {
    if (num_buckets_ == 0) return false;
    const std::uint32_t cost = this->small(step.cost);
    Seen* const entries = bucket(step.hash);
    Seen* victim = entries;
    for (std::size_t i = 0; i < kInBucket; ++i) {
      Seen& entry = entries[i];
      if (entry.limit_number != 0 && entry.state == step.stored) {
        if (entry.cost < cost || (entry.cost == cost && entry.limit_number == limit_number_)) return true;
        entry.cost = cost;
        entry.limit_number = limit_number_;
        return false;
      }
      if (is_dearer(*victim, entry)) victim = &entry;
    }
    *victim = {step.stored, cost, limit_number_};
    return false;
  }

  // Whether `b` should rather be lost.
  bool is_dearer(const Seen& a, const Seen& b) const {
    const bool a_is_new = a.limit_number == limit_number_, b_is_new = b.limit_number == limit_number_;
    if (a_is_new != b_is_new) return a_is_new;
    if (a.limit_number == 0 || b.limit_number == 0) return a.limit_number > b.limit_number;
    return a.cost < b.cost;
  }

  bool is_on_path(const Step& step) const {
    if (on_path_[step.hash % kFilter] == 0) return false;
    return std::any_of(path_.begin(), path_.end(),
                       [&](const Reached& reached) { return reached.stored == step.stored; });
  }

  PageArray<Seen> seen_;
  std::size_t num_buckets_ = 0;
  bool is_begun_ = false, is_in_limit_ = false;
  PackedCost limit_ = 0, best_ = kInfiniteCost;
  std::uint32_t limit_number_ = 0;
  std::uint64_t expanded_before_ = 0;  // before the limit at work
  std::vector<Iteration> iterations_;
  std::map<PackedCost, std::uint64_t> cut_;  // what was cut off under this limit: f, how often
  typename std::map<PackedCost, std::uint64_t>::iterator last_cut_;
  // The path, the successors of its states that are still to be looked at, and its hashes.
  std::vector<Reached> path_, best_path_;
  std::vector<Level> levels_;
  std::vector<Step> steps_;
  std::vector<std::uint16_t> on_path_;
};

}  // namespace fewest
