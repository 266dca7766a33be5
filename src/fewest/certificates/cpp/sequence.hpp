// The task checker for certificates that are larger than memory: layers of a metric in which every move costs the
// same, in a single run over the file, or the set of all positions that can be reached.
//
// Three layers are in memory, as they stand in the file. All moves from a layer are sorted and held against the layer
// behind it, itself, and the one before it, where they lead if moves can be taken back; what leads farther back is
// kept and sought in a second run. A set without layers is in memory whole, and its moves are held against it.
#pragma once

#include <cstdint>
#include <vector>

#include "ascending.hpp"
#include "moves.hpp"

namespace fewest::checkers {

class LayerSequence {
 public:
  // `question.layers` are those of the head, each a move dearer than the one before; its parts have no runs. Without
  // a bound there is one layer and no part. `share` of 2^32: so many of the positions are chosen, by `seed`.
  // Throws Rejected, GivenUp.
  LayerSequence(const LayersQuestion& question, double seconds, std::uint64_t memory, std::uint64_t share,
                std::uint64_t seed);

  // The next bytes behind the head.
  void feed(const char* data, std::size_t size);

  // Behind the last byte: whether the bytes are wanted once more.
  bool needs_another_run();

  // Behind the last run.
  void finish() const;

  LayersCounts counts() const { return counts_; }
  const std::vector<std::uint64_t>& chosen() const { return chosen_; }

 private:
  struct Pending {
    std::uint64_t number, layer;
  };

  void check_costs() const;
  void take(std::uint64_t gap);
  void end_layer();
  void check_start();
  template <class Led>
  void play(const Ascending& positions, Led&& led);
  void expand();
  void check_closed();
  void resolve();
  void spend(std::uint64_t more);

  const LayersQuestion question_;
  NumberedMoves moves_;
  Cubes goals_;
  Watch watch_;
  std::uint64_t share_, seed_;
  std::uint64_t unit_ = 1;  // what a move costs
  std::uint64_t start_ = kNoNumber;
  std::size_t layer_ = 0, num_expanded_ = 0;
  std::uint64_t value_ = 0, last_ = kNoNumber;
  unsigned shift_ = 0;
  Ascending before_, here_, next_;
  Sorter led_;
  std::vector<Pending> pending_;
  std::vector<bool> is_resolved_;
  bool is_second_ = false;
  LayersCounts counts_;
  std::vector<std::uint64_t> chosen_;
};

}  // namespace fewest::checkers
