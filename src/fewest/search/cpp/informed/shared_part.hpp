// A part of the states of an A* search on several threads (shared_astar.hpp): those whose hash falls to it.
#pragma once

#include "informed/closed_list.hpp"
#include "informed/informed_search.hpp"
#include "informed/open_list.hpp"
#include "informed/successor_generator.hpp"

namespace fewest {

// A state on its way to the part that it belongs to.
template <int P>
struct Message {
  State<P> stored;
  Word hash;
  PackedCost cost, bound;  // kInfiniteCost: no goal is reached
  StateId parent;          // a name among all parts
};

template <int P, int Q>
class SharedPart {
 public:
  SharedPart(const PieceProblem& problem, const Hints& hints, const SearchOptions& options, std::size_t number,
             std::size_t num_parts)
      : generator_(problem, hints, *problem.bound, options.expanded_before),
        budget_(options.memory),
        closed_(budget_, problem.num_components),
        open_(budget_),
        number_(number),
        outbox_(num_parts) {}

  // The part that a state belongs to. By other bits of the hash than those that choose the slot, or a part would use a
  // part of its slots.
  std::size_t owner_of(Word hash) const { return scale_to(fold_multiply(hash, 0x9e3779b97f4a7c15u), outbox_.size()); }
  // A state among those of all parts.
  StateId name_of(StateId node) const {
    FEWEST_ASSERT(node < kNoState / outbox_.size(), "a name is below the number that stands for none");
    return static_cast<StateId>(node * outbox_.size() + number_);
  }

  using Parts = std::vector<std::unique_ptr<SharedPart>>;

  // The first half of a round: expands states of the least f of all, and looks their successors up where they belong.
  void expand(const Parts& parts, PackedCost f, std::uint64_t at_most) {
    for (auto& messages : outbox_) messages.clear();
    generator_.pruning().lost_sets().forget_news();
    for (std::uint64_t i = 0; i < at_most && status_ == Status::running; ++i) {
      FEWEST_ASSERT(open_.empty() || open_.least_f() >= f, "the least f of all is no higher than that of a part");
      if (open_.empty() || open_.least_f() != f) return;
      const StateId node = open_.pop_varied();
      if (const StateId next = open_.peek(); next != kNoState) closed_.prefetch_state(next);
      if (!closed_.is_closed(node)) expand(parts, node);
    }
  }

  // The second half: takes in what is laid out for this part, and what others have learned.
  void take_in(const Parts& parts) {
    std::size_t count = 0;
    for (const auto& part : parts) count += part->outbox_[number_].size();
    if (closed_.size() + count >= kNoState / parts.size()) return stop(Status::memory);  // names end
    if (count > 0 && !closed_.reserve(count)) return stop(Status::memory);
    for (const auto& part : parts) take_in(part->outbox_[number_]);
    for (const auto& part : parts)
      if (part.get() != this)
        for (const auto& lost : part->generator_.pruning().lost_sets().news()) generator_.pruning().lost_sets().learn(lost);
  }

  void post(const Message<P>& message) { outbox_[owner_of(message.hash)].push_back(message); }

  // What follows from the states that were taken back from a file.
  void open_again() {
    for (StateId node = 0; node < closed_.size() && status_ == Status::running; ++node) {
      if (closed_.is_closed(node)) continue;
      enter({node, closed_.stored_cost(node), true}, closed_.parent(node), closed_.cost(node),
            generator_.bound_at(closed_[node]));
    }
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }
  void stop_at_disk() { status_ = Status::disk; }
  Status status() const { return status_; }

  SuccessorGenerator<P, Q>& generator() { return generator_; }
  const SuccessorGenerator<P, Q>& generator() const { return generator_; }
  ClosedList<P>& closed() { return closed_; }
  const ClosedList<P>& closed() const { return closed_; }
  const OpenList& open() const { return open_; }
  std::size_t bytes() const { return budget_.used(); }
  std::size_t most_bytes() const { return budget_.peak(); }

  // The cheapest end that was found.
  StateId finish = kNoState;
  PackedCost finish_cost = 0;

 private:
  struct Owners {
    const SharedPart& of;
    const Parts& parts;
    void prefetch(Word hash) const { parts[of.owner_of(hash)]->closed_.prefetch(hash); }
  };

  void expand(const Parts& parts, StateId node) {
    const State<P> stored = closed_[node];
    const PackedCost g = closed_.cost(node);
    closed_.close_shared(node);  // others look at it
    generator_.expand(stored, g);
    if (is_finished(node, g)) return;
    std::vector<Successor<P>>& successors = generator_.successors(Owners{*this, parts});
    for (Successor<P>& next : successors) {
      const ClosedList<P>& owner = parts[owner_of(next.hash)]->closed_;
      if (owner.size() > 0) next.at = owner.approach(next.hash);
    }
    for (const Successor<P>& next : successors) {
      const std::size_t owner = owner_of(next.hash);
      if (parts[owner]->closed_.knows(next.stored, next.hash, next.at, next.cost)) continue;
      outbox_[owner].push_back({next.stored, next.hash, next.cost, generator_.bound_of(next), name_of(node)});
    }
  }

  bool is_finished(StateId node, PackedCost g) {
    const PackedCost cost = generator_.goal_cost();
    if (cost == kInfiniteCost) return false;
    if (finish == kNoState || cost < finish_cost) finish = node, finish_cost = cost;
    if (cost == g) stop(Status::goal);
    return cost == g;
  }

  void take_in(const std::vector<Message<P>>& messages) {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < std::min(kAhead, messages.size()); ++i) closed_.prefetch(messages[i].hash);
    for (std::size_t i = 0; i < messages.size() && status_ == Status::running; ++i) {
      if (i + kAhead < messages.size()) closed_.prefetch(messages[i + kAhead].hash);
      const Message<P>& next = messages[i];
      FEWEST_ASSERT(owner_of(next.hash) == number_ && next.hash == hash(next.stored),
                    "a state goes to the part that has its hash");
      const auto entry = closed_.insert(next.stored, next.hash, next.cost);
      if (entry.is_cheaper) enter(entry, next.parent, next.cost, next.bound);
    }
  }

  void enter(const typename ClosedList<P>::Entry& entry, StateId parent, PackedCost cost, PackedCost bound) {
    if (bound == kInfiniteCost) {
      closed_.bury(entry, parent);
      return generator_.pruning().count_dead();
    }
    closed_.open(entry, parent);
    if (!open_.push(cost + bound, bound, entry.node)) stop(Status::memory);
  }

  SuccessorGenerator<P, Q> generator_;
  Budget budget_;
  ClosedList<P> closed_;
  OpenList open_;
  Status status_ = Status::running;
  std::size_t number_;
  std::vector<std::vector<Message<P>>> outbox_;  // per part
};

}  // namespace fewest
