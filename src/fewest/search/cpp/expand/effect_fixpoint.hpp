// Applies effects to the intermediate state that follows an operator, until no effect fits (ConditionalEffects in
// problem.hpp).
//
// Problem: a sweep tests hundreds of places, and every successor needs several sweeps, although almost no place has
// changed.
// Solution: no effect fits in any state of the search, so after an operator, only effects that depend on a changed fact
// can fit. Each fact has a list of the effects that depend on it. A bit set contains the effects that may fit. The
// elements of the set are numbered in sweep order, and the set is read in ascending order. An effect that does not fit
// is removed, and each fact that changes adds the effects in its list. The fixpoint is reached when the set is empty.
// Full sweeps would give the same result, because effects that are not in the set do not fit. Termination: the
// intermediate state before a sweep is compared with an earlier state. If the two are equal, the effects would never
// end. The earlier state is replaced after 1, 2, 4, ... sweeps (Brent 1980).
// Usage:
//   EffectFixpoint<1> fixpoint(compiler);
//   EffectFixpoint<1>::Scratch scratch = fixpoint.scratch();
//   State<1> s = before ^ flip_of(op);
//   if (fixpoint.apply(before, s, op, scratch)) ...
#pragma once

#include <bit>
#include <memory>
#include <mutex>
#include <optional>

#include "state/compiler_attributes.hpp"
#include "expand/parallel_assignment.hpp"
#include "expand/operators.hpp"
#include "state/layout.hpp"

namespace fewest {

// A set of numbers below a fixed size, read in ascending order.
class OrderedBits {
 public:
  OrderedBits() = default;
  explicit OrderedBits(std::size_t size) : words_(size / 64 + 1), summary_(size / 4096 + 1) {}

  void insert(std::uint32_t i) {
    FEWEST_ASSERT(i / 64 < words_.size(), "a number is below the size");
    words_[i / 64] |= Word{1} << (i % 64);
    summary_[i / 4096] |= Word{1} << (i / 64 % 64);
  }
  void erase(std::uint32_t i) {
    FEWEST_ASSERT(i / 64 < words_.size(), "a number is below the size");
    if ((words_[i / 64] &= ~(Word{1} << (i % 64))) == 0)
      summary_[i / 4096] &= ~(Word{1} << (i / 64 % 64));
  }
  // Returns the smallest number in the set that is at least `i`, or a number greater than all numbers in the set if no
  // such number exists. `i` must be at most the size.
  std::uint32_t next(std::uint32_t i) const {
    FEWEST_ASSERT(i / 64 < words_.size(), "a number is at most the size");
    const Word here = words_[i / 64] >> (i % 64);
    if (here != 0) return i + static_cast<std::uint32_t>(std::countr_zero(here));
    const std::uint32_t after = i / 64 + 1;
    for (std::size_t at = after / 64; at < summary_.size(); ++at) {
      Word bits = summary_[at];
      if (at == after / 64) bits &= ~Word{0} << (after % 64);
      if (bits == 0) continue;
      const std::size_t word = at * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return static_cast<std::uint32_t>(word * 64 + std::countr_zero(words_[word]));
    }
    return ~std::uint32_t{0};
  }
  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](Word word) { return word == 0; });
  }
  void clear() {
    std::fill(words_.begin(), words_.end(), 0);
    std::fill(summary_.begin(), summary_.end(), 0);
  }

 private:
  std::vector<Word> words_, summary_;
};

template <int P>
class EffectFixpoint {
 public:
  struct Scratch {
    OrderedBits waiting;  // effects that may fit
    std::vector<std::uint32_t> marked;
  };
  struct FirstEndlessMove {
    OperatorId op;
    State<P> before;
  };

