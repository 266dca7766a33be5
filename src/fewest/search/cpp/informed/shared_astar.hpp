// A* on several threads, each with the states that its part of the hashes has.
//
// Problem: A* takes out one state after the other, and one table and one queue are what all of it goes through.
// Solution: hash distribution (Evett, Hendler, Mahanti and Nau, 1995) in rounds, so that it needs no lock and
// answers the same each time. Each thread has a part of the states: their table, their costs, their queue.
// - In the first half of a round each expands states of the least f of all, some hundred at most, and looks up
//   each successor in the table of the part that it belongs to, where nobody writes meanwhile. What is new or
//   has become cheaper is bounded and laid out for that part.
// - In the second half each takes in what is laid out for it.
// Only states of the least f are expanded, as by A*: a goal state that is taken out is a cheapest one, and
// reopening keeps it right for bounds that are not consistent. Beyond what one thread expands come at most the
// rest of one round, and the last f in another order. Reductions and metrics are those of A*.
#pragma once

#include "informed/astar_search.hpp"
#include "informed/gang.hpp"

namespace fewest {

template <int P, int Q>
class SharedAStar {
 public:
  // Of `options.threads`; if the system gives fewer, of those.
  SharedAStar(const PieceProblem& prepared, const Hints& hints, const Options& options)
      : gang_(options.threads) {
    Options share = options;
    share.memory /= gang_.size();
    for (std::size_t i = 0; i < gang_.size(); ++i)
      parts_.push_back(std::make_unique<Part>(prepared, hints, share, *this, i));
  }

  // As that of A*, until it is decided.
  AStarOutcome run(Control& control, const AStarOutcome& before) {
    for (auto& part : parts_) part->before_ = i_am_first(*part) ? &before : &nothing_;
    begin();
    while (!is_decided()) round(control);
    return outcome(control);
  }

 private:
  static constexpr std::uint64_t kLeastInRound = 256, kMostInRound = 1024;

  struct Message {
    State<P> stored;
    Word hash;
    PackedCost cost, bound;  // kInfiniteCost: no goal is reached
    StateId parent;
  };

  class Part : public AStar<P, Q> {
    using Base = AStar<P, Q>;
    friend class SharedAStar;

   public:
    Part(const PieceProblem& prepared, const Hints& hints, const Options& options, SharedAStar& all,
         std::size_t number)
        : Part(prepared, hints, options, all, number, std::make_unique<PieceBound>(*prepared.bound)) {}

   private:
    using Base::budget_, Base::cost_, Base::num_dead_, Base::num_expanded_, Base::open_, Base::parent_,
        Base::pending_, Base::status_, Base::table_;
    using typename Base::Pending;

    Part(const PieceProblem& prepared, const Hints& hints, const Options& options, SharedAStar& all,
         std::size_t number, std::unique_ptr<PieceBound> bound)
        : Base(prepared, hints, options, *bound),
          own_bound_(std::move(bound)),
          all_(all),
          number_(number),
          outbox_(all.gang_.size()) {}

    // The first half of a round.
    void expand(PackedCost f, std::uint64_t at_most) {
      for (auto& messages : outbox_) messages.clear();
      for (std::uint64_t i = 0; i < at_most && status_ == Status::running; ++i) {
        if (open_.empty() || open_.least_f() != f) return;
        const StateId node = open_.pop();
        if (const StateId next = open_.peek(); next != kNoState) {
          table_.prefetch_state(next);
          __builtin_prefetch(&cost_[next]);
        }
        if (!(cost_[node] & Base::kClosed)) expand(node);
      }
    }

    void expand(StateId node) {
      const State<P> s = table_[node];
      const PackedCost g = this->large(cost_[node]);
      __atomic_fetch_or(&cost_[node], Base::kClosed, __ATOMIC_RELAXED);  // others look at it
      if (!this->find_successors(node, s, g)) return;
      for (const Pending& next : pending_)
        if (const Part& owner = all_.owner_of(next.hash); owner.table_.size() > 0)
          owner.table_.prefetch(next.hash);
      for (Pending& next : pending_) {
        const Part& owner = all_.owner_of(next.hash);
        if (owner.table_.size() == 0) continue;
        next.at = owner.table_.approach(next.hash);
        if (const StateId there = owner.table_.at(next.at); there != kNoState)
          __builtin_prefetch(&owner.cost_[there]);
      }
      for (const Pending& next : pending_) {
        const Part& owner = all_.owner_of(next.hash);
        if (owner.knows(next, this->small(next.cost))) continue;
        outbox_[owner.number_].push_back({next.stored, next.hash, next.cost, this->bound_of(s, next.row),
                                          all_.name_of(number_, node)});
      }
    }

    // Whether it has been reached at no higher a cost. Any thread may ask in the first half.
    bool knows(const Pending& state, std::uint32_t cost) const {
      const StateId node = table_.size() == 0 ? kNoState : table_.find(state.stored, state.hash, state.at);
      if (node == kNoState) return false;
      const std::uint32_t known = __atomic_load_n(&cost_[node], __ATOMIC_RELAXED);
      return (known & ~Base::kClosed) <= cost;
    }

    // The second half.
    void take_in() {
      std::size_t count = 0;
      for (const auto& part : all_.parts_) count += part->outbox_[number_].size();
      const std::size_t rows = table_.size() + count;
      if (rows >= kNoState / all_.parts_.size()) return this->stop(Status::memory);  // names end
      if (count > 0 && (!table_.reserve(count) || !cost_.reserve(rows) || !parent_.reserve(rows)))
        return this->stop(Status::memory);
      for (const auto& part : all_.parts_) take_in(part->outbox_[number_]);
    }

