#include "blind/search.hpp"

#include <atomic>
#include <functional>
#include <stdexcept>

#include "expand/expanders.hpp"
#include "expand/literal.hpp"
#include "state/compiler.hpp"
#include "state/costs.hpp"
#include "state/widths.hpp"

namespace fewest {

namespace {

// Whether the plan in an outcome is valid and has the cost that the outcome states. In searches by layers, the cost is
// the number of units.
[[maybe_unused]] bool has_right_plan(const Problem& problem, const CostTable& costs, const Outcome& outcome,
                                     const Symmetry* symmetry) {
  if (!outcome.cost) return outcome.plan.empty();
  const bool is_in_layers = std::string_view(outcome.algorithm) != "dijkstra";
  const PackedCost unit = is_in_layers ? literal::unit(problem, costs) : 1;
  return literal::is_plan(problem, costs, outcome.plan, *outcome.cost * unit, symmetry);
}

// Whether each entry of a plan is a successor of the previous one, and the last entry is a goal state. The check
// applies only if entries are states.
[[maybe_unused]] bool are_right_waypoints(const Problem& problem, const CostTable& costs, const Meeting& meeting,
                                          const Word* goals, std::size_t num_goals) {
  if (!meeting.cost || !has_equal_weights(problem, costs) || !meeting.plan.empty() || !meeting.backward_plan.empty())
    return true;
  const auto words = static_cast<std::size_t>(problem.words);
  if (meeting.waypoints.size() != *meeting.cost * words) return false;
  FactSet s(problem.initial, problem.initial + words);
  for (std::size_t at = 0; at < meeting.waypoints.size(); at += words) {
    const FactSet next(meeting.waypoints.begin() + static_cast<std::ptrdiff_t>(at),
                       meeting.waypoints.begin() + static_cast<std::ptrdiff_t>(at + words));
    if (literal::successors(problem, &costs, s).count(next) == 0) return false;
    s = next;
  }
  for (std::size_t i = 0; i < num_goals; ++i)
    if (std::equal(s.begin(), s.end(), goals + i * words)) return true;
  return false;
}

// The data to which a search refers. The data live exactly as long as the search.
struct Compiled {
  Compiled(const Problem& problem, const Problem* reversed)
      : invariants(problem), layout(problem, invariants), forward(problem, invariants, layout) {
    if (rounded_width(layout.words()) == 0)
      throw std::invalid_argument("a packed state has too many words");
    if (reversed != nullptr) backward.emplace(*reversed, invariants, layout);
  }

  Invariants invariants;
  Layout layout;
  Compiler forward;
  std::optional<Compiler> backward;
};

template <class Found>
class OwningSearch final : public SteppedSearch<Found> {
 public:
  using IsRight = std::function<bool(const Found&)>;
  OwningSearch(std::unique_ptr<Compiled> compiled, std::unique_ptr<SteppedSearch<Found>> search, IsRight is_right)
      : compiled_(std::move(compiled)), search_(std::move(search)), is_right_(std::move(is_right)) {}

  // If the host throws an exception, the search cannot be continued: every later call of `advance` returns
  // Status::interrupted.
  Status advance(const TimeSlice& slice) override {
    const Guard guard(is_busy_);
    if (is_broken_) return Status::interrupted;
    is_broken_ = true;
    const Status status = search_->advance(slice);
    is_broken_ = false;
    return status;
  }
  PackedCost bound() const override { return alone([this] { return search_->bound(); }); }
  std::uint64_t num_expanded() const override { return alone([this] { return search_->num_expanded(); }); }
  std::size_t bytes() const override { return alone([this] { return search_->bytes(); }); }
  std::size_t num_layers() const override { return alone([this] { return search_->num_layers(); }); }
  std::size_t release_slots() override { return alone([this] { return search_->release_slots(); }); }
  void hand_over(LayerSink& sink) const override { alone([&] { search_->hand_over(sink); }); }
  Found outcome() override {
    return alone([this] {
      Found found = search_->outcome();
      FEWEST_ASSERT(is_broken_ || is_right_(found), "a plan leads to a goal state at the cost in the outcome");
      return found;
    });
  }

 private:
  // Throws std::logic_error if a host or another thread calls a function of the search while another call is active.
  class Guard {
   public:
    explicit Guard(std::atomic<bool>& is_busy) : is_busy_(is_busy) {
      if (is_busy_.exchange(true)) throw std::logic_error("a search can have only one caller at a time");
    }
    ~Guard() { is_busy_ = false; }

   private:
    std::atomic<bool>& is_busy_;
  };
  template <class F>
  auto alone(F f) const {
    const Guard guard(is_busy_);
    return f();
  }

