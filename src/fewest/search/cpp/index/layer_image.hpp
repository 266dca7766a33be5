// The computation of the next layer of marks.
#pragma once

#include <functional>
#include <memory>

#include "index/two_bit_table.hpp"
#include "state/threads.hpp"

namespace fewest {

// Called now and then, by the thread that requested a layer, with the number of called states and the finished part
// of the work, 0 to 1. False: stop.
using GoesOn = std::function<bool(Number called, double part)>;

// The threads of a layer: narrow layers take less time than a thread takes to start.
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
  // Call every state that is a move away from a state marked now (there are `count`), if its mark is `from`. Returns
  // how many were called.
  virtual Number move(MarkPlanes& marks, Mark from, Number width, const GoesOn& goes_on) = 0;
  // The number of moves from the kept states, all of which were expanded.
  virtual std::uint64_t num_generated(const MarkPlanes& marks) = 0;
  // The part of it that does not follow from the marks alone.
  virtual std::uint64_t num_counted() const { return 0; }
  // Free all cached results.
  virtual void rest() {}
  // Beside the marks.
  virtual std::size_t bytes() const { return 0; }
};

}  // namespace fewest
