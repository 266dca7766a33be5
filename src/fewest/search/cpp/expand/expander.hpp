// The interface between the searches and the code that expands states of a task in one metric.
// Problem: there are several kinds of expansion (single steps, merged moves, regions, intermediate states), most of
// them with or without symmetry, and several searches (breadth-first, bidirectional, in an index, on disk). If
// expansions were templates, they would be compiled once for every combination of expansion and search. Expansion and
// search would then form a single function, too large for the compiler to optimise well.
// Solution: an expander writes all successors of a state into a block (`Successors`), and a search reads the block. The
// block stays in the first-level cache of the processor. The block makes it possible to prefetch the slots of all
// successors together, which saves more time than the block and the virtual call cost. The `Extra` of a successor is
// data that the search stores until the successor is inserted: the size of a region, or no data at all. If `covers()`
// is true, an expander also reports, for each successor, the facts at which no merged move needs to begin. The search
// collects these facts for each state, and the expander skips them when it expands the state (redundant_runs.hpp).
// A single expansion can take very long: a piece that captures others on its way may reach millions of states in one
// merged move. So an expander can check the limits of the search during an expansion (`ExpansionLimit`).
// Usage:
//   expander.expand(s, successors.cleared());
//   for (const auto& [state, extra] : successors) ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "state/compiler_attributes.hpp"
#include "expand/operators.hpp"

namespace fewest {

// Thrown if an `ExpansionLimit` stops an expansion. The successors found so far are incomplete.
struct ExpansionStopped {};

// Checks the limits of a search during a long expansion.
class ExpansionLimit {
 public:
  virtual ~ExpansionLimit() = default;
  // Returns false if the search must stop. `bytes`: the memory that the expansion uses. Every thread of the search may
  // call the function.
  virtual bool may_continue(std::size_t bytes) = 0;
};

struct NoExtra {};
struct RegionSize {
  std::uint32_t places;  // the number of places that the agent can reach
};
// The `Extra` of expanders that store no additional data with a successor. For wide states, it is a size that is never
// used, so that searches of wide states are compiled for only one kind of extra.
template <int P>
using Plain = std::conditional_t<P == 1, NoExtra, RegionSize>;

template <int P, class Extra>
struct Successor {
  State<P> state;
  FEWEST_NO_ADDRESS Extra extra;
};

template <int P, class Extra>
class Successors {
 public:
  using Entry = Successor<P, Extra>;

  // Empties the block. `redundant`: the bits of those facts of the state to be expanded at which no merged move needs
  // to begin.
  Successors& cleared(Word redundant = 0) {
    size_ = 0;
    redundant_ = redundant;
    return *this;
  }
  Word redundant() const { return redundant_; }
  void push(const State<P>& s, const Extra& extra) {
    if (size_ == entries_.size()) [[unlikely]] widen(1);
    entries_[size_++] = {s, extra};
  }
  // Like `push`, but for expanders for which `covers()` is true. The additional argument contains the bits of the facts
  // at which no merged move needs to begin in the successor.
  void push_covered(const State<P>& s, Word redundant_next) {
    push(s, {});
    FEWEST_ASSERT(covers_.size() == entries_.size(), "each entry has a word of redundant facts");
    covers_[size_ - 1] = redundant_next;
  }
  Word cover(std::size_t i) const {
    FEWEST_ASSERT(i < size_, "the index is that of an entry");
    return covers_[i];
  }
  // Returns room for `more` entries. `add` appends the entries that have been written there.
  Entry* room(std::size_t more) {
    if (size_ + more > entries_.size()) [[unlikely]] widen(more);
    return end();
  }
  void add(Entry* written_end) {
    FEWEST_ASSERT(written_end >= end() && written_end <= entries_.data() + entries_.size(),
                  "no more is written than there was room for");
    size_ = static_cast<std::size_t>(written_end - begin());
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return entries_.size() * (sizeof(Entry) + sizeof(Word)); }
  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + size_; }
  Entry* begin() { return entries_.data(); }
  Entry* end() { return entries_.data() + size_; }

 private:
  FEWEST_COLD void widen(std::size_t more) {
    entries_.resize(2 * size_ + more + 64);
    covers_.resize(entries_.size());
  }

