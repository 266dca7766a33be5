// The task checker for large certificates: layers of a metric of one number that merges nothing, or the set of all
// positions that can be reached. Positions are in memory as they stand in the file.
//
// Where every move costs the same, three layers are: all moves from a layer are sorted and held against the layer
// behind it, itself, and the one before it, where they lead if moves can be taken back; what leads farther back is
// kept and sought in a second run over the file. Else all of them are in memory, and moves are held against them.
#pragma once

#include <cstdint>
#include <vector>

#include "ascending.hpp"
#include "moves.hpp"

namespace fewest::checkers {

class LayerSequence {
 public:
  // `question.layers` are those of the head; its part has no runs. Without a bound there is one layer and no part.
  // `share` of 2^32: so many of the positions are chosen, by `seed`.
  // Throws Rejected, GivenUp.
  LayerSequence(const LayersQuestion& question, double seconds, std::uint64_t memory, std::uint64_t share,
                std::uint64_t seed);
  LayerSequence(const LayerSequence&) = delete;

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
  void check_kept();
  void look_up(Sorter& led, std::uint64_t total);
  void resolve();
  void spend(std::uint64_t more);

  const LayersQuestion question_;
  NumberedMoves moves_;
  Cubes goals_;
  Watch watch_;
  std::uint64_t share_, seed_;
  std::uint64_t unit_ = 1;  // what every move costs; 0 if they differ or are free
  std::uint64_t start_ = kNoNumber;
  std::size_t layer_ = 0, num_expanded_ = 0;
  std::uint64_t value_ = 0, last_ = kNoNumber;
  unsigned shift_ = 0;
  Ascending before_, here_, next_;
  Sorter led_;
  std::vector<Ascending> kept_;  // all layers, where moves do not all cost the same
  std::vector<std::vector<bool>> is_met_;
  std::vector<Pending> pending_;
  std::vector<bool> is_resolved_;
  bool is_second_ = false;
  LayersCounts counts_;
  std::vector<std::uint64_t> chosen_;
};

}  // namespace fewest::checkers
