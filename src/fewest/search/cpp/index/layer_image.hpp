// What makes the next layer of marks out of one.
#pragma once

#include <functional>
#include <memory>

#include "index/two_bit_table.hpp"
#include "state/threads.hpp"

namespace fewest {

// Asked now and then, by the thread that asked for a layer, with what has been called by then and which part of the
// work has been done, 0 to 1. False: leave off.
using GoesOn = std::function<bool(Number called, double part)>;

// How many threads a layer has, and which: narrow ones take less time than a thread takes to begin.
struct Team {
  std::size_t most = 1, states_per_thread = 1;
  std::size_t list_bytes = std::size_t{1} << 24;  // what each may keep of what it has found out
  std::shared_ptr<Pool> pool = std::make_shared<Pool>();

  std::size_t size(Number width) const {
    FEWEST_ASSERT(most > 0 && states_per_thread > 0, "a team has a thread");
    return static_cast<std::size_t>(std::clamp<Number>(width / states_per_thread, 1, most));
  }
};

class LayerImage {
 public:
  virtual ~LayerImage() = default;
  // Whatever is a move from what is marked now, of which there is so much, is called if its mark is `from`. Returns
  // how many were.
  virtual Number move(MarkPlanes& marks, Mark from, Number width, const GoesOn& goes_on) = 0;
  // How many moves there are from what is kept, which is what was moved from, all of it.
  virtual std::uint64_t num_generated(const MarkPlanes& marks) = 0;
  // The part of it that the marks alone do not tell.
  virtual std::uint64_t num_counted() const { return 0; }
  // Forgets what it has found out and can find out again.
  virtual void rest() {}
  // Beside the marks.
  virtual std::size_t bytes() const { return 0; }
};

}  // namespace fewest
