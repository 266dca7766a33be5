#include "store/shards.hpp"

#include <stdexcept>

#include "state/widths.hpp"

namespace fewest {

std::unique_ptr<Shards> make_shards(const Problem& problem, const CostTable& costs, const Symmetry* symmetry,
                                    const ShardsOptions& options) {
  const auto task = std::make_shared<const ShardsTask>(problem);
  if (rounded_width(task->layout.words()) == 0)
    throw std::invalid_argument("a packed state has too many words");
  return with_width(
      task->layout.words(), [&]<int P>() { return make_shards_of_width<P>(task, costs, symmetry, options); },
      std::unique_ptr<Shards>{});
}

}  // namespace fewest