  std::vector<Entry> entries_;
  std::vector<Word> covers_;
  std::size_t size_ = 0;
  Word redundant_ = 0;
};

// The numbers of states that an entry of a layer represents.
struct Count {
  std::uint64_t states, goals;
  std::uint64_t canonical = 0, in_orbits = 0;  // used by searches with symmetry (symmetric.hpp)
};

// The reached states, as needed for finding a plan.
template <int P>
struct Layers {
  // Returns the layer of a state if this layer is `near` or the one before it. For other reached states, the function
  // may return any other number; for unreached states, it returns a number above `near`. This information is sufficient
  // to undo a move that ends in a state of layer `near`, because all states of a merged move are in these two layers.
  std::function<std::size_t(const State<P>&, std::size_t near)> of;
  // Visits all states of a layer.
  std::function<void(std::size_t, const std::function<void(const State<P>&)>&)> for_each;
};

template <int P, class Extra>
class Expander {
 public:
  virtual ~Expander() = default;
  // A copy for another thread.
  virtual std::unique_ptr<Expander> copy() const = 0;
  // The stored form of the initial state.
  virtual State<P> start(const State<P>& initial, Extra& extra) = 0;
  // Recomputes the extra of an entry that was stored without one.
  virtual Extra extra_of(const State<P>&) { return {}; }
  // Appends all states that cost one unit more. Some states may be repeated. Throws ExpansionStopped if there is a limit
  // and it stops the expansion.
  virtual void expand(const State<P>& s, Successors<P, Extra>& out) = 0;
  // Whether every entry represents exactly one state. The value is stored as a flag, because a virtual call would be
  // slower.
  bool is_one_state() const { return is_one_state_; }
  bool is_goal(const State<P>& s) const { return goals_.contain(s); }
  // Whether the expander uses `push_covered`.
  bool covers() const { return covers_; }
  Count count(const State<P>& s, const Extra& extra) {
    if (is_one_state_) return {1, is_goal(s)};
    const Count count = weigh(s, extra);
    FEWEST_ASSERT(count.states > 0 && count.goals <= count.states,
                  "an entry has at least one state, and no more goal states than states");
    return count;
  }
  // Sets the limit that long expansions check; nullptr: no limit. Copies of the expander have the same limit.
  virtual void set_limit(ExpansionLimit* limit) { limit_ = limit; }
  // The operators from the start to a goal state of the entry `goal`, which is in this layer.
  virtual std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                                       std::size_t layer) = 0;
  // Whether all plans from the start to the goal states of this layer are one plan, up to the order of independent
  // moves; nullopt if this is unknown, or if finding out takes more steps than the last argument allows
  // (only_plan.hpp). All layers before this one must be complete.
  virtual std::optional<bool> is_only_plan(const Layers<P>&, std::size_t, std::uint64_t) { return std::nullopt; }
  virtual const char* algorithm() const = 0;
  // A move that would never end, if one was found.
  virtual std::optional<EndlessMove> endless() const { return std::nullopt; }

 protected:
  // The constructor for expanders that use plain states as entries.
  explicit Expander(CubeList<P> goals) : is_one_state_(true), goals_(std::move(goals)) {}
  // The constructor for expanders that count their entries.
  Expander() = default;
  void set_covers() { covers_ = true; }
  FEWEST_COLD void check_limit(std::size_t bytes) const {
    if (limit_ != nullptr && !limit_->may_continue(bytes)) throw ExpansionStopped{};
  }
  virtual Count weigh(const State<P>& s, const Extra&) { return {1, goals_.contain(s)}; }

 private:
  bool is_one_state_ = false, covers_ = false;
  ExpansionLimit* limit_ = nullptr;
  CubeList<P> goals_;
};

// Sets the limit of an expander for the lifetime of this object.
template <class AnyExpander>
class LimitedExpansions {
 public:
  LimitedExpansions(AnyExpander& expander, ExpansionLimit& limit) : expander_(expander) { expander_.set_limit(&limit); }
  ~LimitedExpansions() { expander_.set_limit(nullptr); }
  LimitedExpansions(const LimitedExpansions&) = delete;
  LimitedExpansions& operator=(const LimitedExpansions&) = delete;

 private:
  AnyExpander& expander_;
};

}  // namespace fewest