  FEWEST_COLD explicit EffectFixpoint(const Compiler& compiler) {
    const Problem& problem = compiler.problem();
    const ConditionalEffects& conditional_effects = problem.conditional_effects;
    if (conditional_effects.count == 0) return;
    assigner_ = ParallelAssignment<P>(compiler);
    if (!assigner_.empty()) return;
    noted_ = std::make_shared<FirstFound>();
    by_true_.resize(problem.num_facts);
    by_false_.resize(problem.num_facts);
    std::uint32_t first_of_place = 0;
    for (std::size_t i = 0; i < conditional_effects.count; ++i) {
      FEWEST_ASSERT(i == 0 || conditional_effects.place[i - 1] <= conditional_effects.place[i], "effects are in the order of places");
      FEWEST_ASSERT(i == 0 || conditional_effects.stage[i - 1] <= conditional_effects.stage[i],
                    "effects are in the order of stages");
      FEWEST_ASSERT(static_cast<std::size_t>(conditional_effects.stage[i]) < conditional_effects.everywhere.size(),
                    "every stage is described");
      if (i == 0 || conditional_effects.place[i] != conditional_effects.place[i - 1]) first_of_place = size();
      while (stages_.size() <= static_cast<std::size_t>(conditional_effects.stage[i]))
        stages_.push_back({size(), size(), conditional_effects.everywhere[stages_.size()] != 0});
      if (append(compiler, i))
        for (std::uint32_t e = first_of_place; e < size(); ++e) effects_[e].end_of_place = size();
      stages_.back().end = size();
    }
    for (std::size_t op = 0; op < problem.operators.count; ++op)
      changes_.push_back(change_of(problem.words, problem.operators.value + op * problem.words,
                                   problem.flip + op * problem.words, nullptr));
  }

  bool empty() const { return effects_.empty() && assigner_.empty(); }
  // A move that would never end, if one was found. Copies of the object share this result.
  std::optional<FirstEndlessMove> endless() const {
    if (noted_ == nullptr) return std::nullopt;
    const std::scoped_lock lock(noted_->mutex);
    return noted_->first;
  }
  Scratch scratch() const { return {OrderedBits(effects_.size() + 1), {}}; }

  // Applies the effects to the state `s` after an operator; `before` is the state before the operator. Returns false if
  // the effects never end.
  bool apply(const State<P>& before, State<P>& s, OperatorId op, Scratch& scratch) const {
    if (!assigner_.empty()) {
      assigner_.assign(op, s);
      return true;
    }
    OrderedBits& waiting = scratch.waiting;
    FEWEST_ASSERT(op >= 0 && static_cast<std::size_t>(op) < changes_.size(), "the operator is one of the table");
    FEWEST_ASSERT_SAMPLED(waiting.empty(), "no effect is waiting before an operator");
    FEWEST_ASSERT_SAMPLED(is_at_rest(before), "an operator is applied to a state at rest");
    wake(changes_[op], waiting);
    State<P> known = s;
    for (std::uint64_t sweeps = 0, next = 1; sweep(s, scratch);) {
      if (s == known) {
        waiting.clear();
        note({op, before});
        return false;
      }
      if (++sweeps < next) continue;
      known = s;
      next *= 2;
    }
    FEWEST_ASSERT_SAMPLED(waiting.empty(), "no effect is waiting at the end");
    FEWEST_ASSERT_SAMPLED(is_at_rest(s), "no effect fits in the result");
    return true;
  }

 private:
  bool is_at_rest(const State<P>& s) const {
    for (std::uint32_t e = 0; e < size(); ++e)
      if (fits_.holds(e, s)) return false;
    return true;
  }

  struct Effect {
    State<P> keep, flip;
    std::uint32_t end_of_place;
  };
  struct Stage {
    std::uint32_t begin, end;
    bool is_everywhere;
  };
  struct Change {
    std::vector<FactId> become_true, become_false;
  };

  struct FirstFound {
    std::mutex mutex;
    std::optional<FirstEndlessMove> first;
  };

  FEWEST_COLD void note(const FirstEndlessMove& found) const {
    const std::scoped_lock lock(noted_->mutex);
    if (!noted_->first) noted_->first = found;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(effects_.size()); }

  // Adds an effect. Returns false, and adds nothing, if the effect can never apply.
  FEWEST_COLD bool append(const Compiler& compiler, std::size_t i) {
    const Problem& problem = compiler.problem();
    const ConditionalEffects& conditional_effects = problem.conditional_effects;
    const Layout& layout = compiler.layout();
    const std::size_t at = i * problem.words;
    const Word *mask = conditional_effects.mask + at, *value = conditional_effects.value + at;
    const bool is_marked = conditional_effects.everywhere[conditional_effects.stage[i]];
    const Word* held = is_marked ? conditional_effects.need_value + at : value;
    const CompiledCube fits = compiler.compile(mask, value, kNoFact, false);
    const CompiledCube needs =
        compiler.compile(conditional_effects.need_mask + at, conditional_effects.need_value + at, kNoFact, false);
    if (!fits.is_possible || !needs.is_possible) return false;
    fits_.add(fits);
    needs_.add(needs);
    FactSet keep(layout.words(), ~Word{0});
    for_each_fact(conditional_effects.clear + at, problem.words, [&](FactId fact) {
      keep[layout.of(fact).word] &= ~layout.of(fact).mask;
    });
    const FactSet flip = layout.pack_flip(conditional_effects.flip + at);
    const std::uint32_t number = size();
    effects_.push_back({state_from<P>(keep.data(), keep.size()),
                        state_from<P>(flip.data(), flip.size()), number + 1});
    effect_changes_.push_back(
        change_of(problem.words, held, conditional_effects.flip + at, conditional_effects.clear + at));
    for_each_fact(mask, problem.words, [&](FactId fact) {
      (has(value, fact) ? by_true_ : by_false_)[fact].push_back(number);
    });
    return true;
  }

