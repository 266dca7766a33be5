#include "informed/astar.hpp"

#include "informed/astar_search.hpp"
#include "state/costs.hpp"
#include "informed/ida_star.hpp"

namespace fewest {

namespace {

constexpr std::uint64_t kForEver = ~std::uint64_t{0};
constexpr std::uint64_t kBeforeChoice = 1000;  // expansions; whatever is solved by then needs no patterns
constexpr std::uint64_t kEntriesPerExpansion = 16;

class Informed {
 public:
  Informed(const Problem& problem, const PieceProblem& prepared, const Hints& hints,
           const Options& options, const InformedOptions& informed, Control& control)
      : prepared_(prepared),
        hints_(hints),
        options_(options),
        informed_(informed),
        control_(control),
        patterns_(*prepared.pieces, problem, prepared.num_components, options.memory) {}

  template <int P, int Q>
  AStarOutcome run() {
    AStarOutcome found = informed_.is_deepening ? search<IdaStar<P, Q>>() : search<AStar<P, Q>>();
    if (found.status == Status::memory) {
      const AStarOutcome before = std::move(found);
      found = IdaStar<P, Q>(prepared_, hints_, options_).run(control_, kForEver, before);
      found.initial_bound = before.initial_bound;
    }
    if (!is_built_) return found;
    for (const auto& groups : patterns_.groups()) {
      found.patterns.emplace_back();
      for (int g : groups)
        found.patterns.back().push_back(prepared_.pieces->spots[prepared_.pieces->groups[g].spots[0]]);
    }
    found.pattern_entries = patterns_.num_entries();
    found.pattern_bytes = patterns_.bytes();
    found.bytes += patterns_.bytes();
    return found;
  }

 private:
  // Tables are built when the search without them has taken about as long as that will take: so they cost
  // at most twice what is needed, and nothing where a task is easy.
  template <class Search>
  AStarOutcome search() {
    const AStarOutcome nothing;
    const bool is_forced = informed_.patterns == InformedOptions::always;
    auto plain = std::make_unique<Search>(prepared_, hints_, options_);
    if (prepared_.pieces->has_agent() || informed_.patterns == InformedOptions::never)
      return plain->run(control_, kForEver, nothing);
    AStarOutcome outcome = plain->run(control_, is_forced ? 0 : kBeforeChoice, nothing);
    if (outcome.status != Status::running) return outcome;
    outcome.status = patterns_.choose(control_);
    if (outcome.status != Status::running) return outcome;
    if (!(is_forced ? patterns_.exist() : patterns_.pay()))
      return plain->run(control_, kForEver, nothing);
    if (!is_forced)
      outcome = plain->run(control_, patterns_.num_entries() / kEntriesPerExpansion, nothing);
    if (outcome.status != Status::running) return outcome;
    plain.reset();
    outcome.status = patterns_.build(control_);
    if (outcome.status != Status::running) return outcome;
    is_built_ = true;
    prepared_.bound->use(patterns_);
    options_.memory -= patterns_.bytes();
    return Search(prepared_, hints_, options_).run(control_, kForEver, outcome);
  }

  const PieceProblem& prepared_;
  const Hints& hints_;
  Options options_;
  InformedOptions informed_;
  Control& control_;
  Patterns patterns_;
  bool is_built_ = false;
};

}  // namespace

AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options, const InformedOptions& informed) {
  if (has_runs(problem, costs)) throw std::invalid_argument("A* takes no metric that merges moves");
  Control control(options);
  const PieceProblem prepared(problem, costs, hints);
  Informed search(problem, prepared, hints, options, informed, control);
  return with_widths(prepared, [&]<int P, int Q>() { return search.run<P, Q>(); });
}

}  // namespace fewest
