// An `Exchange` for states that consist of pieces and an agent, for one pair of widths.
#pragma once

#include <cstring>

#include "informed/exchange.hpp"
#include "informed/piece_space.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P, int Q>
class PieceExchange final : public Exchange {
 public:
  FEWEST_COLD PieceExchange(std::unique_ptr<PieceSpace<P, Q>> space, std::size_t number, std::size_t num_parts)
      : space_(std::move(space)), number_(number), outbox_(num_parts) {}

  SearchSpace& space() override { return *space_; }
  const SearchSpace& space() const override { return *space_; }

  void clear() override {
    for (auto& messages : outbox_) messages.clear();
    learned_deadlocks().forget_news();
  }

  void expand(StateId node) override {
    const State<P> stored = space_->closed()[node];
    const PackedCost cost = space_->costs().cost(node);
    space_->costs().close_shared(node);
    space_->generator().expand(stored, cost);
  }

  void lay_out(const Exchanges& all, StateId name) override {
    const Owners owners{*this, all};
    std::vector<PieceSuccessor<P>>& successors = space_->generator().successors({&prefetch_slot, &owners});
    for (PieceSuccessor<P>& next : successors) {
      const ClosedList<P>& closed = closed_of(all, owner_of(next.hash));
      if (closed.size() > 0) next.at = closed.approach(next.hash);
    }
    for (const PieceSuccessor<P>& next : successors) {
      const std::size_t owner = owner_of(next.hash);
      if (closed_of(all, owner).knows(next.stored, next.hash, next.at, next.cost)) continue;
      outbox_[owner].push_back({next.stored, next.hash, next.cost, space_->generator().bound_of(next), name});
    }
  }

  void lay_out_start(PackedCost bound) override {
    const State<P> start = space_->generator().initial();
    outbox_[owner_of(hash(start))].push_back({start, hash(start), 0, bound, kNoState});
  }

  std::size_t num_for_this(const Exchanges& all) const override {
    std::size_t count = 0;
    for (Exchange* part : all) count += of(part).outbox_[number_].size();
    return count;
  }

  bool take_in(const Exchanges& all, std::vector<Opened>& opened) override {
    opened.clear();
    if (const std::size_t count = num_for_this(all); count > 0 && !space_->closed().reserve(count)) return false;
    for (Exchange* part : all) take_in(of(part).outbox_[number_], opened);
    for (Exchange* part : all)
      if (part != this)
        for (const auto& dead_set : of(part).learned_deadlocks().news()) learned_deadlocks().learn(dead_set);
    return true;
  }

  Word shape() const override {
    const PieceStates<P, Q>& states = space_->generator().states();
    const CanonicalStates<P, Q>& canonical = space_->generator().canonical();
    Word shape = P;
    for (std::size_t count : {states.moves.size(), states.blocks.size(), canonical.num_images() - 1,
                              states.goals.size(), states.further_goals.size(), states.forbidden.size(), std::size_t{canonical.merges_regions()}})
      shape = fold_multiply(shape ^ count, 0xd6e8feb86659fd93u) + count;
    return shape;
  }
  std::size_t state_bytes() const override { return sizeof(State<P>); }
  const void* state(StateId node) const override { return &space_->closed()[node]; }
  std::size_t owner_of(const void* state) const override { return owner_of(hash(from_bytes(state))); }
  StateId insert(const void* state) override {
    if (!space_->closed().reserve(1)) return kNoState;
    const State<P> s = from_bytes(state);
    return space_->closed().insert(s, hash(s), 0).node;
  }
  PackedCost bound_at(StateId node) override { return space_->generator().bound_at(space_->closed()[node]); }
  void restore(std::uint64_t num_expanded, std::uint64_t num_generated, std::uint64_t num_dead,
               std::uint64_t num_corrals) override {
    space_->generator().restore(num_expanded, num_generated);
    space_->generator().pruning().restore(num_dead, num_corrals);
  }

 private:
  // A state for some part.
  struct Message {
    State<P> stored;
    Word hash;
    PackedCost cost, bound;  // a bound of kInfiniteCost: the state is dead
    StateId parent;          // numbered among all parts
  };
  struct Owners {
    const PieceExchange& of;
    const Exchanges& all;
  };

  static const PieceExchange& of(const Exchange* part) { return static_cast<const PieceExchange&>(*part); }
  static PieceExchange& of(Exchange* part) { return static_cast<PieceExchange&>(*part); }
  static const ClosedList<P>& closed_of(const Exchanges& all, std::size_t owner) { return of(all[owner]).space_->closed(); }
  static void prefetch_slot(const void* list, Word hash) {
    const Owners& owners = *static_cast<const Owners*>(list);
    closed_of(owners.all, owners.of.owner_of(hash)).prefetch(hash);
  }
  static State<P> from_bytes(const void* bytes) {
    State<P> state;
    std::memcpy(&state, bytes, sizeof state);
    return state;
  }

  LearnedDeadlocks<P, Q>& learned_deadlocks() { return space_->generator().pruning().learned_deadlocks(); }

  // The owner and the slot of a state depend on different bits of the hash. If they depended on the same bits, each
  // part would use only some of its slots.
  std::size_t owner_of(Word hash) const { return scale_to(fold_multiply(hash, 0x9e3779b97f4a7c15u), outbox_.size()); }

  void take_in(const std::vector<Message>& messages, std::vector<Opened>& opened) {
    constexpr std::size_t kAhead = 16;
    ClosedList<P>& closed = space_->closed();
    for (std::size_t i = 0; i < std::min(kAhead, messages.size()); ++i) closed.prefetch(messages[i].hash);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (i + kAhead < messages.size()) closed.prefetch(messages[i + kAhead].hash);
      const Message& next = messages[i];
      FEWEST_ASSERT(owner_of(next.hash) == number_ && next.hash == hash(next.stored),
                    "a state is sent to the part that its hash selects");
      const auto entry = closed.insert(next.stored, next.hash, next.cost);
      if (!entry.is_cheaper) continue;
      if (next.bound == kInfiniteCost) {
        space_->costs().close_dead(entry.node, entry.cost, next.parent, true);
        space_->generator().pruning().count_dead();
        continue;
      }
      space_->costs().open(entry.node, entry.cost, next.parent);
      opened.push_back({entry.node, next.cost, next.bound, 0});
    }
  }

  std::unique_ptr<PieceSpace<P, Q>> space_;
  std::size_t number_;
  std::vector<std::vector<Message>> outbox_;  // per part
};

}  // namespace fewest