  FEWEST_COLD static Change change_of(int words, const Word* held, const Word* flip, const Word* clear) {
    Change change;
    for_each_fact(flip, words, [&](FactId fact) {
      const bool becomes_false = has(held, fact) && (clear == nullptr || !has(clear, fact));
      (becomes_false ? change.become_false : change.become_true).push_back(fact);
    });
    if (clear != nullptr)
      for_each_fact(clear, words, [&](FactId fact) { change.become_false.push_back(fact); });
    return change;
  }

  void wake(const Change& change, OrderedBits& waiting) const {
    for (FactId fact : change.become_true)
      for (std::uint32_t e : by_true_[fact]) waiting.insert(e);
    for (FactId fact : change.become_false)
      for (std::uint32_t e : by_false_[fact]) waiting.insert(e);
  }

  void apply(std::uint32_t e, State<P>& s, OrderedBits& waiting) const {
    const Effect& effect = effects_[e];
    FEWEST_UNROLL
    for (int i = 0; i < P; ++i) s.w[i] = (s.w[i] & effect.keep.w[i]) ^ effect.flip.w[i];
    wake(effect_changes_[e], waiting);
  }

  // Sweeps the first stage in which some effect fits. Returns false if no effect fits.
  bool sweep(State<P>& s, Scratch& scratch) const {
    for (std::uint32_t e = scratch.waiting.next(0); e < size(); e = scratch.waiting.next(e)) {
      const Stage& stage = stage_of(e);
      const bool has_changed =
          stage.is_everywhere ? at_once(stage, s, scratch) : one_by_one(stage, s, scratch);
      if (has_changed) return true;
      e = stage.end;
    }
    return false;
  }

  const Stage& stage_of(std::uint32_t e) const {
    FEWEST_ASSERT(e < size(), "the effect is one of the table");
    std::size_t i = 0;
    while (stages_[i].end <= e) ++i;
    return stages_[i];
  }

  bool one_by_one(const Stage& stage, State<P>& s, Scratch& scratch) const {
    OrderedBits& waiting = scratch.waiting;
    bool has_changed = false;
    for (std::uint32_t e = waiting.next(stage.begin); e < stage.end;) {
      if (fits_.holds(e, s)) {
        apply(e, s, waiting);
        has_changed = true;
        e = waiting.next(effects_[e].end_of_place);
      } else {
        waiting.erase(e);
        e = waiting.next(e + 1);
      }
    }
    return has_changed;
  }

  bool at_once(const Stage& stage, State<P>& s, Scratch& scratch) const {
    OrderedBits& waiting = scratch.waiting;
    scratch.marked.clear();
    for (std::uint32_t e = waiting.next(stage.begin); e < stage.end; e = waiting.next(e + 1)) {
      if (fits_.holds(e, s))
        scratch.marked.push_back(e);
      else
        waiting.erase(e);
    }
    for (std::uint32_t e : scratch.marked)
      if (needs_.holds(e, s)) apply(e, s, waiting);
    return !scratch.marked.empty();
  }

  ParallelAssignment<P> assigner_;  // used if all effects are parallel assignments
  std::shared_ptr<FirstFound> noted_;
  CubeList<P> fits_, needs_;
  std::vector<Effect> effects_;
  std::vector<Stage> stages_;
  std::vector<Change> changes_, effect_changes_;        // the changes of each operator, and of each effect
  // For each fact: the effects that require it to be true, and the effects that require it to be false.
  std::vector<std::vector<std::uint32_t>> by_true_, by_false_;
};

// The endless move, in the form that an outcome stores.
template <int P>
std::optional<EndlessMove> endless_of(const EffectFixpoint<P>& fixpoint, const Layout& layout) {
  const auto first = fixpoint.endless();
  if (!first) return std::nullopt;
  return EndlessMove{first->op, layout.unpack(first->before.w)};
}

}  // namespace fewest
