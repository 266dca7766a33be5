// Computes the next layer of marks.
#pragma once

#include <functional>
#include <memory>

#include "index/two_bit_table.hpp"
#include "state/threads.hpp"

namespace fewest {

// The thread that requested a layer calls this function regularly, with the number of marked states and the fraction of
// the work that is done (0 to 1). If the function returns false, the expansion stops.
using MayContinue = std::function<bool(Number marked, double part)>;

// The threads that expand a layer. Narrow layers are expanded by few threads, since starting a thread would take longer
// than expanding such a layer.
struct Team {
  std::size_t most = 1, states_per_thread = 1;
  std::size_t list_bytes = std::size_t{1} << 24;  // the memory limit of each thread's cache
  std::shared_ptr<Pool> pool = std::make_shared<Pool>();

  std::size_t size(Number width) const {
    FEWEST_ASSERT(most > 0 && states_per_thread > 0, "a team has a thread");
    return static_cast<std::size_t>(std::clamp<Number>(width / states_per_thread, 1, most));
  }
};

class LayerImage {
 public:
  virtual ~LayerImage() = default;
  // Marks every successor of a state marked `now` as `next`, provided that the successor is marked `from`. `width`: the
  // number of states marked `now`. Returns the number of new marks. A backward image marks predecessors.
  virtual Number move(MarkPlanes& marks, Mark from, Number width, const MayContinue& may_continue) = 0;
  // The number of moves from the closed states, which have all been expanded.
  virtual std::uint64_t num_generated(const MarkPlanes& marks) = 0;
  // The number of moves that were counted during the expansion. Only images that cannot compute this number from the
  // marks count moves.
  virtual std::uint64_t num_counted() const { return 0; }
  // Frees all cached results.
  virtual void free_caches() {}
  // The memory in use, not counting the marks.
  virtual std::size_t bytes() const { return 0; }
};

}  // namespace fewest
