// Definitions of width.hpp; each blind/widths_*.cpp instantiates them for one or two widths.
#pragma once

#include "blind/bidirectional_impl.hpp"
#include "blind/breadth_first.hpp"
#include "blind/dijkstra.hpp"
#include "blind/goal_distances.hpp"
#include "blind/abstraction_astar.hpp"
#include "blind/width.hpp"
#include "expand/expanders_impl.hpp"
#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"

namespace fewest {

template <int P>
FEWEST_COLD std::unique_ptr<LayeredSearch> search_width(const Compiler& compiler, const CostTable& costs, const Options& options,
                                            const Symmetry* symmetry) {
  const FactSet packed = compiler.layout().pack(compiler.problem().initial);
  const State<P> initial = state_from<P>(packed.data(), packed.size());
  if (has_equal_weights(compiler.problem(), costs)) {
    auto expander = equal_cost_expander<P>(compiler, costs, symmetry);
    return std::make_unique<BreadthFirst<P, Plain<P>>>(std::move(expander), initial, options);
  }
  if (auto expander = region_expander<P>(compiler, costs, symmetry))
    return std::make_unique<BreadthFirst<P, RegionSize>>(std::move(expander), initial, options);
  if (symmetry != nullptr) throw UnusedSymmetry();
  require_flips(compiler.problem(), "Dijkstra's algorithm");
  return std::make_unique<Dijkstra<P>>(compiler, costs, initial, options);
}

template <int P>
FEWEST_COLD GoalDistanceResult measure_width(const Compiler& forward, const CostTable& costs, const Compiler& backward,
                           const CostTable& reversed, bool counts_plans, bool lists_states,
                           const Options& options) {
  const FactSet packed = forward.layout().pack(forward.problem().initial);
  const auto moves = equal_cost_expander<P>(forward, costs);
  const auto back = equal_cost_expander<P>(backward, reversed);
  return GoalDistances<P>(forward, costs, *moves, *back, options)
      .run(state_from<P>(packed.data(), packed.size()), counts_plans, lists_states);
}

template <int P>
FEWEST_COLD GuidedOutcome guided_width(const Compiler& compiler, const CostTable& costs,
                           const std::vector<Abstraction>& abstractions, const Options& options) {
  const FactSet packed = compiler.layout().pack(compiler.problem().initial);
  const auto moves = equal_cost_expander<P>(compiler, costs);
  return AbstractionAstar<P>(compiler, *moves, options)
      .run(state_from<P>(packed.data(), packed.size()), abstractions);
}

template <int P>
class WidthStateSet final : public StateSet {
 public:
  explicit WidthStateSet(int words) : words_(words), table_(budget_) {}

  bool insert(const Word* states, std::size_t count, bool* is_new) override {
    // The first insertion makes room for all its rows, so the table need not grow several times. If there is too little
    // memory for this, the rows may still fit, because some of them may be equal.
    if (table_.size() == 0) static_cast<void>(table_.reserve(count));
    return in_batches(states, count, [&](std::size_t at, const State<P>* s, const Word* h,
                                         std::size_t size) {
      if (!table_.reserve(size)) return false;
      prefetch(h, size);
      for (std::size_t i = 0; i < size; ++i) is_new[at + i] = table_.insert(s[i], h[i]).is_new;
      return true;
    });
  }

  void contains(const Word* states, std::size_t count, bool* is_in) const override {
    in_batches(states, count, [&](std::size_t at, const State<P>* s, const Word* h,
                                  std::size_t size) {
      if (table_.size() > 0) prefetch(h, size);
      for (std::size_t i = 0; i < size; ++i) is_in[at + i] = table_.find(s[i]) != kNoState;
      return true;
    });
  }