    void take_in(const std::vector<Message>& messages) {
      constexpr std::size_t kAhead = 16;
      for (std::size_t i = 0; i < std::min(kAhead, messages.size()); ++i) table_.prefetch(messages[i].hash);
      for (std::size_t i = 0; i < messages.size() && status_ == Status::running; ++i) {
        if (i + kAhead < messages.size()) table_.prefetch(messages[i + kAhead].hash);
        const Message& next = messages[i];
        const auto [node, is_new] = table_.insert(next.stored, next.hash);
        const std::uint32_t packed = this->small(next.cost);
        if (is_new || packed < (cost_[node] & ~Base::kClosed))
          this->enter(node, next.parent, packed, next.cost, next.bound);
      }
    }

    std::unique_ptr<PieceBound> own_bound_;
    SharedAStar& all_;
    std::size_t number_;
    std::vector<std::vector<Message>> outbox_;  // per part
  };

  bool i_am_first(const Part& part) const { return part.number_ == 0; }

  // Other bits of the hash than those that choose the slot, or a part would use a part of its slots.
  std::size_t number_of(Word hash) const {
    return scale_to(fold_multiply(hash, 0x9e3779b97f4a7c15u), parts_.size());
  }
  const Part& owner_of(Word hash) const { return *parts_[number_of(hash)]; }

  // Of a state among those of all parts.
  StateId name_of(std::size_t part, StateId node) const {
    return static_cast<StateId>(node * parts_.size() + part);
  }

  void begin() {
    Part& any = *parts_[0];
    const PackedCost h = any.bound_at_start();
    if (h == kInfiniteCost) return any.stop(Status::exhausted);
    any.initial_bound_ = h;
    least_f_ = any.least_f_ = std::max(h, any.before_->lower_bound);
    const State<P> stored = any.canonical_of(any.initial());
    any.outbox_[number_of(hash(stored))].push_back({stored, hash(stored), 0, h, kNoState});
    gang_.all([&](std::size_t i) { parts_[i]->take_in(); });
  }

  bool is_decided() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const auto& part) { return part->status_ != Status::running; });
  }

  void round(Control& control) {
    Part& first = *parts_[0];
    const Part* least = nullptr;
    for (const auto& part : parts_)
      if (!part->open_.empty() && (least == nullptr || part->open_.least_f() < least->open_.least_f()))
        least = part.get();
    const Part* finish = finish_of();
    if (least == nullptr) return first.stop(finish == nullptr ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, least->open_.least_f());
    if (finish != nullptr && least_f_ >= finish->finish_cost_) return first.stop(Status::goal);
    const AStarOutcome done = counts(control);
    first.stop(control.check(least_f_, done.num_states, done.num_expanded, [&] { return used(); }));
    if (first.status_ != Status::running) return;
    const std::uint64_t at_most =
        std::clamp(done.num_states / (16 * parts_.size()), kLeastInRound, kMostInRound);
    const PackedCost f = least->open_.least_f();
    gang_.all([&](std::size_t i) { parts_[i]->expand(f, at_most); });
    if (!is_decided()) gang_.all([&](std::size_t i) { parts_[i]->take_in(); });
  }

  // The part with the cheapest end that was found.
  const Part* finish_of() const {
    const Part* best = nullptr;
    for (const auto& part : parts_)
      if (part->finish_ != kNoState && (best == nullptr || part->finish_cost_ < best->finish_cost_))
        best = part.get();
    return best;
  }

  std::size_t used() const {
    std::size_t bytes = 0;
    for (const auto& part : parts_) bytes += part->budget_.used();
    return bytes;
  }

  // --- The answer ---

  // A goal that was found counts most: what a part ran into in the same round does not matter.
  Status status() const {
    Status status = Status::running;
    for (const auto& part : parts_)
      if (part->status_ == Status::goal || status == Status::running) status = part->status_;
    return status;
  }

  AStarOutcome counts(const Control& control) const {
    AStarOutcome result = parts_[0]->counts(control);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const AStarOutcome more = parts_[i]->counts(control);
      result.num_states += more.num_states;
      result.num_expanded += more.num_expanded;
      result.num_generated += more.num_generated;
      result.num_dead += more.num_dead;
      result.num_corrals += more.num_corrals;
      result.bytes += more.bytes;
    }
    result.status = status();
    result.lower_bound = least_f_;
    result.num_goal_states = finish_of() != nullptr;
    return result;
  }

  AStarOutcome outcome(const Control& control) {
    AStarOutcome result = counts(control);
    if (result.status == Status::goal) {
      const Part& finish = *finish_of();
      result.cost = result.lower_bound = finish.finish_cost_;
      result.plan = plan(name_of(finish.number_, finish.finish_));
    }
    return result;
  }

  std::vector<OperatorId> plan(StateId finish) {
    const std::size_t n = parts_.size();
    std::vector<StateId> chain;
    for (StateId name = finish; name != kNoState; name = parts_[name % n]->parent_[name / n])
      chain.push_back(name);
    std::reverse(chain.begin(), chain.end());
    Part& first = *parts_[0];
    const auto cost = [&](std::size_t i) { return first.large(parts_[chain[i] % n]->cost_[chain[i] / n]); };
    return first.play(
        chain.size() - 1, [&](std::size_t i) { return cost(i) - cost(i - 1); },
        [&](std::size_t i, const auto& now) {
          return first.canonical_of(now) == parts_[chain[i] % n]->table_[chain[i] / n];
        });
  }

  Gang gang_;
  std::vector<std::unique_ptr<Part>> parts_;
  PackedCost least_f_ = 0;
  const AStarOutcome nothing_;
};

}  // namespace fewest
