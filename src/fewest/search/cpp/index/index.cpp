#include "index/index.hpp"

#include "expand/literal.hpp"
#include "index/index_search.hpp"
#include "index/part_search.hpp"
#include "state/costs.hpp"

namespace fewest {

namespace {

// Calls f.operator()<P, Q>(), where a state has P words and a code has Q words. Throws std::invalid_argument if a
// packed state has more than four words: such state spaces are too large to be numbered.
template <class F>
auto with_widths(int words, const Numbering& numbering, F f) {
  if (words <= 1 && has_short_codes(numbering)) return f.template operator()<1, 1>();
#ifdef FEWEST_FEW_WIDTHS
  if (words <= 4) return f.template operator()<kMaxWords, kMaxCodeWords>();
#else
  if (words <= 4) return f.template operator()<4, kMaxCodeWords>();
#endif
  throw std::invalid_argument("a packed state has too many words");
}

// The minimum and the maximum size in bytes of each thread's cache of lists. If the cache is smaller than the minimum,
// lists may have to be computed repeatedly.
constexpr std::size_t kLeastLists = std::size_t{1} << 23, kMostLists = std::size_t{1} << 26;

// It takes about one microsecond to process a state, and about a hundred microseconds to wake a thread.
constexpr std::size_t kStatesPerThread = std::size_t{1} << 10;

// Chooses the number of threads of a search and the size of their caches of lists. The caches must fit into the memory
// limit, together with the marks and `bytes` further bytes.
Team team_for(const Options& limits, Number size, std::size_t bytes) {
  const std::size_t taken = bytes + size / 4, left = limits.memory - std::min(limits.memory, taken);
  const std::size_t most = std::clamp<std::size_t>(left / (2 * kLeastLists), 1, std::max<std::size_t>(limits.threads, 1));
  return {.most = most,
          .states_per_thread = std::min(limits.states_per_thread, kStatesPerThread),
          .list_bytes = std::clamp(left / (4 * most), kLeastLists, kMostLists)};
}

void require_equal_moves(const Problem& problem, const CostTable& costs) {
  if (!has_equal_weights(problem, costs))
    throw std::invalid_argument("a search in an index needs moves that all cost the same");
  require_operators(problem, "a search in an index");
}

void require_parts(const PartOptions& options, Number size) {
  const auto is_end = [size](Number end) { return end == size || end % MarkPlanes::kBlock == 0; };
  if (options.part >= options.ends.size() || options.ends.back() != size ||
      !std::is_sorted(options.ends.begin(), options.ends.end()) ||
      !std::all_of(options.ends.begin(), options.ends.end(), is_end))
    throw std::invalid_argument("the parts of an index are ascending ranges of whole blocks");
}

}  // namespace

IndexOutcome search_index(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                          const Numbering& levels, const IndexOptions& options) {
  require_equal_moves(problem, costs);
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  const Compiler compiler(problem, invariants, layout);
  return with_widths(layout.words(), numbering, [&]<int P, int Q>() {
    const Numbers<P, Q> numbers(layout, numbering);
    const FactSet packed = layout.pack(problem.initial);
    const State<P> initial = state_from<P>(packed.data(), packed.size());
    const Team team = team_for(options.limits, numbering.size, numbers.bytes());
    LayerImages<P, Q> movers(compiler, costs, numbers, levels, team);
    const char* name =
        has_runs(problem, costs) ? "bfs over runs in an index" : "bfs in an index";
    IndexOutcome outcome = IndexSearch<P, Q>(compiler, numbers, movers, options, name).run(initial);
    FEWEST_ASSERT(outcome.plan.empty() || literal::is_plan(problem, costs, outcome.plan,
                                                           *outcome.cost * literal::unit(problem, costs)),
                  "a plan leads to a goal state at the cost in the outcome");
    return outcome;
  });
}

std::unique_ptr<IndexPart> make_part(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                                     const Numbering& levels, const PartOptions& options) {
  require_equal_moves(problem, costs);
  require_parts(options, numbering.size);
  const int words = Layout(problem, Invariants(problem)).words();
  return with_widths(words, numbering, [&]<int P, int Q>() -> std::unique_ptr<IndexPart> {
    const Number begin = options.part == 0 ? 0 : options.ends[options.part - 1];
    Options limits;
    limits.memory = options.memory;
    limits.threads = options.threads;
    limits.states_per_thread = options.states_per_thread;
    const std::size_t fixed = Outbox::most_bytes(options.threads, options.outbox);
    const Team team = team_for(limits, options.ends[options.part] - begin, fixed);
    return std::make_unique<PartSearch<P, Q>>(problem, costs, numbering, levels, options, team);
  });
}

FactSet unrank(const Problem& problem, const Numbering& numbering, Number number) {
  const Layout layout(problem, Invariants(problem));
  return with_widths(layout.words(), numbering, [&]<int P, int Q>() {
    const Numbers<P, Q> numbers(layout, numbering);
    Cursor<P, Q> cursor(numbers);
    cursor.seek(number);
    return layout.unpack(cursor.state().w);
  });
}

Number rank(const Problem& problem, const Numbering& numbering, const Word* state) {
  const Layout layout(problem, Invariants(problem));
  const FactSet packed = layout.pack(state);
  return with_widths(layout.words(), numbering, [&]<int P, int Q>() {
    const Numbers<P, Q> numbers(layout, numbering);
    return numbers.rank(state_from<P>(packed.data(), packed.size()));
  });
}

}  // namespace fewest
