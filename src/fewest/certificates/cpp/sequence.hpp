// Layers of a metric in which every move costs the same, in a single run over the file: for certificates that are
// larger than memory. `LayerSequence` checks what docs/certificates.md says, `LayerMaker` makes it.
//
// Only three layers are in memory. All moves from a layer are sorted and held against the layer behind it, itself,
// and the one before it, where they lead if moves can be taken back; what leads farther back is kept and sought in
// a second run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "moves.hpp"

namespace fewest::checkers {

class LayerSequence {
 public:
  // `question.layers` are those of the head, each a move dearer than the one before; its parts have no runs.
  // `share` of 2^32: so many of the positions are chosen, by `seed`. Throws Rejected, GivenUp.
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
  using Numbers = std::vector<std::uint64_t>;
  struct Pending {
    std::uint64_t number, layer;
  };

  void take(std::uint64_t gap);
  void end_layer();
  void expand();
  void look_up();
  void resolve();
  void spend() { watch_.spend(bytes() + pending_.capacity() * sizeof(Pending) + chosen_.capacity() * 8); }
  std::uint64_t bytes() const;

  const LayersQuestion question_;
  NumberedMoves moves_;
  Cubes goals_;
  Watch watch_;
  std::uint64_t share_, seed_;
  std::size_t layer_ = 0, num_expanded_ = 0;
  std::uint64_t value_ = 0, last_ = 0;
  unsigned shift_ = 0;
  Numbers before_, here_, next_;
  std::vector<bool> is_met_;  // of `next_`
  Numbers led_, buffer_;
  std::vector<Pending> pending_;
  std::vector<bool> is_resolved_;
  bool is_second_ = false;
  LayersCounts counts_;
  Numbers chosen_;
};

class LayerMaker {
 public:
  // `is_reversible`: every operator has its inverse, so that what has been seen is in the last two layers.
  LayerMaker(const LayersQuestion& question, std::uint64_t start, bool is_reversible, double seconds,
             std::uint64_t memory);

  // How many positions the next layer has; 0 at the end.
  std::uint64_t advance();

  // That layer's numbers, as they stand in the section.
  std::string encoded() const;

 private:
  using Numbers = std::vector<std::uint64_t>;

  const LayersQuestion question_;
  NumberedMoves moves_;
  Watch watch_;
  bool is_reversible_, is_begun_ = false;
  Numbers before_, here_;
  std::vector<std::string> older_;
};

}  // namespace fewest::checkers
