// Layers made natively, in a few bytes a node: a metric of one number that merges nothing, or whose moves are free or
// all cost the same; or the set of all positions that can be reached. Nothing of it is believed: the checkers read what
// it writes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "delta_list.hpp"
#include "numbered_task.hpp"
#include "runs.hpp"
#include "inverse_moves.hpp"

namespace fewest::checkers {

class LayerWriter {
 public:
  // Of the question its task, metric (without one every move costs 1), groups, variables, bound and potential are
  // asked. `is_reversible`: every operator has its inverse. Throws Rejected where a position has no number, GivenUp.
  LayerWriter(const LayersQuestion& question, std::uint64_t start, bool is_reversible, double seconds,
             std::uint64_t memory);
  LayerWriter(const LayerWriter&) = delete;

  // How many positions the next layer has; 0 behind the last.
  std::uint64_t advance();

  // What that layer costs, and as it stands in a section, piece by piece.
  std::uint64_t cost() const { return cost_; }
  void encode(const std::function<void(const std::string&)>& piece) const;

  // All positions behind the last layer, if it is not reversible.
  const Ascending& all() const { return known_.front(); }

 private:
  struct Frontier {
    Ascending nodes;
    Trails trails;
  };

  void keep();
  Frontier fresh(Sorter& found);
  void add(Ascending nodes);
  void expand(const Frontier& frontier, Sorter& free);
  void spend(std::uint64_t bytes);
  bool are_shorter_and_shorter() const;

  const LayersQuestion question_;
  NumberedMoves moves_;
  Runs runs_;
  InverseMoves ways_;
  Watch watch_;
  std::vector<std::uint64_t> weights_;    // that occur
  std::vector<std::uint32_t> weight_of_;  // of each operator, its place there
  // Where moves can be taken back and all that are not free cost the same they lead to the last two layers or to new
  // positions.
  bool keeps_two_;
  std::vector<Ascending> known_;  // positions: the two layers before, or one list of all before
  std::vector<Ascending> here_;   // nodes, in lists that get shorter: what costs nothing is found in rounds
  Ascending positions_;           // of the layer
  std::uint64_t cost_ = 0;
  std::map<std::uint64_t, Sorter> ahead_;  // by cost, nodes with their ways
};

}  // namespace fewest::checkers