  void find(const Word* states, std::size_t count, std::int64_t* places) const override {
    in_batches(states, count, [&](std::size_t at, const State<P>* s, const Word* h,
                                  std::size_t size) {
      if (table_.size() == 0) {
        std::fill_n(places + at, size, -1);
        return true;
      }
      prefetch(h, size);
      std::size_t slots[kBatch];
      for (std::size_t i = 0; i < size; ++i) slots[i] = table_.approach(h[i]);
      for (std::size_t i = 0; i < size; ++i) {
        const StateId found = table_.find(s[i], h[i], slots[i]);
        places[at + i] = found == kNoState ? -1 : static_cast<std::int64_t>(found);
      }
      return true;
    });
  }

  std::size_t size() const override { return table_.size(); }
  const StateTable<P>& table() const { return table_; }

  void copy_to(Word* states) const override {
    for (std::size_t i = 0; i < table_.size(); ++i)
      std::copy_n(table_[i].w, words_, states + i * words_);
  }

 private:
  static constexpr std::size_t kBatch = 64;

  void prefetch(const Word* h, std::size_t size) const {
    for (std::size_t i = 0; i < size; ++i) table_.prefetch(h[i]);
  }

  template <class Visit>
  bool in_batches(const Word* states, std::size_t count, Visit visit) const {
    State<P> s[kBatch];
    Word h[kBatch];
    for (std::size_t at = 0; at < count; at += kBatch) {
      const std::size_t size = std::min(kBatch, count - at);
      for (std::size_t i = 0; i < size; ++i) {
        s[i] = state_from<P>(states + (at + i) * words_, words_);
        h[i] = hash(s[i]);
      }
      if (!visit(at, s, h, size)) return false;
    }
    return true;
  }

  int words_;
  Budget budget_;
  StateTable<P> table_;
};

// The states need not be reachable, so the layout must not rely on groups of facts.
template <int P>
class WidthExpander final : public BatchExpander {
 public:
  FEWEST_COLD explicit WidthExpander(const Problem& problem)
      : words_(problem.words),
        problem_(without_groups(problem)),
        invariants_(problem_),
        layout_(problem_, invariants_, false),
        compiler_(problem_, invariants_, layout_),
        generator_(compiler_, Direction::forward),
        fixpoint_(compiler_),
        forbidden_(compiler_, problem_.forbidden) {
    if (problem_.num_permutations > 0) permutations_.emplace(compiler_, Direction::forward);
  }

  FEWEST_COLD ~WidthExpander() override = default;

  void expand(const Word* states, std::size_t count, std::vector<Word>& successors,
              std::vector<std::int64_t>& parents,
              std::vector<OperatorId>& operators) const override {
    visit(states, count, [&](std::size_t row, const State<P>& successor, OperatorId op) {
      successors.insert(successors.end(), successor.w, successor.w + words_);
      parents.push_back(static_cast<std::int64_t>(row));
      operators.push_back(op);
    });
  }

  void find_successors(const StateSet& set, const Word* states, std::size_t count, std::int64_t* counts,
                       std::vector<std::int32_t>& places, std::vector<OperatorId>& operators) const override {
    FEWEST_ASSERT(dynamic_cast<const WidthStateSet<P>*>(&set) != nullptr, "the set has states of this width");
    const StateTable<P>& table = static_cast<const WidthStateSet<P>&>(set).table();
    std::fill_n(counts, count, 0);
    constexpr std::size_t kBatch = 64;
    State<P> waiting[kBatch];
    Word hashes[kBatch];
    std::size_t slots[kBatch], size = 0;
    const auto look_up = [&] {
      for (std::size_t i = 0; i < size; ++i) slots[i] = table.approach(hashes[i]);
      for (std::size_t i = 0; i < size; ++i) {
        const StateId found = table.find(waiting[i], hashes[i], slots[i]);
        places.push_back(found == kNoState ? -1 : static_cast<std::int32_t>(found));
      }
      size = 0;
    };
    visit(states, count, [&](std::size_t row, const State<P>& successor, OperatorId op) {
      ++counts[row];
      operators.push_back(op);
      if (table.size() == 0) {
        places.push_back(-1);
        return;
      }
      waiting[size] = successor;
      hashes[size] = hash(successor);
      table.prefetch(hashes[size]);
      if (++size == kBatch) look_up();
    });
    look_up();
  }

