#include "index.hpp"

#include "costs.hpp"
#include "index_search.hpp"

namespace fewest {

namespace {

// f.operator()<P>() for the compiled width that holds `words`.
template <class F>
auto with_width(int words, F f) {
  switch (rounded_width(words)) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    case 4: return f.template operator()<4>();
    case 8: return f.template operator()<8>();
    case 16: return f.template operator()<16>();
    default: throw std::invalid_argument("a packed state has too many words");
  }
}

}  // namespace

IndexOutcome search_index(const Problem& problem, const CostTable& costs,
                          const Numbering& numbering, const IndexOptions& options) {
  if (!has_equal_weights(problem, costs))
    throw std::invalid_argument("a search in an index needs moves that all cost the same");
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  const Compiler compiler(problem, invariants, layout);
  return with_width(layout.words(), [&]<int P>() {
    const Numbers<P> numbers(layout, numbering);
    const FactSet packed = layout.pack(problem.initial);
    const State<P> initial = state_from<P>(packed.data(), packed.size());
    if (has_runs(problem, costs)) {
      Runs<P> expander(compiler, costs);
      return IndexSearch<P, Runs<P>>(compiler, costs, expander, numbers, options).run(initial);
    }
    SingleSteps<P> expander(compiler);
    return IndexSearch<P, SingleSteps<P>>(compiler, costs, expander, numbers, options).run(initial);
  });
}

FactSet unrank(const Problem& problem, const Numbering& numbering, Number number) {
  const Layout layout(problem, Invariants(problem));
  return with_width(layout.words(), [&]<int P>() {
    const Numbers<P> numbers(layout, numbering);
    Cursor<P> cursor(numbers);
    cursor.seek(number);
    return layout.unpack(cursor.state().w);
  });
}

Number rank(const Problem& problem, const Numbering& numbering, const Word* state) {
  const Layout layout(problem, Invariants(problem));
  const FactSet packed = layout.pack(state);
  return with_width(layout.words(), [&]<int P>() {
    const Numbers<P> numbers(layout, numbering);
    return numbers.rank(numbers.code(state_from<P>(packed.data(), packed.size())));
  });
}

}  // namespace fewest
