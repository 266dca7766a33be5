#include "store/shards.hpp"

#include <stdexcept>

#include "expand/expanders.hpp"
#include "state/costs.hpp"
#include "state/widths.hpp"

namespace fewest {

namespace {

// Whether the backward moves are exactly the inverses of the forward moves and the entries of both searches have the
// same form.
bool are_opposite(const ShardsTask& task, const CostTable& costs, const Backwards& back) {
  if (has_equal_weights(task.problem, costs))
    return !has_runs(task.problem, costs) || are_runs_tied(back.problem, back.costs);
  const Compiler forward(task.problem, task.invariants, task.layout);
  return agent_group(forward, costs) == agent_group(task.compiler, back.costs);
}

}  // namespace

std::unique_ptr<Shards> make_shards(const Problem& problem, const CostTable& costs, const Symmetry* symmetry,
                                    const ShardsOptions& options, const Backwards* back) {
  require_operators(problem, "a search in shards");
  const auto task = std::make_shared<const ShardsTask>(problem, back);
  if (rounded_width(task->layout.words()) == 0)
    throw std::invalid_argument("a packed state has too many words");
  if (back != nullptr && !are_opposite(*task, costs, *back)) return nullptr;
  const CostTable& own = back == nullptr ? costs : back->costs;
  return with_width(
      task->layout.words(), [&]<int P>() { return make_shards_of_width<P>(task, own, symmetry, options); },
      std::unique_ptr<Shards>{});
}

}  // namespace fewest