  mutable std::atomic<bool> is_busy_ = false;
  bool is_broken_ = false;
  std::unique_ptr<Compiled> compiled_;
  std::unique_ptr<SteppedSearch<Found>> search_;
  IsRight is_right_;
};

}  // namespace

std::unique_ptr<LayeredSearch> make_search(const Problem& problem, const CostTable& costs, const Options& options,
                                           const Symmetry* symmetry) {
  if (problem.num_permutations > 0 && (symmetry != nullptr || !has_equal_weights(problem, costs)))
    throw std::invalid_argument("permutations require operators that all cost the same, and exclude symmetry");
  auto compiled = std::make_unique<Compiled>(problem, nullptr);
  auto search = with_width(
      compiled->layout.words(),
      [&]<int P>() { return search_width<P>(compiled->forward, costs, options, symmetry); },
      std::unique_ptr<LayeredSearch>{});
  const auto is_right = [&problem, &costs, symmetry](const Outcome& outcome) {
    return has_right_plan(problem, costs, outcome, symmetry);
  };
  return std::make_unique<OwningSearch<Outcome>>(std::move(compiled), std::move(search), is_right);
}

Outcome search(const Problem& problem, const CostTable& costs, const Options& options, const Symmetry* symmetry) {
  return run(*make_search(problem, costs, options, symmetry), options);
}

std::unique_ptr<SteppedSearch<Meeting>> make_bidirectional(const Problem& problem, const CostTable& costs,
                                                           const Problem& reversed, const CostTable& reversed_costs,
                                                           const Word* goals, std::size_t num_goals,
                                                           const Options& options) {
  require_operators(problem, "a bidirectional search");
  auto compiled = std::make_unique<Compiled>(problem, &reversed);
  auto search = with_width(
      compiled->layout.words(),
      [&]<int P>() {
        return bidirectional_width<P>(compiled->forward, costs, *compiled->backward, reversed_costs, goals, num_goals,
                                      options);
      },
      std::unique_ptr<SteppedSearch<Meeting>>{});
  const auto words = static_cast<std::size_t>(problem.words);
  const auto is_right = [&problem, &costs, ends = std::vector<Word>(goals, goals + num_goals * words),
                         num_goals](const Meeting& meeting) {
    return are_right_waypoints(problem, costs, meeting, ends.data(), num_goals);
  };
  return std::make_unique<OwningSearch<Meeting>>(std::move(compiled), std::move(search), is_right);
}

Meeting bidirectional(const Problem& problem, const CostTable& costs, const Problem& reversed,
                      const CostTable& reversed_costs, const Word* goals, std::size_t num_goals,
                      const Options& options) {
  return run(*make_bidirectional(problem, costs, reversed, reversed_costs, goals, num_goals, options), options);
}

std::optional<GoalDistanceResult> measure(const Problem& problem, const CostTable& costs,
                                    const Problem& reversed, const CostTable& reversed_costs,
                                    bool counts_plans, bool lists_states, const Options& options) {
  require_whole_moves(problem, "the computation of goal distances");
  if (!has_equal_weights(problem, costs)) return std::nullopt;
  FEWEST_ASSERT(reversed.num_permutations == problem.num_permutations, "each permutation has an inverse");
  if (problem.num_permutations > 0 && has_run_keys(problem, costs)) return std::nullopt;
  if (has_runs(problem, costs) && !are_runs_tied(reversed, reversed_costs)) return std::nullopt;
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  if (rounded_width(layout.words()) == 0)
    throw std::invalid_argument("a packed state has too many words");
  const Compiler forward(problem, invariants, layout), backward(reversed, invariants, layout);
  return with_width(
      layout.words(),
      [&]<int P>() {
        return measure_width<P>(forward, costs, backward, reversed_costs, counts_plans, lists_states, options);
      },
      GoalDistanceResult{});
}

std::optional<GuidedOutcome> guided(const Problem& problem, const CostTable& costs,
                                    std::vector<Abstraction> abstractions, const Options& options) {
  require_operators(problem, "a search with abstractions");
  if (!has_equal_weights(problem, costs)) return std::nullopt;
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  int words = layout.words();
  std::erase_if(abstractions, [&](const Abstraction& one) {
    const int needed = packed_words(*one.problem);
    const bool is_odd = !has_equal_weights(*one.problem, *one.costs) || rounded_width(needed) == 0 ||
                        (has_runs(*one.problem, *one.costs) && !are_runs_tied(*one.reversed, *one.reversed_costs));
    if (!is_odd) words = std::max(words, needed);
    return is_odd;
  });
  if (abstractions.empty()) return std::nullopt;
  if (rounded_width(words) == 0) throw std::invalid_argument("a packed state has too many words");
  const Compiler compiler(problem, invariants, layout);
  GuidedOutcome outcome = with_width(
      words, [&]<int P>() { return guided_width<P>(compiler, costs, abstractions, options); }, GuidedOutcome{});
  FEWEST_ASSERT(has_right_plan(problem, costs, outcome, nullptr),
                "a plan leads to a goal state at the cost in the outcome");
  return outcome;
}

bool is_layered(const Problem& problem, const CostTable& costs) {
  if (has_equal_weights(problem, costs)) return true;
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  return agent_group(Compiler(problem, invariants, layout), costs) >= 0;
}

int packed_words(const Problem& problem) { return Layout(problem, Invariants(problem)).words(); }

std::unique_ptr<BatchExpander> make_expander(const Problem& problem) {
  return with_width(
      problem.words, [&]<int P>() { return make_expander<P>(problem); }, std::unique_ptr<BatchExpander>{});
}

std::unique_ptr<StateSet> make_state_set(int words) {
  return with_width(
      words, [&]<int P>() { return make_state_set<P>(words); }, std::unique_ptr<StateSet>{});
}

}  // namespace fewest