 private:
  // Calls add_to(row, successor, operator) for every successor, row by row.
  template <class Add>
  void visit(const Word* states, std::size_t count, Add add_to) const {
    Scratch scratch = generator_.scratch();
    auto intermediate = fixpoint_.scratch();
    std::vector<State<P>> turned;
    for (std::size_t row = 0; row < count; ++row) {
      const auto add = [&](const State<P>& successor, OperatorId op) {
        if (!forbidden_.contain(successor)) add_to(row, successor, op);
      };
      const auto s = state_from<P>(states + row * words_, words_);
      for (std::uint32_t i : generator_.applicable(s, scratch)) {
        State<P> successor = s ^ generator_.table().flip(i);
        if (!fixpoint_.empty()) {
          const bool is_at_rest = fixpoint_.apply(s, successor, generator_.table().id(i), intermediate);
          if (!is_at_rest || successor == s) continue;
        }
        add(successor, generator_.table().id(i));
      }
      if (!permutations_) continue;
      const auto images = permutations_->of(s, turned);
      for (std::size_t p = 0; p < images.size(); ++p)
        if (!(images[p] == s)) add(images[p], permutations_->id(p));
    }
  }

  static Problem without_groups(Problem problem) {
    problem.exactly_one.clear();
    problem.at_most_one.clear();
    return problem;
  }

  int words_;
  Problem problem_;
  Invariants invariants_;
  Layout layout_;
  Compiler compiler_;
  Generator<P> generator_;
  EffectFixpoint<P> fixpoint_;
  CubeList<P> forbidden_;
  std::optional<PermutationImages<P>> permutations_;
};

template <int P>
std::unique_ptr<BatchExpander> make_expander(const Problem& problem) {
  return std::make_unique<WidthExpander<P>>(problem);
}

template <int P>
std::unique_ptr<StateSet> make_state_set(int words) {
  return std::make_unique<WidthStateSet<P>>(words);
}

}  // namespace fewest

// Instantiates the code of this folder and of expand/ that is compiled once per width; each blind/widths_*.cpp uses it
// for its widths.
#define FEWEST_COMPILE_WIDTH(P)                                                                     \
  namespace fewest {                                                                                \
  template std::unique_ptr<Expander<P, Plain<P>>> equal_cost_expander<P>(                           \
      const Compiler&, const CostTable&, const Symmetry*);                                          \
  template std::unique_ptr<Expander<P, RegionSize>> region_expander<P>(                             \
      const Compiler&, const CostTable&, const Symmetry*);                                          \
  template std::unique_ptr<Expander<P, Plain<P>>> layered_expander<P>(                               \
      const Compiler&, const CostTable&, const Symmetry*);                                          \
  template std::unique_ptr<LayeredSearch> search_width<P>(const Compiler&, const CostTable&,        \
                                                          const Options&, const Symmetry*);         \
  template std::unique_ptr<SteppedSearch<Meeting>> bidirectional_width<P>(const Compiler&, const CostTable&, const Compiler&,       \
                                          const CostTable&, const Word*, std::size_t,               \
                                          const Options&);                                          \
  template GoalDistanceResult measure_width<P>(const Compiler&, const CostTable&, const Compiler&,        \
                                         const CostTable&, bool, bool, const Options&);                   \
  template GuidedOutcome guided_width<P>(const Compiler&, const CostTable&,                         \
                                         const std::vector<Abstraction>&, const Options&);          \
  template std::unique_ptr<BatchExpander> make_expander<P>(const Problem&);                         \
  template std::unique_ptr<StateSet> make_state_set<P>(int);                                        \
  }
