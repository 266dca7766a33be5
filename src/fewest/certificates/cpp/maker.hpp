// Layers made natively, in a few bytes a position: what costs one number and merges nothing, or the set of all
// positions that can be reached. Nothing of it is believed: the checkers read what it writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ascending.hpp"
#include "moves.hpp"

namespace fewest::checkers {

class LayerMaker {
 public:
  // Of the question its task, metric (without one every move costs 1), groups, variables, bound and potential are
  // asked. `is_reversible`: every operator has its inverse. Throws Rejected where a position has no number, GivenUp.
  LayerMaker(const LayersQuestion& question, std::uint64_t start, bool is_reversible, double seconds,
             std::uint64_t memory);
  LayerMaker(const LayerMaker&) = delete;

  // How many positions the next layer has; 0 behind the last.
  std::uint64_t advance();

  // What that layer costs, and its numbers as they stand in a section, piece by piece.
  std::uint64_t cost() const { return cost_; }
  const std::vector<std::string>& encoded() const { return here_.blocks(); }

  // All positions behind the last layer, if it is not reversible.
  const Ascending& all() const { return known_.front(); }

 private:
  void keep();
  Ascending fresh(Sorter& found);
  void expand(const Ascending& frontier, Sorter& free);
  void spend(std::uint64_t bytes);

  const LayersQuestion question_;
  NumberedMoves moves_;
  Watch watch_;
  std::vector<std::uint64_t> weights_;    // that occur
  std::vector<std::uint32_t> weight_of_;  // of each operator, its place there
  // Where moves can be taken back and all cost the same they lead to the last two layers or to new positions.
  bool keeps_two_;
  std::vector<Ascending> known_;  // the two before, or one list of all before
  Ascending here_;
  std::uint64_t cost_ = 0;
  std::map<std::uint64_t, Sorter> ahead_;  // by cost
};

}  // namespace fewest::checkers
